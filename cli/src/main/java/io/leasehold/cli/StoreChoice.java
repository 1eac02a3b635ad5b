package io.leasehold.cli;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.event.LockListener;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.spi.StoreUrl;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Which store the command works on: {@code --store} or {@code --store-file}, else {@code
 * LEASEHOLD_STORE} or {@code LEASEHOLD_STORE_FILE}, else a file of this user's.
 */
final class StoreChoice {
  static final String URL = "LEASEHOLD_STORE";
  private static final String FILE = "LEASEHOLD_STORE_FILE";

  /** On a machine that is very busy, commands that write to one file wait long for each other. */
  static final Duration LONGEST_REQUEST = Duration.ofSeconds(10);

  /**
   * How much longer a command takes where the store has gone away: it then goes on withdrawing what
   * it asked for.
   */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

  private final Arguments arguments;
  private final Map<String, String> environment;

  StoreChoice(Arguments arguments, Map<String, String> environment) {
    this.arguments = arguments;
    this.environment = environment;
  }

  /** Opens it. */
  LockClient open(LockListener listener) {
    LockClientBuilder builder = builder().listener(listener);
    arguments
        .value(Option.ACCEPT)
        .ifPresent(
            weakness -> {
              if (!weakness.equals("unfenced")) {
                throw new UsageException("--accept takes only unfenced");
              }
              builder.acceptUnfenced();
            });
    return builder.build();
  }

  /** Opens it to look at it, and not to rely on it. */
  LockClient openWhateverItLacks() {
    return builder().acceptUnfenced().build();
  }

  /** Opens it for what is done once. */
  IdempotencyStore openIdempotency() {
    makeOwnFile();
    String url = url();
    if (url.toLowerCase(Locale.ROOT).startsWith("memory:")) {
      throw new UsageException("memory: forgets everything when this process ends");
    }
    return IdempotencyStores.open(url);
  }

  /** Its URL, without what must not be shown. */
  String shown() {
    return StoreUrl.parse(url()).toString();
  }

  /** What creates its tables, where it has any; it is not opened. */
  Optional<String> ddl() {
    return Leasehold.ddl(url()).map(locks -> locks + "\n" + IdempotencyStores.ddl(url()));
  }

  private LockClientBuilder builder() {
    makeOwnFile();
    return Leasehold.builder(url()).requestTimeout(LONGEST_REQUEST).closeTimeout(LONGEST_CLOSE);
  }

  private void makeOwnFile() {
    if (given().isEmpty() && !Files.exists(ownFile())) {
      make(ownDirectory(), ownFile());
    }
  }

  private String url() {
    // In a path of a store URL, these two would mean something
    return given()
        .orElseGet(() -> "file:" + ownFile().toString().replace("%", "%25").replace("?", "%3F"));
  }

  private Optional<String> given() {
    Optional<String> url = arguments.value(Option.STORE);
    Optional<String> file = arguments.value(Option.STORE_FILE);
    boolean named = url.isPresent() || file.isPresent();
    if (!named) {
      url = variable(URL);
      file = variable(FILE);
    }
    if (url.isPresent() && file.isPresent()) {
      throw new UsageException(
          (named ? "--store and --store-file" : URL + " and " + FILE)
              + " both name a store: give one of the two");
    }
    if (url.isEmpty() && file.isEmpty() && environment.containsKey(ChildEnvironment.WITHHELD)) {
      throw new UsageException(
          "this runs inside a leasehold run whose "
              + URL
              + " holds a secret, which is not passed on: name the store with --store or --store-file,"
              + " or set "
              + FILE
              + " for both");
    }
    return file.isPresent() ? file.map(StoreChoice::firstLine) : url;
  }

  private static String firstLine(String file) {
    try (BufferedReader lines = Files.newBufferedReader(Path.of(file))) {
      String line = lines.readLine();
      if (line == null || line.isBlank()) {
        throw new UsageException("the store file " + file + " has no store URL in its first line");
      }
      return line.strip();
    } catch (IOException | InvalidPathException e) {
      throw new UsageException(
          "cannot read the store file " + file + " (" + e.getClass().getSimpleName() + ")");
    }
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** The file that is the store when none is named. */
  private Path ownFile() {
    return ownDirectory().resolve("locks.db");
  }

  private Path ownDirectory() {
    Path state =
        variable("XDG_STATE_HOME")
            .filter(path -> path.startsWith("/")) // the XDG specification: ignore a relative one
            .map(Path::of)
            .orElseGet(() -> home().resolve(".local").resolve("state"));
    return state.resolve("leasehold");
  }

  private Path home() {
    // What Java has where the user has none is a question mark
    String home = variable("HOME").orElse(System.getProperty("user.home", ""));
    if (!home.startsWith("/")) {
      throw new UsageException(
          "HOME is not an absolute path, so there is no place for the default store: name a store"
              + " with --store or LEASEHOLD_STORE");
    }
    return Path.of(home);
  }

  /** Makes a file that only this user may read. */
  private static void make(Path directory, Path file) {
    try {
      Files.createDirectories(directory, owner("rwx------"));
      Files.createFile(file, owner("rw-------"));
    } catch (FileAlreadyExistsException e) {
      // Another process was faster
    } catch (IOException e) {
      throw new StoreException(
          isForbidden(e) ? StoreException.Failure.REFUSED : StoreException.Failure.UNAVAILABLE,
          "cannot make the default store "
              + file
              + " ("
              + e.getClass().getSimpleName()
              + "); name another with --store or LEASEHOLD_STORE",
          e);
    }
  }

  private static boolean isForbidden(IOException e) {
    return e instanceof AccessDeniedException
        || String.valueOf(e.getMessage()).endsWith("Read-only file system");
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
