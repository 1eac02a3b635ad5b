package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A small library between one server and the C library, and a number that it reads. It needs gcc;
 * where that is missing the test is aborted, or fails where servers are required.
 */
final class Shim {
  private final String name;
  private final Path library;
  private final Path file;
  private final MappedByteBuffer number;

  /**
   * Makes it.
   *
   * @param name of its source, {@code name-shim/name-shim.c}
   * @param folder where its files may be
   */
  Shim(String name, Path folder) {
    Path source = Programs.checkout().resolve(name + "-shim/" + name + "-shim.c");
    this.name = name;
    library = folder.resolve(name + "-shim.so");
    file = folder.resolve(name);
    Programs.run(
        List.of("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString()),
        "gcc, which makes the shim of a server's " + name + " (apt install gcc libc6-dev),");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      number = channel.map(MapMode.READ_WRITE, 0, Long.BYTES);
      number.order(ByteOrder.nativeOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Puts a program behind it, and behind those that were added before. */
  void addTo(Map<String, String> environment) {
    environment.merge("LD_PRELOAD", library.toString(), (others, mine) -> others + ":" + mine);
    environment.put(name.toUpperCase(Locale.ROOT) + "_SHIM", file.toString());
  }

  long get() {
    return number.getLong(0);
  }

  void set(long value) {
    number.putLong(0, value);
  }
}
