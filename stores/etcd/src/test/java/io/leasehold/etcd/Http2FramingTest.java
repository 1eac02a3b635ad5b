package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing.Scanner;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;

class Http2FramingTest {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int END_STREAM = 1;

  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  @Test
  void framesAboutTheConnectionBeginNoRequest() {
    sent.writeBytes(new byte[24]); // the preface
    frame(SETTINGS, 0, 6);
    frame(SETTINGS, 1, 0); // the answer to those of the server
    frame(HEADERS, 4, 20);
    frame(DATA, END_STREAM, 7);
    frame(PING, 1, 8);
    frame(GO_AWAY, 0, 8);
    assertThat(requests()).isEqualTo("begins ends");
  }

  @Test
  void aWatchGoesWithTheNextRequest() {
    sent.writeBytes(new byte[24]);
    frame(HEADERS, 4, 20);
    frame(DATA, 0, 300);
    frame(HEADERS, 4, 20);
    frame(DATA, END_STREAM, 0);
    frame(HEADERS, 4 | END_STREAM, 20);
    assertThat(requests()).isEqualTo("begins ends begins ends");
  }

  private void frame(int type, int flags, int length) {
    sent.writeBytes(
        new byte[] {0, (byte) (length >> 8), (byte) length, (byte) type, (byte) flags, 0, 0, 0, 1});
    sent.writeBytes(new byte[length]);
  }

  /** As the proxy asks. */
  private String requests() {
    Scanner scanner = new Http2Framing().scanner(Direction.TO_SERVER);
    StringBuilder seen = new StringBuilder();
    boolean isBetween = true;
    for (byte next : sent.toByteArray()) {
      if (isBetween && scanner.begins(next)) {
        seen.append(" begins");
        isBetween = false;
      }
      if (scanner.ends(next)) {
        seen.append(" ends");
        isBetween = true;
      }
    }
    return seen.toString().strip();
  }
}
