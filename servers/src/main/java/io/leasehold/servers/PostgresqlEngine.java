package io.leasehold.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL. */
enum PostgresqlEngine implements SqlEngine {
  /** The only one. */
  POSTGRESQL;

  private static final List<String> ACCOUNTS =
      List.of(
          "CREATE ROLE " + USER + " LOGIN CREATEDB PASSWORD '" + PASSWORD + "';",
          "CREATE DATABASE " + DATABASE + " OWNER " + USER + ";");

  private static final List<String> SMALL =
      List.of(
          "listen_addresses = '127.0.0.1'",
          "unix_socket_directories = ''",
          "max_connections = 300",
          "shared_buffers = 32MB",
          "dynamic_shared_memory_type = mmap", // in its folder: a kill leaves the other kind behind
          "fsync = off", // what the kernel has outlives a kill; with it each restart takes seconds
          "max_wal_senders = 0",
          "wal_level = minimal",
          "jit = off");

  @Override
  public void initialise(Path program, Path folder, Path data) throws IOException {
    Path initdb = program.toRealPath().resolveSibling("initdb");
    Path password = Files.writeString(folder.resolve("password"), PASSWORD);
    List<String> command = new ArrayList<>(List.of(initdb.toString(), "--pgdata=" + data));
    command.addAll(List.of("--username=" + ADMINISTRATOR, "--pwfile=" + password));
    command.addAll(List.of("--auth=scram-sha-256", "--encoding=UTF8", "--no-locale"));
    command.addAll(List.of("--no-sync", "--wal-segsize=1"));
    Programs.run(Unprivileged.command(command), "initdb");

    Path sql = Files.write(folder.resolve("accounts.sql"), ACCOUNTS);
    command = List.of(program.toString(), "--single", "-D", data.toString(), "postgres");
    List<String> strict = new ArrayList<>(command);
    strict.addAll(4, List.of("-c", "exit_on_error=true"));
    Programs.run(
        new ProcessBuilder(Unprivileged.command(strict)).redirectInput(sql.toFile()),
        "postgres --single");
  }

  @Override
  public List<String> serve(Path program, Path folder, int port, Path data, List<String> lines)
      throws IOException {
    List<String> all = new ArrayList<>(SMALL);
    all.add("port = " + port);
    all.addAll(lines);
    Path configuration = Files.write(folder.resolve("server.conf"), all);
    return Unprivileged.command(
        List.of(program.toString(), "-D", data.toString(), "-c", "config_file=" + configuration));
  }

  @Override
  public List<String> processFiles() {
    return List.of("postmaster.pid");
  }

  @Override
  public boolean hasProcessForEachClient() {
    return true;
  }

  /** By the usual one it would wait for its clients to leave. */
  @Override
  public String stopSignal() {
    return "INT";
  }

  @Override
  public String createDatabase(String name, String user) {
    return "CREATE DATABASE " + name + " OWNER \"" + user + '"';
  }

  @Override
  public String dropDatabase(String name) {
    return "DROP DATABASE " + name + " WITH (FORCE)";
  }
}
