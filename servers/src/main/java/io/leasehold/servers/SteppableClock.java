package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The wall clock of one server. It needs gcc; where that is missing the test is aborted, or fails
 * where servers are required.
 */
public final class SteppableClock {
  private final Path library;
  private final Path file;
  private final MappedByteBuffer ahead;

  /**
   * A clock that goes with the machine's until it is stepped.
   *
   * @param folder where its files may be
   */
  public SteppableClock(Path folder) {
    Path source = Programs.checkout().resolve("clock-shim/clock-shim.c");
    library = folder.resolve("clock-shim.so");
    file = folder.resolve("clock");
    Programs.run(
        List.of("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "gcc, which makes a server's clock steppable (apt install gcc libc6-dev),");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ahead = channel.map(MapMode.READ_WRITE, 0, Long.BYTES);
      ahead.order(ByteOrder.nativeOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a program see this clock. */
  public void addTo(Map<String, String> environment) {
    environment.put("LD_PRELOAD", library.toString());
    environment.put("CLOCK_SHIM", file.toString());
  }

  /** Steps it, forwards or back; the step adds to earlier ones and outlives a restart. */
  public void step(Duration step) {
    ahead.putLong(0, Math.addExact(ahead.getLong(0), step.toNanos()));
  }
}
