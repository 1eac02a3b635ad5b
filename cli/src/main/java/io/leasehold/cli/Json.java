package io.leasehold.cli;

/**
 * Writes one JSON text. Fencing tokens go in as strings: they have more digits than the numbers of
 * many JSON readers.
 *
 * <p>Calls must nest as the text does; nothing checks that.
 */
final class Json {
  private final StringBuilder text = new StringBuilder();
  private boolean first = true;

  Json beginObject() {
    return begin('{');
  }

  Json endObject() {
    return end('}');
  }

  Json beginArray() {
    return begin('[');
  }

  Json endArray() {
    return end(']');
  }

  /** The name of a member; its value comes next. */
  Json name(String name) {
    comma();
    quote(name);
    text.append(':');
    first = true;
    return this;
  }

  Json value(String value) {
    comma();
    quote(value);
    return this;
  }

  Json value(long value) {
    comma();
    text.append(value);
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private Json begin(char bracket) {
    comma();
    text.append(bracket);
    first = true;
    return this;
  }

  private Json end(char bracket) {
    text.append(bracket);
    first = false;
    return this;
  }

  private void comma() {
    if (!first) {
      text.append(',');
    }
    first = false;
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029) {
            text.append("\\u")
                .append(hex(c >> 12))
                .append(hex(c >> 8))
                .append(hex(c >> 4))
                .append(hex(c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  private static char hex(int bits) {
    return Character.forDigit(bits & 0xf, 16);
  }
}
