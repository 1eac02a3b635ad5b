package io.leasehold.benchmarks.jdbc;

import io.leasehold.servers.SqlServer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What differs between the servers, for who measures them. */
public enum Database {
  /** PostgreSQL. */
  POSTGRESQL(SqlServer.Kind.POSTGRESQL_15) {
    @Override
    List<String> configuration() {
      return List.of("shared_preload_libraries = 'pg_stat_statements'", "fsync = on");
    }

    @Override
    List<String> preparation() {
      return List.of("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    }

    @Override
    String patience() {
      return "&loginTimeout=30";
    }

    @Override
    String countOfStatements() {
      return "SELECT 0, sum(calls) FROM pg_stat_statements WHERE toplevel";
    }

    @Override
    String version() {
      return "SELECT split_part(version(), ' on ', 1) || ', fsync=' || current_setting('fsync')";
    }

    @Override
    String timestamp(int digits) {
      return "TIMESTAMP";
    }
  },

  /** MySQL. */
  MYSQL(SqlServer.Kind.MYSQL_9),

  /** MariaDB. */
  MARIADB(SqlServer.Kind.MARIADB_10_11);

  private final SqlServer.Kind kind;

  Database(SqlServer.Kind kind) {
    this.kind = kind;
  }

  /** The one that a URL names. */
  public static Database of(String url) {
    return Stream.of(values())
        .filter(each -> url.startsWith("jdbc:" + each.name().toLowerCase(Locale.ROOT) + ":"))
        .findFirst()
        .orElseThrow();
  }

  SqlServer.Kind kind() {
    return kind;
  }

  /** More lines of its configuration. */
  List<String> configuration() {
    return List.of();
  }

  /** What its administrator does once. */
  List<String> preparation() {
    return List.of();
  }

  /**
   * Parameters of its URL: how long a new process may take for its first connection, which is not
   * measured, beside many that start.
   */
  String patience() {
    return "";
  }

  /** Asks how many statements clients have sent so far, in the second column. */
  String countOfStatements() {
    return "SHOW GLOBAL STATUS LIKE 'Questions'";
  }

  /** Asks what it is, and whether a commit waits for the disk. */
  String version() {
    return "SELECT CONCAT(@@version_comment, ' ', VERSION(), ', innodb_flush_log_at_trx_commit=',"
        + " @@innodb_flush_log_at_trx_commit)";
  }

  /**
   * The type of an instant.
   *
   * @param digits after the point, where they must be said
   */
  String timestamp(int digits) {
    return "DATETIME(" + digits + ")";
  }
}
