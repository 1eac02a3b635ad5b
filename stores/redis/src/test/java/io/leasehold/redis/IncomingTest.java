package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** An answer is given out once all of it is there, and alone. */
class IncomingTest {
  private final Incoming incoming = new Incoming();

  /** What comes in such pieces. */
  private static ReadableByteChannel inPieces(String text, int size) {
    ReadableByteChannel all =
        Channels.newChannel(new ByteArrayInputStream(text.getBytes(ISO_8859_1)));
    return new ReadableByteChannel() {
      @Override
      public int read(ByteBuffer target) throws IOException {
        ByteBuffer into = target.duplicate();
        into.limit(into.position() + Math.min(size, into.remaining()));
        int count = all.read(into);
        target.position(into.position());
        return count;
      }

      @Override
      public boolean isOpen() {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  private List<String> answers() {
    List<String> answers = new ArrayList<>();
    while (incoming.hasAnswer()) {
      answers.add(answer());
    }
    return answers;
  }

  private String answer() {
    StringBuilder answer = new StringBuilder();
    byte[] some = new byte[7];
    for (int n = incoming.read(some, 0, 7); n > 0; n = incoming.read(some, 0, 7)) {
      answer.append(new String(some, 0, n, ISO_8859_1));
    }
    return answer.toString();
  }

  private static final List<String> ALL =
      List.of(
          "+OK\r\n",
          "-ERR no\r\n",
          ":-12\r\n",
          "$5\r\n\r\n:1\r\r\n",
          "$0\r\n\r\n",
          "$-1\r\n",
          "*-1\r\n",
          "*0\r\n",
          "*3\r\n$1\r\na\r\n*2\r\n:1\r\n$-1\r\n+b\r\n",
          "*1\r\n*1\r\n*1\r\n$2\r\n\r\n\r\n");

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13, 21, 1000})
  void eachIsGivenOutWhole(int size) throws IOException {
    ReadableByteChannel channel = inPieces(String.join("", ALL), size);
    List<String> answers = new ArrayList<>();
    while (answers.size() < ALL.size()) {
      incoming.take(channel);
      answers.addAll(answers());
    }
    assertThat(answers).isEqualTo(ALL);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 13, 21, 1000})
  void aTextIsTakenAfterItsHeadAlone(int size) throws IOException {
    String head = "*2\r\n$1\r\na\r\n";
    List<String> others =
        List.of("*2\r\n$1\r\nb\r\n$2\r\nno\r\n", head + "$-1\r\n", head + ":1\r\n", "+OK\r\n");
    List<String> texts = List.of("x", "", "\r\n$1\r\n", "y".repeat(20_000));
    StringBuilder all = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      all.append(head).append('$').append(text.length()).append("\r\n").append(text).append("\r\n");
      all.append(others.get(i));
      expected.addAll(List.of("text " + text, others.get(i)));
    }
    ReadableByteChannel channel = inPieces(all.toString(), size);
    List<String> taken = new ArrayList<>();
    while (taken.size() < expected.size()) {
      incoming.take(channel);
      byte[] text = incoming.textAfter(head.getBytes(ISO_8859_1));
      while (text != null || incoming.hasAnswer()) {
        taken.add(text == null ? answer() : "text " + new String(text, ISO_8859_1));
        text = incoming.textAfter(head.getBytes(ISO_8859_1));
      }
    }
    assertThat(taken).isEqualTo(expected);
    assertThat(incoming.isEmpty()).isTrue();
  }

  @Test
  void aPartOfOneIsNone() throws IOException {
    for (String answer : ALL) {
      for (int length = 1; length < answer.length(); length++) {
        Incoming some = new Incoming();
        some.take(inPieces(answer.substring(0, length), 1000));
        assertThat(some.hasAnswer()).as("of '%s', %s", answer, length).isFalse();
        assertThat(some.read(new byte[1], 0, 1)).isEqualTo(-1);
      }
    }
  }

  @Test
  void itGrowsForALargeOne() throws IOException {
    String large = "$100000\r\n" + "x".repeat(100_000) + "\r\n";
    String text = "+a\r\n" + large + large + "+b\r\n";
    ReadableByteChannel channel = inPieces(text, 3_000);
    List<String> answers = new ArrayList<>();
    while (answers.size() < 4) {
      incoming.take(channel);
      answers.addAll(answers());
    }
    assertThat(answers).containsExactly("+a\r\n", large, large, "+b\r\n");
  }

  @Test
  void theEndIsSaid() {
    assertThatThrownBy(() -> incoming.take(inPieces("", 1)))
        .isInstanceOf(JedisConnectionException.class)
        .hasMessageContaining("ended");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$\r\n", "*x\r\n", "$12345678901234567890\r\n"})
  void whatIsNoAnswerIsRefused(String text) throws IOException {
    incoming.take(inPieces(text, 1000));
    assertThatThrownBy(incoming::hasAnswer)
        .isInstanceOf(JedisConnectionException.class)
        .hasMessageContaining("does not answer as Redis does");
  }
}
