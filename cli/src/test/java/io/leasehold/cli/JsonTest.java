package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void nestsAndSeparates() {
    Json json = new Json().beginArray();
    json.beginObject()
        .name("a")
        .value("x")
        .name("b")
        .beginArray()
        .value(1)
        .value(2)
        .endArray()
        .endObject();
    json.beginObject().endObject().endArray();

    assertThat(json.toString()).isEqualTo("[{\"a\":\"x\",\"b\":[1,2]},{}]");
  }

  @Test
  void escapesWhatJsonMustAndWhatATerminalWouldObey() {
    assertThat(new Json().value("\"\\\n\r\t\u0000\u001b\u009b\u2028 é😀/").toString())
        .isEqualTo("\"\\\"\\\\\\n\\r\\t\\u0000\\u001b\\u009b\\u2028 é😀/\"");
  }
}
