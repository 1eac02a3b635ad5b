package io.leasehold.testkit;

import java.util.Locale;

/** Finds the ends of HTTP/1.1 messages, whose bodies have a length or come in chunks. */
final class HttpScanner implements Framing.Scanner {
  private final StringBuilder line = new StringBuilder();
  private boolean isInHead = true;
  private boolean isChunked;
  private boolean isLastChunk;

  /** The length of the body that follows the head. */
  private long pending;

  /** Bytes of the body, or of a chunk with its line end, that are still to come. */
  private long content;

  @Override
  public boolean ends(byte next) {
    if (content > 0) {
      content--;
      return content == 0 && !isChunked && begin();
    }
    if (next != '\n') {
      line.append((char) next);
      return false;
    }
    String text = line.toString().trim().toLowerCase(Locale.ROOT);
    line.setLength(0);
    return isInHead ? endsWithHeader(text) : endsWithChunkSize(text);
  }

  private boolean endsWithHeader(String text) {
    if (text.startsWith("content-length:")) {
      pending = Long.parseLong(text.substring(text.indexOf(':') + 1).trim());
    } else if (text.startsWith("transfer-encoding:")) {
      isChunked = true;
    } else if (text.isEmpty()) {
      isInHead = false;
      content = pending;
      return content == 0 && !isChunked && begin();
    }
    return false;
  }

  private boolean endsWithChunkSize(String text) {
    if (isLastChunk) {
      return begin();
    }
    long size = Long.parseLong(text, 16);
    isLastChunk = size == 0;
    content = isLastChunk ? 0 : size + 2;
    return false;
  }

  /** The next byte begins another message. */
  private boolean begin() {
    isInHead = true;
    isChunked = false;
    isLastChunk = false;
    pending = 0;
    return true;
  }
}
