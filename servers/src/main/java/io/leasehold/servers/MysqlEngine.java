package io.leasehold.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** MySQL and MariaDB. */
enum MysqlEngine implements SqlEngine {
  /** MySQL. */
  MYSQL {
    @Override
    public void initialise(Path program, Path folder, Path data) throws IOException {
      Path sql = Files.write(folder.resolve("accounts.sql"), ACCOUNTS);
      List<String> command = command(program, configuration(folder, program, data, List.of()));
      command.addAll(List.of("--initialize-insecure", "--init-file=" + sql));
      Programs.run(command, "mysqld --initialize");
    }

    @Override
    List<String> settings() {
      return List.of(
          "mysqlx=OFF",
          "secure-file-priv=NULL",
          "performance-schema=ON",
          "innodb-redo-log-capacity=16M",
          // Without TLS a proxy can read along, and there are no certificates to be made
          "auto-generate-certs=OFF",
          "tls-version=");
    }

    @Override
    public List<String> processFiles() {
      return List.of("server.sock.lock");
    }
  },

  /** MariaDB. */
  MARIADB {
    @Override
    public void initialise(Path program, Path folder, Path data) throws IOException {
      List<String> sql =
          new ArrayList<>(
              List.of("CREATE DATABASE mysql;", "USE mysql;", "SET @auth_root_socket=NULL;"));
      for (String tables : List.of("system_tables", "performance_tables", "system_tables_data")) {
        sql.addAll(Files.readAllLines(share(program).resolve("mysql_" + tables + ".sql")));
      }
      sql.add("FLUSH PRIVILEGES;"); // before that it knows of no accounts
      sql.addAll(ACCOUNTS);
      Path input = Files.write(folder.resolve("bootstrap.sql"), sql);
      Files.createDirectories(data);
      List<String> command = command(program, configuration(folder, program, data, List.of()));
      command.add("--bootstrap");
      Programs.run(
          new ProcessBuilder(command).redirectInput(input.toFile()), "mariadbd --bootstrap");
    }

    @Override
    List<String> settings() {
      return List.of("innodb-log-file-size=16M");
    }

    @Override
    public List<String> processFiles() {
      return List.of();
    }
  };

  private static final List<String> ACCOUNTS =
      List.of(
          "CREATE DATABASE " + DATABASE + ";",
          "CREATE USER '" + ADMINISTRATOR + "'@'%' IDENTIFIED BY '" + PASSWORD + "';",
          "GRANT ALL ON *.* TO '" + ADMINISTRATOR + "'@'%' WITH GRANT OPTION;",
          "CREATE USER '" + USER + "'@'%' IDENTIFIED BY '" + PASSWORD + "';",
          "GRANT ALL ON `leasehold%`.* TO '" + USER + "'@'%';");

  private static final List<String> SMALL_AND_DURABLE =
      List.of(
          "bind-address=127.0.0.1",
          "socket=server.sock", // in its data: a longer path may be too long for a socket
          "skip-name-resolve",
          "skip-log-bin",
          "max-connections=300",
          "innodb-buffer-pool-size=32M",
          "innodb-flush-log-at-trx-commit=1",
          "innodb-use-native-aio=OFF"); // which containers often lack

  /** What one of the two wants and the other does not know. */
  abstract List<String> settings();

  @Override
  public List<String> serve(Path program, Path folder, int port, Path data, List<String> lines)
      throws IOException {
    List<String> more = new ArrayList<>(List.of("port=" + port));
    more.addAll(lines);
    return command(program, configuration(folder, program, data, more));
  }

  final Path configuration(Path folder, Path program, Path data, List<String> lines)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("[mysqld]"));
    all.add("datadir=" + data);
    all.add("lc-messages-dir=" + share(program));
    all.addAll(SMALL_AND_DURABLE);
    all.addAll(settings());
    all.addAll(lines);
    return Files.write(folder.resolve("server.conf"), all);
  }

  private static List<String> command(Path program, Path configuration) throws IOException {
    List<String> command = new ArrayList<>();
    Stream.of(program, "--defaults-file=" + configuration).forEach(e -> command.add(e.toString()));
    if (Unprivileged.isRoot()) {
      command.add("--user=root"); // it wants to be told that this is meant
    }
    return command;
  }

  /** Its messages stand where they stand beside an installed program. */
  private static Path share(Path program) throws IOException {
    return program.toRealPath().resolve("../../share/mysql").normalize();
  }

  @Override
  public String stopSignal() {
    return "TERM";
  }

  @Override
  public String createDatabase(String name, String user) {
    return "CREATE DATABASE " + name;
  }

  @Override
  public String dropDatabase(String name) {
    return "DROP DATABASE " + name;
  }
}
