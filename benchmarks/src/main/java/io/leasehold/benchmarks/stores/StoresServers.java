package io.leasehold.benchmarks.stores;

import io.leasehold.benchmarks.jdbc.Database;
import io.leasehold.benchmarks.jdbc.JdbcServer;
import io.leasehold.benchmarks.runner.Counts;
import io.leasehold.benchmarks.runner.Server;
import io.leasehold.benchmarks.sessions.SessionsServers;
import io.leasehold.servers.ConsulServer;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.MemcachedServer;
import io.leasehold.servers.RedisServer;
import io.leasehold.servers.ZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server for each store that has one, and a folder for the others.
 *
 * @param started what runs
 * @param folder for files
 */
record StoresServers(List<Started> started, Path folder) implements Server {
  /**
   * A store that can be used.
   *
   * @param store which
   * @param version of the server, or of the driver
   * @param url where it is
   * @param end ends it
   */
  private record Started(Store store, String version, String url, Runnable end) {}

  static StoresServers start(Collection<Store> stores) {
    try {
      Path folder = Files.createTempDirectory("leasehold-stores");
      StoresServers servers = new StoresServers(new ArrayList<>(), folder);
      try {
        stores.forEach(store -> servers.started.add(servers.start(store)));
        return servers;
      } catch (RuntimeException e) {
        servers.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Started start(Store store) {
    return switch (store) {
      case H2 -> file(store, "jdbc:h2:" + folder.resolve("h2") + ";AUTO_SERVER=TRUE", "jdbc:h2:x");
      case FILE -> file(store, "file:" + folder.resolve("locks.db"), "jdbc:sqlite:x");
      case POSTGRESQL, MYSQL -> {
        JdbcServer server = JdbcServer.start(Database.valueOf(store.name()));
        String url = server.url() + "&ddl=create";
        yield new Started(store, server.version(), url, server::close);
      }
      case REDIS -> {
        RedisServer server = RedisServer.of(RedisServer.Kind.REDIS_7_0).start();
        String url = "redis://127.0.0.1:" + server.port();
        yield new Started(store, "Redis 7.0", url, server::close);
      }
      case MEMCACHED -> {
        MemcachedServer server = MemcachedServer.start();
        String version = server.command("version").get(0).replace("VERSION", "memcached");
        yield new Started(store, version, server.url() + "?accept=unfenced", server::close);
      }
      case ZOOKEEPER -> {
        ZooKeeperServer server = SessionsServers.zooKeeperServer();
        String version = SessionsServers.versionOf(server);
        yield new Started(store, version, server.url(), server::close);
      }
      case ETCD -> {
        EtcdServer server = SessionsServers.etcdServer();
        String version = SessionsServers.versionOf(server);
        yield new Started(store, version, server.url(), server::close);
      }
      case CONSUL -> {
        ConsulServer server = SessionsServers.consulServer();
        String version = SessionsServers.versionOf(server);
        yield new Started(store, version, server.url(), server::close);
      }
    };
  }

  private static Started file(Store store, String url, String driver) {
    try {
      Driver found = DriverManager.getDriver(driver);
      String version = found.getMajorVersion() + "." + found.getMinorVersion();
      String name = store == Store.H2 ? "H2 " : "SQLite ";
      return new Started(store, name + version, url, () -> {});
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String version() {
    return started.stream().map(Started::version).collect(Collectors.joining("; "));
  }

  @Override
  public String url() {
    return started.stream().map(each -> each.store.part(each.url)).collect(Collectors.joining(" "));
  }

  /** Nothing is counted. */
  @Override
  public String quietUrl() {
    return url();
  }

  @Override
  public Counts count(Work work) {
    throw new UnsupportedOperationException("nothing that all stores have can be counted");
  }

  @Override
  public void close() {
    started.forEach(each -> each.end.run());
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
