package io.leasehold.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderKeyTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      value = {
        "abc,abc",
        "'\"abc\"',abc",
        "'  \"abc\"\t',abc",
        "'\"a b, c;d\"','a b, c;d'",
        "'\"a\\\"b\\\\c\"','a\"b\\c'",
        "8e03978e-40d5-43dd-bc93-6894a57f9324,8e03978e-40d5-43dd-bc93-6894a57f9324",
        "'a/b+c==',a/b+c==",
      })
  void aKeyIsReadQuotedOrBare(String line, String key) {
    assertThat(HeaderKey.parse(List.of(line))).isEqualTo(key);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "\"\"",
        "\"abc",
        "\"",
        "\"a\"b\"",
        "\"abc\";q=1",
        "\"a\",\"b\"",
        "a,b",
        "a b",
        "a;b",
        "a\"b",
        "a\\b",
        "\"a\\n\"",
        "\"a\\",
        "a\u0000b",
        "a\rb",
        "\"a\tb\"",
        "schl\u00fcssel",
        "\"schl\u00fcssel\"",
        "\u007f",
        "\u00a0abc",
        "a\u2028b",
        "\ud83d\ude00"
      })
  void whatIsNoKeyIsRefusedAndNotQuoted(String line) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HeaderKey.parse(List.of(line)))
        .satisfies(e -> assertThat(e.getMessage()).isPrintable().isNotEmpty());
  }

  @Test
  void aKeyHas255CharactersAtMost() {
    assertThat(HeaderKey.parse(List.of("k".repeat(255)))).hasSize(255);
    assertThat(HeaderKey.parse(List.of("\"" + "k".repeat(255) + "\""))).hasSize(255);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HeaderKey.parse(List.of("k".repeat(256))))
        .withMessage("it has 256 characters; at most 255 are allowed");
  }

  @Test
  void aFieldIsThereOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HeaderKey.parse(List.of("a", "a")))
        .withMessage("it is there 2 times; send it once");
  }
}
