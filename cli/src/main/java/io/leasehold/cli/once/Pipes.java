package io.leasehold.cli.once;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Two named pipes for the streams of a command. Those that Java makes for a process end with it:
 * what the process started, as a tee behind a shell, would then write to a closed pipe. To be
 * closed when all ends are open, which removes their names.
 */
public final class Pipes implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Pipes.class.getName());

  private final Path directory;

  private Pipes(Path directory) {
    this.directory = directory;
  }

  /**
   * Makes them, where only this user can open them.
   *
   * @throws IOException if the directory for temporary files cannot be written, or there is no
   *     mkfifo
   */
  public static Pipes make() throws IOException {
    Pipes pipes = new Pipes(Files.createTempDirectory("leasehold-"));
    try {
      pipes.makeFifos();
    } catch (IOException e) {
      pipes.close();
      throw e;
    }
    return pipes;
  }

  private void makeFifos() throws IOException {
    Process mkfifo =
        new ProcessBuilder("mkfifo", "-m", "600", out().toString(), err().toString())
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    if (mkfifo.onExit().join().exitValue() != 0) {
      throw new IOException("mkfifo failed in " + directory);
    }
  }

  /** For stdout. */
  public Path out() {
    return directory.resolve("out");
  }

  /** For stderr. */
  public Path err() {
    return directory.resolve("err");
  }

  /** Removes the names; what is open stays so. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(out());
      Files.deleteIfExists(err());
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a directory of pipes was not removed", e);
    }
  }
}
