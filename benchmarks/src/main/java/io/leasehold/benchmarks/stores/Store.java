package io.leasehold.benchmarks.stores;

import io.leasehold.Leasehold;
import io.leasehold.benchmarks.runner.Client;
import io.leasehold.benchmarks.runner.Contender;
import io.leasehold.benchmarks.runner.LeaseholdClient;
import io.leasehold.benchmarks.runner.Library;
import java.time.Duration;
import java.util.stream.Stream;

/** Where Leasehold keeps its locks. */
enum Store implements Contender, Library {
  /** A file of H2, which the first process serves to the others. */
  H2("H2", 1),
  /** PostgreSQL. */
  POSTGRESQL("PostgreSQL", 1),
  /** MySQL. */
  MYSQL("MySQL", 1),
  /** A file of SQLite. */
  FILE("file", 1),
  /** Redis, which keeps nothing on the disk. */
  REDIS("Redis", 1),
  /** The same without tokens. */
  MEMCACHED("memcached", 1),
  /** One ZooKeeper server. */
  ZOOKEEPER("ZooKeeper", 4),
  /** One etcd. */
  ETCD("etcd", 2),
  /** One Consul server. */
  CONSUL("Consul", 10);

  private final String title;
  private final Duration shortest;

  Store(String title, int shortestSeconds) {
    this.title = title;
    this.shortest = Duration.ofSeconds(shortestSeconds);
  }

  @Override
  public String title() {
    return title;
  }

  /** What a server takes by default, and a second at least. */
  Duration shortestTtl() {
    return shortest;
  }

  @Override
  public Library library() {
    return this;
  }

  @Override
  public Class<?> type() {
    return Leasehold.class;
  }

  @Override
  public boolean isOurs() {
    return true;
  }

  /** Its part of the URL of all. */
  String part(String url) {
    return name() + "=" + url;
  }

  /** Takes the parts of all, with blanks between them. */
  @Override
  public Client connect(String urls, Duration ttl) {
    String mine = part("");
    String url = Stream.of(urls.split(" ")).filter(each -> each.startsWith(mine)).findAny().get();
    return LeaseholdClient.connect(url.substring(mine.length()), ttl);
  }
}
