package io.leasehold.redis;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts have short ways for the common cases. Random histories are run by the scripts as they
 * are and by the same scripts without these ways: answers, messages and keys must be the same. The
 * clock is a part of each script's text here, and all times are multiples of five seconds, to which
 * the lives of keys are rounded: so both see the same time.
 */
class FastPathsTest extends ServerTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private static final long UNIT_MILLIS = 5_000;

  private static final String PUBLISH =
      "redis.pcall(string.find(channel, '}', 1, true) and 'SPUBLISH' or 'PUBLISH', ";

  private static final String PTTL = "redis.call('PTTL', ";

  /** Of what real time has taken. */
  private static final String ROUNDED =
      "local function rounded(key) local left = redis.call('PTTL', key) if left < 0 then return left"
          + " end return math.ceil(left / 5000) * 5000 end ";

  /** Lets keys age. */
  private static final String PASS =
      ROUNDED
          + "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do local left = rounded(key)"
          + " if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[2]) end end return 1";

  /** Which keys there are, how long they live, what they hold, and what was published. */
  private static final String ALL =
      ROUNDED
          + "local function readable(value) return (string.gsub(value, '[^%w %-_]', function(c)"
          + " return '.' .. string.byte(c) end)) end "
          + "local all = redis.call('KEYS', ARGV[1] .. '*') table.sort(all) for i, key in ipairs(all)"
          + " do all[i] = { string.sub(key, #ARGV[1] + 1), rounded(key), string.find(key, ':log:') and"
          + " redis.call('LRANGE', key, 0, -1) or '', readable(redis.call('MGET', key)[1] or '') } end"
          + " return all";

  /** The id of a name's first holder; empty if it has none. */
  private static final String HOLDER =
      "return string.match(redis.call('MGET', KEYS[1])[1] or '', string.rep('%x', 32)) or ''";

  private static final int STEPS = 140;

  private static final int TICKETS = 12;

  /** What begins a short way, and what keeps the script out of it. */
  private static final Map<String, String> WITHOUT =
      Map.of(
          "if not raw and mode == 'x' and not several then", "if false then",
          "if fairly and raw then", "if false then",
          "if string.sub(raw, 1, 1) == 'x' then", "if false then",
          "if string.sub(raw, 1, 2) == '\\161w' then", "if false then",
          "if raw and string.sub(raw, 1, 1) == 'x' then", "if false then");

  private final Wire wire;

  FastPathsTest() {
    super(RedisServer.of(Kind.REDIS_7_0));
    StoreUrl url = StoreUrl.parse(server.url());
    wire = new JedisWire(ServerAddress.of(url, Map.of(), Set.of()), new SystemClock());
  }

  @AfterAll
  void closeWire() {
    wire.close();
  }

  /** One of the two, with keys of its own. */
  private final class Variant {
    private final boolean shortWays;
    private final Keys keys;

    Variant(boolean shortWays) {
      this.shortWays = shortWays;
      this.keys = new Keys(prefix() + (shortWays ? "short:" : "long:"));
    }

    Object run(Script script, List<byte[]> touched, List<byte[]> arguments, long micros) {
      String text = Command.text(script.teach(touched, arguments).arguments().get(0));
      if (!shortWays) {
        int before = text.length();
        for (Map.Entry<String, String> way : WITHOUT.entrySet()) {
          text = text.replace(way.getKey(), way.getValue());
        }
        boolean hasSome = Set.of(Script.ATTEMPT, Script.RELEASE, Script.RENEW).contains(script);
        assertThat(text.length() != before).as("%s has short ways", script).isEqualTo(hasSome);
      }
      text =
          ROUNDED
              + text.replace(
                      "redis.call('TIME')",
                      "{ '" + micros / 1_000_000 + "', '" + micros % 1_000_000 + "' }")
                  .replace(PTTL, "rounded(")
                  .replace("CONFIRM = 2500000", "CONFIRM = 20000000")
                  .replace(PUBLISH, "redis.pcall('RPUSH', '" + log() + "' .. ");
      Command command = Script.command(Command.Name.EVAL, Command.bytes(text), touched, arguments);
      Object reply = send(command);
      if (reply instanceof byte[] message && script == Script.RELEASE) {
        // The releasing client hears of the next by the answer
        String heard = Command.text(message);
        server.command("RPUSH", log() + One.channelOf(heard), heard);
        return "1";
      }
      return readable(reply);
    }

    private String log() {
      return keys.prefix() + "log:";
    }

    void pass(long millis) {
      server.command("EVAL", PASS, "0", keys.prefix(), "" + millis);
    }

    String all() {
      return String.valueOf(server.command("EVAL", ALL, "0", keys.prefix()));
    }
  }

  private Object send(Command command) {
    return wire.send(List.of(command), WITHIN).toCompletableFuture().join().get(0);
  }

  private static Object readable(Object reply) {
    if (reply instanceof List<?> list) {
      return list.stream().map(FastPathsTest::readable).toList().toString();
    }
    return reply instanceof byte[] text ? Command.text(text) : String.valueOf(reply);
  }

  private static List<byte[]> texts(Object... all) {
    List<byte[]> texts = new ArrayList<>();
    for (Object each : all) {
      texts.add(each instanceof byte[] text ? text : Command.bytes(each.toString()));
    }
    return texts;
  }

  /** A ticket of a history. */
  private record One(int number, String mode, int fair) {
    String id() {
      return new LeaseId(number % 3, number + 1).toString();
    }

    String channel() {
      return channelOf(id());
    }

    /** Some live so shortly that they often expire before the others. */
    int ttl() {
      return number % 2 == 0 ? 300_000 : 40_000;
    }

    /** Of the client whose ticket this is. */
    static String channelOf(String id) {
      return "channel-" + id.charAt(15);
    }

    /** Whether they want the same, for one client. */
    boolean comesWith(One other) {
      return number != other.number
          && mode.equals("x")
          && other.mode.equals("x")
          && fair == other.fair
          && channel().equals(other.channel());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void shortWaysAndLongOnesDoTheSame(long seed) {
    Random random = new Random(seed);
    // Most histories are of exclusive tickets, which the short ways are for
    String modes = seed % 3 == 0 ? "xxsp" : "x";
    List<One> tickets = new ArrayList<>();
    for (int i = 0; i < TICKETS; i++) {
      String mode = "" + modes.charAt(random.nextInt(modes.length()));
      tickets.add(new One(i, mode, random.nextInt(2)));
    }
    List<Variant> both = List.of(new Variant(true), new Variant(false));
    long micros = 1_700_000_000_000_000L;
    List<String> history = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      long passes =
          UNIT_MILLIS * (random.nextInt(15) == 0 ? random.nextInt(80) : random.nextInt(3));
      micros += passes * 1000;
      both.forEach(each -> each.pass(passes));
      One one = tickets.get(random.nextInt(TICKETS));
      int what = random.nextInt(24);
      List<One> together = new ArrayList<>(List.of(one));
      if (what >= 19) {
        tickets.stream().filter(other -> other.comesWith(one)).forEach(together::add);
        Collections.shuffle(together, random);
      }
      Object shortly = step(both.get(0), tickets, together, what, micros);
      Object atLength = step(both.get(1), tickets, together, what, micros);
      history.add(passes + " ms later " + what + " by " + together + ": " + shortly);
      assertThat(atLength).as("%s", history).isEqualTo(shortly);
      assertThat(both.get(1).all()).as("%s", history).isEqualTo(both.get(0).all());
    }
  }

  private Object step(
      Variant variant, List<One> tickets, List<One> together, int what, long micros) {
    Keys.OfName of = variant.keys.of("a");
    One one = together.get(0);
    byte[] id = Command.bytes(one.id());
    if (what < 8 || what >= 19) {
      List<byte[]> ids = together.stream().map(each -> Command.bytes(each.id())).toList();
      String rest = (one.mode().equals("p") ? " 1 2" : " 1 1") + (what == 7 ? " try " : " queue ");
      List<byte[]> asked = texts("0 " + one.mode() + rest + one.fair() + " " + one.channel(), "");
      together.forEach(each -> asked.addAll(texts(each.id(), each.ttl(), "holder")));
      return variant.run(Script.ATTEMPT, of.touchedWith(ids), asked, micros);
    }
    if (what < 13) {
      return variant.run(Script.RELEASE, of.touched(), released(tickets, one, of, what), micros);
    }
    if (what < 16) {
      List<byte[]> asked = texts(1, id, one.ttl(), 0);
      List<byte[]> touched = List.of(of.state(), of.counter(), of.order(), of.waiters());
      return variant.run(Script.RENEW, touched, asked, micros);
    }
    if (what == 16) {
      return variant.run(Script.WITHDRAW, of.touchedWith(List.of(id)), texts(id, 60_000), micros);
    }
    List<byte[]> touched = List.of(of.state(), of.order(), of.waiters());
    return variant.run(Script.LIST, touched, List.of(), micros);
  }

  /**
   * A lease, mostly one that is held, and what was served along it: those that wait first, or the
   * last. Only fair ones are served so.
   */
  private List<byte[]> released(List<One> tickets, One one, Keys.OfName of, int what) {
    Object holder = server.command("EVAL", HOLDER, "1", Command.text(of.state()));
    List<byte[]> ids = texts(what == 8 || holder.equals("") ? one.id() : holder);
    if (what >= 10) {
      String first = what == 12 ? "-1" : "0";
      String last = what == 12 ? "-1" : "" + (what - 10);
      Object served = server.command("LRANGE", Command.text(of.order()), first, last);
      Set<String> fair =
          tickets.stream().filter(each -> each.fair() == 1).map(One::id).collect(toSet());
      ids.addAll(texts(((List<?>) served).stream().takeWhile(fair::contains).toArray()));
    }
    return ids;
  }
}
