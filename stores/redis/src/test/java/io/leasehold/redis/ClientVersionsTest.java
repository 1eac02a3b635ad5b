package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.RedisServer.Kind;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.testkit.contract.ContractRun;
import io.leasehold.testkit.contract.ScoreCard;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.StoreFixture;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client libraries, in the versions that applications have. */
class ClientVersionsTest {
  /** One test of each thing that a connection is used for. */
  private static final Set<String> RULES = Set.of("R01", "R03", "R11", "R14");

  private final RedisServer server = SharedServers.of(Kind.VALKEY_9);

  @ParameterizedTest
  @ValueSource(strings = {"5.2.0", "6.0.0", "6.2.0", "7.0.0", "7.5.3", "8.0.0"})
  void jedisKeepsThePromises(String version) throws Exception {
    try (Isolated library = Isolated.with("jedis-" + version + ".jar")) {
      requirePromises(prefix -> byUrl(library, prefix));
    }
  }

  /** Also in versions that lack a type of another method. */
  @ParameterizedTest
  @ValueSource(strings = {"5.2.0", "6.2.0", "7.0.0", "7.5.3", "8.0.0"})
  void anAddressOfJedisIsTaken(String version) throws Exception {
    requireTaken(AddressOfItsOwn.class, version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7.0.0", "7.5.3", "8.0.0"})
  void aPoolOfJedisIsTaken(String version) throws Exception {
    requireTaken(PoolOfItsOwn.class, version);
  }

  private void requireTaken(Class<?> type, String version) throws Exception {
    try (Isolated library = Isolated.with("jedis-" + version + ".jar");
        Closer client = new Closer(library.make(type));
        LockClient locks =
            Leasehold.builder(client.factory(server.url(), UUID.randomUUID() + ":")).build()) {
      locks.lock("a").acquire().release();
    }
  }

  /** It flushes what it sends when it is ended. */
  @Test
  void aPoolOfAnOlderJedisIsRefusedWithWhatToWrite() throws Exception {
    try (Isolated library = Isolated.with("jedis-6.2.0.jar");
        Closer client = new Closer(library.make(PoolOfItsOwn.class))) {
      requireRefused(
          () -> client.factory(server.url(), "old:"), "since Jedis 7", "RedisAddress.of");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"6.3.0", "6.8.2", "7.0.0"})
  void lettuceKeepsThePromises(String version) throws Exception {
    try (Isolated library = Isolated.with("lettuce-core-" + version + ".RELEASE.jar");
        Closer client = new Closer(library.make(LettuceOfItsOwn.class))) {
      requirePromises(prefix -> client.factory(server.url(), prefix));
    }
  }

  /** Also where Jedis is not on the class path. */
  @Test
  void lettuceNeedsNoJedis() throws Exception {
    try (Isolated library = Isolated.with("lettuce-core-7.0.0.RELEASE.jar");
        Closer client = new Closer(library.make(LettuceOfItsOwn.class))) {
      Leasehold.builder(client.factory(server.url(), "alone:")).build().close();
      assertThatThrownBy(() -> library.loadClass("redis.clients.jedis.Connection"))
          .isInstanceOf(ClassNotFoundException.class);
      requireRefused(() -> byUrl(library, "alone:"), "Jedis 5.2 to 8", "none");
    }
  }

  @Test
  void aJedisThatIsTooOldIsRefused() throws Exception {
    try (Isolated library = Isolated.with("jedis-5.1.5.jar")) {
      requireRefused(() -> byUrl(library, "old:"), "Jedis 5.2 to 8", "5.1.5");
    }
  }

  @Test
  void aLettuceThatIsTooOldIsRefused() throws Exception {
    try (Isolated library = Isolated.with("lettuce-core-6.2.7.RELEASE.jar");
        Closer client = new Closer(library.make(LettuceOfItsOwn.class))) {
      requireRefused(
          () -> client.factory(server.url(), "old:"), "Lettuce 6.3 to 7", "6.2.7.RELEASE");
    }
  }

  private static void requireRefused(Supplier<StoreFactory> factory, String... words) {
    assertThatThrownBy(() -> Leasehold.builder(factory.get()).build())
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.failure()).isEqualTo(Failure.REFUSED))
        .hasMessageContainingAll(words);
  }

  private StoreFactory byUrl(Isolated library, String prefix) {
    StoreProvider provider = (StoreProvider) library.make(RedisStoreProvider.class);
    return provider.factory(StoreUrl.parse(server.url() + "?prefix=" + prefix));
  }

  private static void requirePromises(Function<String, StoreFactory> byPrefix) throws Exception {
    ScoreCard card =
        ContractRun.on(() -> new StoreFixture(byPrefix.apply(UUID.randomUUID() + ":")))
            .withPatience(Duration.ofSeconds(60))
            .withTestsAtOnce(8)
            .only(test -> RULES.contains(test.substring(0, 3)))
            .run();
    assertThat(card.ended(Outcome.FAILED)).isEmpty();
    assertThat(card.ended(Outcome.PASSED)).hasSizeGreaterThan(15);
  }

  /** What the isolated side gave, behind types that both sides share. */
  private record Closer(Object made) implements AutoCloseable {
    StoreFactory factory(String url, String prefix) {
      return ((ByUrl) made).factory(url, prefix);
    }

    @Override
    public void close() throws Exception {
      ((AutoCloseable) made).close();
    }
  }

  /** Has the store, and one version of a client library; all else it shares. */
  private static final class Isolated extends URLClassLoader {
    private Isolated(URL[] urls) {
      super(urls, new Shared());
    }

    static Isolated with(String jar) {
      URL library = ClientVersionsTest.class.getResource("/clients/" + jar);
      List<URL> urls = new ArrayList<>(List.of(Objects.requireNonNull(library, jar)));
      urls.add(place(RedisStoreProvider.class));
      urls.add(place(ClientVersionsTest.class));
      urls.addAll(netty());
      return new Isolated(urls.toArray(URL[]::new));
    }

    /** It lets no two libraries of one class loader have attributes of the same name. */
    private static List<URL> netty() {
      String path =
          System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
      return Stream.of(path.split(File.pathSeparator, -1))
          .filter(entry -> entry.contains("/io/netty/"))
          .map(entry -> URI.create("file:" + entry))
          .map(ClientVersionsTest::url)
          .toList();
    }

    private static URL place(Class<?> type) {
      return type.getProtectionDomain().getCodeSource().getLocation();
    }

    Object make(Class<?> type) {
      try {
        return loadClass(type.getName()).getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(type.getName(), e);
      }
    }
  }

  private static URL url(URI uri) {
    try {
      return uri.toURL();
    } catch (MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  /** What is not of the store, nor of a client library. */
  private static final class Shared extends ClassLoader {
    private Shared() {
      super(ClientVersionsTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean isolated =
          name.startsWith("io.leasehold.redis.")
              || name.startsWith("redis.clients.jedis.")
              || name.startsWith("io.lettuce.")
              || name.startsWith("io.netty.");
      if (isolated && !name.equals(ByUrl.class.getName())) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }

    @Override
    public URL getResource(String name) {
      return null;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      return Collections.emptyEnumeration();
    }
  }

  /** Makes stores over a client of the application. */
  public interface ByUrl extends AutoCloseable {
    /** Of this server and prefix. */
    StoreFactory factory(String url, String prefix);
  }

  /** A pool of the Jedis that its class loader has. */
  @SuppressWarnings("deprecation") // since Jedis 8
  public static final class PoolOfItsOwn implements ByUrl {
    private redis.clients.jedis.JedisPool pool;

    @Override
    public synchronized StoreFactory factory(String url, String prefix) {
      pool = new redis.clients.jedis.JedisPool(URI.create(url));
      return RedisStores.usingPool(pool, prefix);
    }

    @Override
    public synchronized void close() {
      pool.close();
    }
  }

  /** An address in the words of the Jedis that its class loader has. */
  public static final class AddressOfItsOwn implements ByUrl {
    @Override
    public StoreFactory factory(String url, String prefix) {
      URI where = URI.create(url);
      return RedisStores.at(
          RedisAddress.of(
              new redis.clients.jedis.HostAndPort(where.getHost(), where.getPort()),
              redis.clients.jedis.DefaultJedisClientConfig.builder().build()),
          prefix);
    }

    @Override
    public void close() {
      // It has no connection
    }
  }

  /** A client of the Lettuce that its class loader has. */
  public static final class LettuceOfItsOwn implements ByUrl {
    private io.lettuce.core.RedisClient client;

    /** Connects when it is asked for a store. */
    public LettuceOfItsOwn() {
      // Its events are looked up in the application's class loader.
      System.setProperty("io.lettuce.core.jfr", "false");
    }

    @Override
    public synchronized StoreFactory factory(String url, String prefix) {
      if (client == null) {
        client = Lettuce.at(url);
      }
      return LettuceStores.using(client, prefix);
    }

    @Override
    public synchronized void close() {
      if (client != null) {
        client.shutdown();
      }
    }
  }
}
