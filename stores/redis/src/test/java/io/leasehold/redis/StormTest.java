package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.JavaProcess;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four processes of eight threads each, while connections are cut, held up and killed, the server
 * and the processes stand still for a while. Afterwards it is judged: tokens rose with each write,
 * and no write was lost.
 */
class StormTest {
  @Nested
  class OnRedis70 extends Storm {
    OnRedis70() {
      super(Kind.REDIS_7_0);
    }
  }

  @Nested
  class OnValkey9 extends Storm {
    OnValkey9() {
      super(Kind.VALKEY_9);
    }
  }

  abstract static class Storm extends ServerTest {
    private static final int PROCESSES = 4;
    private static final int ENOUGH_USES = 100;
    private static final List<String> NAMES = List.of("local first", "fair", "shared");

    private final RedisServer elsewhere = RedisServer.of(Kind.REDIS_7_0).start();
    private final List<FaultProxy> proxies = new ArrayList<>();
    private final List<JavaProcess> processes = new ArrayList<>();
    private final Random random;
    private final long seed = System.nanoTime();

    Storm(Kind kind) {
      super(RedisServer.of(kind));
      random = new Random(seed);
    }

    @AfterAll
    void closeAll() {
      processes.forEach(JavaProcess::close);
      proxies.forEach(FaultProxy::close);
      elsewhere.close();
    }

    @Test
    void r1r4NoTwoHoldersAndNoLostWrite() {
      storm(Duration.ofSeconds(5));
    }

    @Test
    @Tag("slow")
    void r1r4NoTwoHoldersAndNoLostWriteForAMinute() {
      storm(Duration.ofSeconds(60));
    }

    private void storm(Duration time) {
      elsewhere.command("FLUSHALL");
      begin();
      long end = System.nanoTime() + time.toNanos();
      long latest = end + PATIENCE.toNanos();
      while (System.nanoTime() - (written() <= ENOUGH_USES ? latest : end) < 0) {
        fault();
        pass(Duration.ofMillis(random.nextInt(200)));
      }
      proxies.forEach(FaultProxy::heal);
      processes.forEach(process -> process.say("end"));
      int used = 0;
      for (JavaProcess process : processes) {
        List<String> told = process.lines("done");
        assertThat(told).as("seed %s", seed).noneMatch(line -> line.startsWith("wrong"));
        used += Integer.parseInt(told.get(told.size() - 1).split(" ", -1)[0]);
      }
      assertThat(used).as("enough to mean something").isGreaterThan(ENOUGH_USES);
      judge();
      requireNothingInTheStore();
      processes.forEach(JavaProcess::close);
      processes.clear();
    }

    private void begin() {
      for (int i = 0; i < PROCESSES; i++) {
        FaultProxy proxy = FaultProxy.to(server.host(), server.port(), Framing.NONE);
        proxies.add(proxy);
        String url = server.urlBy(proxy.port()) + "?prefix=" + prefix();
        processes.add(JavaProcess.start(StormProcess.class, url, elsewhere.url()));
      }
      processes.forEach(process -> process.await("ready"));
    }

    private void fault() {
      int which = random.nextInt(PROCESSES);
      FaultProxy proxy = proxies.get(proxies.size() - PROCESSES + which);
      Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
      Duration time = Duration.ofMillis(random.nextInt(500));
      switch (random.nextInt(10)) {
        case 0 -> proxy.cutAll();
        case 1 -> during(time, () -> proxy.stall(direction), proxy::heal);
        case 2 -> during(time, () -> proxy.delay(direction, time.dividedBy(10)), proxy::heal);
        case 3 -> during(time, () -> proxy.drop(direction), () -> healCut(proxy));
        case 4 -> during(time, () -> refuse(proxy), proxy::heal);
        case 5 ->
            server.command("CLIENT", "KILL", "TYPE", random.nextBoolean() ? "normal" : "pubsub");
        case 6 -> server.command("CLIENT", "PAUSE", "" + time.toMillis(), "ALL");
        case 7 -> server.command("SCRIPT", "FLUSH");
        default -> {
          JavaProcess process = processes.get(which);
          during(time.multipliedBy(4), () -> process.signal("STOP"), () -> process.signal("CONT"));
        }
      }
    }

    private static void during(Duration time, Runnable begin, Runnable end) {
      begin.run();
      pass(time);
      end.run();
    }

    private static void healCut(FaultProxy proxy) {
      proxy.cutAll();
      proxy.heal();
    }

    private static void refuse(FaultProxy proxy) {
      proxy.refuse();
      proxy.cutAll();
    }

    private int written() {
      return NAMES.stream()
          .mapToInt(name -> ((Long) elsewhere.command("LLEN", name + " log")).intValue())
          .sum();
    }

    private void judge() {
      try (FencedNumber data = new FencedNumber(elsewhere.url())) {
        for (String name : NAMES) {
          List<String> log = data.log(name);
          assertThat(log).as(name).isNotEmpty();
          Stream<String> tokens = log.stream().map(line -> line.split(" ", -1)[0]);
          assertThat(tokens).as("%s, seed %s", name, seed).isSorted().doesNotHaveDuplicates();
          for (int i = 0; i < log.size(); i++) {
            assertThat(log.get(i)).as("%s, seed %s", name, seed).endsWith(" " + (i + 1));
          }
        }
      }
    }
  }
}
