package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** A list of all locks, in a large database. */
class ManyKeysTest extends ServerTest {
  private static final int FOREIGN = 300_000;
  private static final int LOCKS = 40_000;
  private static final int AT_ONCE = 10_000;

  /** So that what goes deeper with each page fails here, and not with a few more pages. */
  private static final int SMALL_STACK = 160_000;

  private static final String HOLD =
      "for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', 600000) end return 1";

  ManyKeysTest() {
    super(RedisServer.of(Kind.VALKEY_8));
  }

  @Test
  void allLocksAmongManyOtherKeysAreListed() throws Exception {
    server.command("DEBUG", "POPULATE", "" + FOREIGN, "other", "1");
    Engine client = client(how -> how.requestTimeout(Duration.ofMinutes(1)));
    Lease held = client.lock("held").acquire();
    assertThat(listed(client)).extracting(LockSnapshot::name).containsExactly("held");
    held.release();

    hold(LOCKS);
    assertThat(listed(client)).hasSize(LOCKS);
  }

  private static List<LockSnapshot> listed(Engine client) throws Exception {
    FutureTask<List<LockSnapshot>> list = new FutureTask<>(client::list);
    new Thread(null, list, "small", SMALL_STACK).start();
    return list.get();
  }

  private void hold(int count) {
    Keys keys = new Keys(prefix());
    for (int from = 0; from < count; from += AT_ONCE) {
      List<String> command = new ArrayList<>(List.of("EVAL", HOLD, "" + AT_ONCE));
      for (int i = from; i < from + AT_ONCE; i++) {
        command.add(Command.text(keys.of("lock " + i).state()));
      }
      command.add("x1 " + "0".repeat(32) + " test");
      server.command(command.toArray(String[]::new));
    }
  }
}
