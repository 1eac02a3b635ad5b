package io.leasehold.servers;

import io.leasehold.servers.SqlServer.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a {@link SqlServer} shall be like. */
public final class SqlServerBuilder {
  private final Kind kind;
  private final List<String> lines = new ArrayList<>();
  private boolean steppable;
  private boolean fillable;

  SqlServerBuilder(Kind kind) {
    this.kind = kind;
  }

  /** {@link SqlServer#stepClock} works. */
  public SqlServerBuilder withSteppableClock() {
    steppable = true;
    return this;
  }

  /** {@link SqlServer#fillDisk} works. */
  public SqlServerBuilder withFillableDisk() {
    fillable = true;
    return this;
  }

  /** A line of its configuration file: {@code name = value}. */
  public SqlServerBuilder config(String line) {
    lines.add(line);
    return this;
  }

  /** Starts it; returns once it answers. */
  public SqlServer start() {
    Optional<String> given = kind.givenUrl();
    if (given.isPresent()) {
      if (steppable || fillable || !lines.isEmpty()) {
        throw kind.notOurs("it cannot be configured");
      }
      return new SqlServer(
          kind, SqlAccess.given(given.get()), Optional.empty(), Optional.empty(), Optional.empty());
    }
    Path program = Programs.server(kind.program());
    SqlTemplate template = new SqlTemplate(kind.program(), kind.engine(), program);
    try {
      Path folder = Folders.temporary(kind.program());
      Optional<SteppableClock> clock =
          steppable ? Optional.of(new SteppableClock(folder)) : Optional.empty();
      Optional<NumberShim> disk =
          fillable ? Optional.of(new NumberShim("disk", folder)) : Optional.empty();
      Optional<Shim> session =
          kind.engine().hasProcessForEachClient() && Programs.has("gcc")
              ? Optional.of(new Shim("session", folder))
              : Optional.empty();
      ServerProcess.Launch launch =
          (port, data) -> {
            template.copyTo(data);
            for (String file : kind.engine().processFiles()) {
              Files.deleteIfExists(data.resolve(file));
            }
            ProcessBuilder builder =
                new ProcessBuilder(kind.engine().serve(program, folder, port, data, lines));
            clock.ifPresent(c -> c.addTo(builder.environment()));
            disk.ifPresent(d -> d.addTo(builder.environment()));
            session.ifPresent(s -> s.addTo(builder.environment()));
            return builder;
          };
      ServerProcess process =
          ServerProcess.start(folder, launch, port -> access(port).asAdministrator().answers());
      return new SqlServer(kind, access(process.port()), Optional.of(process), clock, disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SqlAccess access(int port) {
    return SqlAccess.local(kind.drivers().get(0), port);
  }
}
