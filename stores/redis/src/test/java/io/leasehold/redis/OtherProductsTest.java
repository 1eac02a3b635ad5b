package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.Lease;
import io.leasehold.LeaseLostException;
import io.leasehold.Leasehold;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.internal.Engine;
import io.leasehold.redis.Command.Name;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Servers that speak the protocol and are neither Redis nor Valkey. None of them is here: a server
 * answers as their documentation says.
 */
class OtherProductsTest extends ServerTest {
  OtherProductsTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
  }

  /** Says more in INFO; of two lines the later counts. */
  private class Product extends FakeServer {
    private final String info;

    Product(String info) {
      super(
          new JedisWire(
              ServerAddress.of(
                  StoreUrl.parse(server.url() + "?prefix=" + prefix()), Map.of(), Set.of()),
              new SystemClock()));
      this.info = info;
    }

    @Override
    @Nullable Object answer(Command command) {
      Object answer = super.answer(command);
      return command.name() == Name.INFO
          ? Command.bytes(Command.text(answer) + info.replace(" ~ ", "\r\n") + "\r\n")
          : answer;
    }

    final Engine client() {
      Keys keys = new Keys(prefix());
      return add(
          Leasehold.builder(
                  listener ->
                      RedisStore.open(this, keys, Optional.empty(), new SystemClock(), listener))
              .ttl(Duration.ofMinutes(10)));
    }
  }

  /** Has CAD and CAS of native strings. */
  private final class Tair extends Product {
    private static final String CAD =
        "local v = redis.call('GET', KEYS[1]) if not v then return -1 end"
            + " if v ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])";

    private static final String CAS =
        "local v = redis.call('GET', KEYS[1]) if not v then return -1 end if v ~= ARGV[1] then"
            + " return 0 end redis.call('SET', KEYS[1], ARGV[2], ARGV[3], ARGV[4]) return 1";

    /** Of its older versions CAS has no PX. */
    private final boolean old;

    Tair(boolean old) {
      super("redis_version:5.0.5");
      this.old = old;
    }

    @Override
    @Nullable Object answer(Command command) {
      List<byte[]> all = command.arguments();
      return switch (command.name()) {
        case COMMAND -> {
          List<@Nullable Object> known = new ArrayList<>();
          for (byte[] name : all.subList(1, all.size())) {
            known.add(Command.text(name).equals("CAD") ? List.of(name) : null);
          }
          yield known;
        }
        case CAD -> super.answer(run(CAD, all));
        case CAS ->
            old && all.size() > 3
                ? new ServerError("ERR wrong number of arguments for 'CAS' command")
                : super.answer(run(CAS, all));
        default -> super.answer(command);
      };
    }

    private Command run(String script, List<byte[]> all) {
      return Script.command(
          Name.EVAL, Command.bytes(script), all.subList(0, 1), all.subList(1, all.size()));
    }
  }

  private static Finding server(Engine client) {
    return client.diagnose().stream()
        .filter(found -> found.check().equals("server"))
        .findAny()
        .orElseThrow();
  }

  @Test
  void tairComparesByItself() throws Exception {
    Tair tair = new Tair(false);
    Engine client = tair.client();
    assertThat(server(client).detail()).startsWith("Tair, which calls itself Redis 5.0.5");
    int before = tair.asked().size();
    Lease lease = client.lock("a").acquire();
    renew(lease);
    assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(9));
    lease.release();
    assertThat(tair.asked().subList(before, tair.asked().size()))
        .containsExactly(Name.EVALSHA, Name.CAS, Name.CAD);
    requireNothingInTheStore();
    requireNothingLeft(client);
  }

  /** Its 0 and -1 are no renewal: the script has the last word. */
  @Test
  void aLeaseThatIsGoneOnTairIsLost() throws Exception {
    Tair tair = new Tair(false);
    Engine client = tair.client();
    for (String name : List.of("renewed", "released")) {
      Lease lease = client.lock(name).acquire();
      assertThat(client().lock(name).breakLease(lease.fencingToken())).isTrue();
      if (name.equals("renewed")) {
        assertThatThrownBy(() -> renew(lease)).isInstanceOf(LeaseLostException.class);
      } else {
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
      }
    }
    assertThat(tair.asked()).contains(Name.CAS, Name.CAD);
  }

  @Test
  void anOldTairGetsScriptsAfterTheFirstRefusal() throws Exception {
    Tair tair = new Tair(true);
    Engine client = tair.client();
    for (int i = 0; i < 3; i++) {
      Lease lease = client.lock("a").acquire();
      renew(lease);
      lease.release();
    }
    assertThat(tair.asked()).containsOnlyOnce(Name.CAS).doesNotContain(Name.CAD);
    requireNothingInTheStore();
  }

  @ParameterizedTest
  @CsvSource({
    "dragonfly_version:df-v1.40.1 ~ redis_version:7.4.0,'Dragonfly df-v1.40.1, which calls'",
    "mvcc_depth:0 ~ redis_version:6.3.4,'KeyDB, which calls itself Redis 6.3.4'",
    "executable:/data/keydb-server,'KeyDB, which calls itself'",
    "os:Amazon ElastiCache,'Amazon ElastiCache, which calls itself'",
    "os:Amazon MemoryDB,'Amazon MemoryDB, which calls itself'",
  })
  void aProductIsNamed(String info, String named) throws Exception {
    Engine client = new Product(info).client();
    assertThat(server(client).level()).isEqualTo(Level.WARNING);
    assertThat(server(client).detail()).startsWith(named).contains("was not tested on it");
    client.lock("a").acquire().release();
  }

  /** As ElastiCache, MemoryDB and Azure. */
  @Test
  void withoutConfigItIsSaidWhatIsNotKnown() {
    Product product =
        new Product("") {
          @Override
          @Nullable Object answer(Command command) {
            return command.name() == Name.CONFIG
                ? new ServerError("ERR unknown command 'CONFIG', with args beginning with: 'GET'")
                : super.answer(command);
          }
        };
    Finding found = server(product.client());
    assertThat(found.level()).isEqualTo(Level.WARNING);
    assertThat(found.detail()).startsWith("Redis 7.0").contains("has no CONFIG");
  }

  @Test
  void serversThatAllAcceptWritesAreRefused() {
    assertThatThrownBy(() -> new Product("mvcc_depth:0 ~ role:active-replica").client())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContaining("KeyDB with active-replica")
        .hasMessageContaining("set active-replica no");
  }
}
