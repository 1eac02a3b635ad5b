package io.leasehold.servers;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * The wall clock of a program that calls the vDSO, the kernel's code in each process, and not the C
 * library: so do programs in Go, which no {@link Shim} reaches. It writes a jump over {@code
 * __vdso_clock_gettime} in the memory of one process, to code that asks the kernel and adds a
 * number of seconds to the wall clock; the monotonic clock is left alone.
 *
 * <p>It needs Linux on x86-64; the test is aborted elsewhere. A step ends with the process.
 */
final class VdsoClock {
  private static final String FUNCTION = "__vdso_clock_gettime";

  /** {@code call clock_gettime; if (edi == CLOCK_REALTIME) [rsi] += [number]; return}. */
  private static final byte[] CODE = {
    (byte) 0xb8,
    (byte) 228,
    0,
    0,
    0, // mov eax, 228
    0x0f,
    0x05, // syscall
    (byte) 0x85,
    (byte) 0xff, // test edi, edi
    0x75,
    10, // jne to the ret
    0x48,
    (byte) 0x8b,
    0x0d,
    -26,
    -1,
    -1,
    -1, // mov rcx, [the 8 bytes before this code]
    0x48,
    0x01,
    0x0e, // add [rsi], rcx
    (byte) 0xc3 // ret
  };

  private static final byte JUMP = (byte) 0xe9;
  private static final int JUMP_BYTES = 5;

  /** At the end of the last page, which the kernel's code does not fill: the number, our code. */
  private static final int ROOM = 64;

  private static final int DYNAMIC_SYMBOLS = 11;
  private static final int SECTION_BYTES = 64;
  private static final int SYMBOL_BYTES = 24;

  private final RandomAccessFile memory;
  private final long start;
  private final ByteBuffer image;
  private final int function;
  private final int number;

  private VdsoClock(RandomAccessFile memory, long start, long end) throws IOException {
    this.memory = memory;
    this.start = start;
    byte[] bytes = new byte[Math.toIntExact(end - start)];
    memory.seek(start);
    memory.readFully(bytes);
    image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    function = find();
    number = bytes.length - ROOM;
  }

  /** Steps it by whole seconds, forwards or back; the step adds to earlier ones. */
  static void step(ServerProcess server, Duration step) {
    if (!System.getProperty("os.arch").equals("amd64")) {
      throw new TestAbortedException("the clock of a Go program is stepped on x86-64 only");
    }
    server.pause();
    try (RandomAccessFile memory = new RandomAccessFile("/proc/" + server.pid() + "/mem", "rw")) {
      VdsoClock clock = of(server, memory);
      while (clock.isInTheWay(server)) {
        server.resume();
        server.pause();
      }
      clock.add(step.toSeconds());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      server.resume();
    }
  }

  private static VdsoClock of(ServerProcess server, RandomAccessFile memory) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", "" + server.pid(), "maps"))) {
      if (line.endsWith("[vdso]")) {
        String[] range = line.split("[- ]", 3);
        return new VdsoClock(memory, Long.parseLong(range[0], 16), Long.parseLong(range[1], 16));
      }
    }
    throw new IOException("process " + server.pid() + " has no vDSO");
  }

  /** The offset of the function, by the symbols of the ELF image. */
  private int find() throws IOException {
    int sections = (int) image.getLong(0x28);
    for (int i = 0; i < image.getShort(0x3c); i++) {
      int section = sections + i * SECTION_BYTES;
      if (image.getInt(section + 4) == DYNAMIC_SYMBOLS) {
        int names = offset(sections + image.getInt(section + 40) * SECTION_BYTES);
        int end = offset(section) + (int) image.getLong(section + 32);
        for (int symbol = offset(section); symbol < end; symbol += SYMBOL_BYTES) {
          if (hasName(names + image.getInt(symbol))) {
            return (int) image.getLong(symbol + 8);
          }
        }
      }
    }
    throw new IOException("the vDSO has no " + FUNCTION);
  }

  private int offset(int section) {
    return (int) image.getLong(section + 24);
  }

  private boolean hasName(int at) {
    byte[] name = (FUNCTION + '\0').getBytes(StandardCharsets.US_ASCII);
    return image
        .slice(at, Math.min(name.length, image.capacity() - at))
        .equals(ByteBuffer.wrap(name));
  }

  /**
   * Whether a thread does not stand still yet, or has begun what the jump is written over and would
   * go on in its middle.
   */
  private boolean isInTheWay(ServerProcess server) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc", "" + server.pid(), "task"))) {
      for (Path each : threads.toList()) {
        String state = Files.readString(each.resolve("syscall")).strip();
        if (state.equals("running")) {
          return true;
        }
        long next = Long.decode(state.substring(state.lastIndexOf(' ') + 1)) - start - function;
        if (next > 0 && next < JUMP_BYTES) {
          return true;
        }
      }
    }
    return false;
  }

  private void add(long seconds) throws IOException {
    if (image.get(function) == JUMP) {
      write(bytes(Long.BYTES).putLong(image.getLong(number) + seconds), number);
      return;
    }
    if (!image.slice(number, ROOM).equals(ByteBuffer.allocate(ROOM))) {
      throw new IOException("the vDSO has no room for " + ROOM + " bytes");
    }
    int code = number + Long.BYTES;
    write(bytes(ROOM).putLong(seconds).put(CODE), number);
    write(bytes(JUMP_BYTES).put(JUMP).putInt(code - function - JUMP_BYTES), function);
  }

  private static ByteBuffer bytes(int count) {
    return ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void write(ByteBuffer what, int at) throws IOException {
    int unused = memory.getChannel().write(what.rewind(), start + at);
  }
}
