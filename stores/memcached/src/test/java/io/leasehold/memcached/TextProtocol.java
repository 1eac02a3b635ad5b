package io.leasehold.memcached;

import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;

/** Where requests and replies of memcached's text protocol end. */
final class TextProtocol implements Framing.Scanner {
  static final Framing FRAMING = TextProtocol::new;

  private final boolean isRequest;
  private final StringBuilder line = new StringBuilder();

  /** Bytes of a value that are still to come, with its line end. */
  private int content;

  private TextProtocol(Direction direction) {
    this.isRequest = direction == Direction.TO_SERVER;
  }

  @Override
  public boolean ends(byte next) {
    if (content > 0) {
      content--;
      return content == 0 && isRequest;
    }
    if (next != '\n') {
      line.append((char) next);
      return false;
    }
    String[] words = line.toString().strip().split(" ", -1);
    line.setLength(0);
    return isRequest ? endsRequest(words) : endsReply(words);
  }

  private boolean endsRequest(String[] words) {
    if (words[0].matches("add|set|cas")) {
      content = Integer.parseInt(words[4]) + 2;
    }
    return content == 0;
  }

  private boolean endsReply(String[] words) {
    if (words[0].equals("VALUE")) {
      content = Integer.parseInt(words[3]) + 2;
    }
    return content == 0 && !words[0].equals("STAT");
  }
}
