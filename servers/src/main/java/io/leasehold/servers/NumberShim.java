package io.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;

/** A {@link Shim} that reads a number. */
final class NumberShim {
  private final Shim shim;
  private final String variable;
  private final Path file;
  private final MappedByteBuffer number;

  /** Makes it, as {@link Shim#Shim}. */
  NumberShim(String name, Path folder) {
    shim = new Shim(name, folder);
    variable = name.toUpperCase(Locale.ROOT) + "_SHIM";
    file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      number = channel.map(MapMode.READ_WRITE, 0, Long.BYTES);
      number.order(ByteOrder.nativeOrder());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** See {@link Shim#addTo}. */
  void addTo(Map<String, String> environment) {
    shim.addTo(environment);
    environment.put(variable, file.toString());
  }

  long get() {
    return number.getLong(0);
  }

  void set(long value) {
    number.putLong(0, value);
  }
}
