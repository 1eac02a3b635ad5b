package io.leasehold.testkit;

/** Finds the ends of RESP2 and RESP3 values; a command is one of them, a list of strings. */
final class RespScanner implements Framing.Scanner {
  /** Values that are still to come before the whole one is complete. */
  private long open = 1;

  /** The first byte of the header line that is being read, or 0 before it. */
  private int type;

  private long number;
  private boolean isNegative;

  /** Bytes of a string that are still to come, with its line end. */
  private long content;

  private boolean isPush;

  /** The first string of a push: what it is about. */
  private final StringBuilder topic = new StringBuilder();

  private boolean isTopicComplete;

  @Override
  public boolean ends(byte next) {
    if (content > 0) {
      if (isPush && !isTopicComplete) {
        topic.append((char) next);
      }
      content--;
      return content == 0 && completesValue(0);
    }
    if (type == 0) {
      type = next;
    } else if (next == '\n') {
      return endsHeader();
    } else if (next == '-') {
      isNegative = true;
    } else if (next >= '0' && next <= '9') {
      number = number * 10 + next - '0';
    }
    return false;
  }

  private boolean endsHeader() {
    long length = isNegative ? 0 : number;
    boolean hasContent = !isNegative;
    int kind = type;
    type = 0;
    number = 0;
    isNegative = false;
    switch (kind) {
      case '$', '=', '!' -> {
        content = hasContent ? length + 2 : 0;
        return !hasContent && completesValue(0);
      }
      case '*', '~' -> {
        return completesValue(length);
      }
      case '%' -> {
        return completesValue(2 * length);
      }
      case '|' -> {
        return completesValue(2 * length + 1); // goes before the value that it is about
      }
      case '>' -> {
        isPush = true;
        topic.setLength(0);
        isTopicComplete = false;
        return completesValue(length);
      }
      default -> {
        return completesValue(0);
      }
    }
  }

  /** A value is complete but for so many inside it. */
  private boolean completesValue(long inside) {
    isTopicComplete |= isPush && !topic.isEmpty();
    open += inside - 1;
    if (open > 0) {
      return false;
    }
    open = 1;
    boolean isReply = !isPush || topic.toString().trim().endsWith("subscribe");
    isPush = false;
    return isReply;
  }
}
