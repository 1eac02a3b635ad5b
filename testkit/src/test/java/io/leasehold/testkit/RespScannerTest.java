package io.leasehold.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespScannerTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "+OK\r\n",
        "-ERR 3 wrong\r\n",
        ":-42\r\n",
        "$0\r\n\r\n",
        "$-1\r\n",
        "$7\r\na\r\n*1\r\n\r\n",
        "*0\r\n",
        "*-1\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$12\r\n012345678901\r\n",
        "*2\r\n*2\r\n:1\r\n*0\r\n$-1\r\n",
        "_\r\n",
        "#t\r\n",
        ",1.5e10\r\n",
        "(3492890328409238509324850943850943825024385\r\n",
        "!5\r\nERR x\r\n",
        "=6\r\ntxt:ab\r\n",
        "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n",
        "~2\r\n:1\r\n:2\r\n",
        "|1\r\n+ttl\r\n:3600\r\n*1\r\n:1\r\n",
        ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n",
        ">3\r\n$12\r\nsunsubscribe\r\n$-1\r\n:0\r\n",
        "PING\r\n"
      })
  void findsTheEndOfAValue(String value) {
    assertThat(ends(value + value)).containsExactly(value.length() - 1, 2 * value.length() - 1);
  }

  @Test
  void aMessageIsNoReply() {
    String message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$9\r\nsubscribe\r\n";
    String invalidation = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n";
    String all = message + invalidation + "+OK\r\n";
    assertThat(ends(all)).containsExactly(all.length() - 1);
  }

  private static List<Integer> ends(String text) {
    RespScanner scanner = new RespScanner();
    List<Integer> ends = new ArrayList<>();
    byte[] bytes = text.getBytes(US_ASCII);
    for (int i = 0; i < bytes.length; i++) {
      if (scanner.ends(bytes[i])) {
        ends.add(i);
      }
    }
    return ends;
  }
}
