package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.redis.Command.Name;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.RedisOutputStream;

class OutgoingTest {
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final Outgoing outgoing = new Outgoing(sent);
  private final Random random = new Random(1);

  @Test
  void commandsAreSentAsJedisSendsThem() throws IOException {
    List<Command> commands = new ArrayList<>(List.of(Command.of(Name.PING)));
    for (int size : new int[] {0, 1, 9, 10, 11, 99, 100, 1_000, 1_020, 70_000, 999_999, 5}) {
      commands.add(new Command(Name.EVALSHA, List.of(text(size))));
      commands.add(new Command(Name.SET, List.of(text(size), text(3), text(size))));
    }
    commands.add(new Command(Name.EVAL, texts(9)));
    commands.add(new Command(Name.EVAL, texts(15_000)));
    for (Command command : commands) {
      outgoing.add(command);
      outgoing.send();
      assertThat(sent.toByteArray()).isEqualTo(byJedis(List.of(command)));
      sent.reset();
    }
    commands.forEach(outgoing::add);
    outgoing.send();
    assertThat(sent.toByteArray()).isEqualTo(byJedis(commands));
  }

  @Test
  void nothingIsSentTwice() throws IOException {
    outgoing.send();
    assertThat(sent.size()).isZero();
    outgoing.add(Command.of(Name.PING));
    outgoing.send();
    outgoing.send();
    assertThat(sent.toString(US_ASCII)).isEqualTo("*1\r\n$4\r\nPING\r\n");
  }

  /** Some of it may have gone out. */
  @Test
  void whatCannotBeSentIsNotSentLater() throws IOException {
    boolean[] closed = {true};
    Outgoing failing =
        new Outgoing(
            new OutputStream() {
              @Override
              public void write(int one) throws IOException {
                if (closed[0]) {
                  throw new IOException("Socket closed");
                }
                sent.write(one);
              }
            });
    failing.add(Command.of(Name.INFO));
    assertThatThrownBy(failing::send).isInstanceOf(IOException.class);
    closed[0] = false;
    failing.add(Command.of(Name.PING));
    failing.send();
    assertThat(sent.toString(US_ASCII)).isEqualTo("*1\r\n$4\r\nPING\r\n");
  }

  private static byte[] byJedis(List<Command> commands) throws IOException {
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (RedisOutputStream to = new RedisOutputStream(expected)) {
      for (Command command : commands) {
        CommandArguments all = new CommandArguments(command.name()::bytes);
        command.arguments().forEach(all::add);
        Protocol.sendCommand(to, all);
      }
    }
    return expected.toByteArray();
  }

  private byte[] text(int size) {
    byte[] text = new byte[size];
    random.nextBytes(text);
    return text;
  }

  private List<byte[]> texts(int count) {
    List<byte[]> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(text(i % 40));
    }
    return texts;
  }
}
