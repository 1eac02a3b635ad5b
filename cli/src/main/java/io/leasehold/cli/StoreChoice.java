package io.leasehold.cli;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.event.LockListener;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/**
 * Which store the command works on: {@code --store}, else {@code LEASEHOLD_STORE}, else a file of
 * this user's.
 */
final class StoreChoice {
  private final Arguments arguments;
  private final Map<String, String> environment;

  StoreChoice(Arguments arguments, Map<String, String> environment) {
    this.arguments = arguments;
    this.environment = environment;
  }

  /** Opens it. */
  LockClient open(LockListener listener) {
    LockClientBuilder builder = Leasehold.builder(url()).listener(listener);
    arguments
        .value(Option.ACCEPT)
        .ifPresent(
            weakness -> {
              if (!weakness.equals("unfenced")) {
                throw new UsageException("--accept takes only unfenced");
              }
              builder.accept(Trait.UNFENCED);
            });
    return builder.build();
  }

  private String url() {
    Optional<String> given = arguments.value(Option.STORE).or(() -> variable("LEASEHOLD_STORE"));
    // In a path of a store URL, these two would mean something
    return given.orElseGet(() -> "file:" + ownFile().replace("%", "%25").replace("?", "%3F"));
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** A file that only this user may read, made if it is not there. */
  private String ownFile() {
    Path state =
        variable("XDG_STATE_HOME")
            .filter(path -> path.startsWith("/")) // the XDG specification: ignore a relative one
            .map(Path::of)
            .orElseGet(() -> home().resolve(".local").resolve("state"));
    Path directory = state.resolve("leasehold");
    Path file = directory.resolve("locks.db");
    if (!Files.exists(file)) {
      make(directory, file);
    }
    return file.toString();
  }

  private Path home() {
    return Path.of(variable("HOME").orElse(System.getProperty("user.home", ".")));
  }

  private static void make(Path directory, Path file) {
    try {
      Files.createDirectories(directory, owner("rwx------"));
      Files.createFile(file, owner("rw-------"));
    } catch (FileAlreadyExistsException e) {
      // Another process was faster
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Failure.UNAVAILABLE,
          "cannot make the default store "
              + file
              + " ("
              + e.getClass().getSimpleName()
              + "); name another with --store or LEASEHOLD_STORE",
          e);
    }
  }

  private static FileAttribute<?>[] owner(String permissions) {
    if (File.separatorChar != '/') {
      return new FileAttribute<?>[0];
    }
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
    };
  }
}
