package io.leasehold.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/*
 * What a killed process leaves is what it had written: SQLite keeps nothing else outside of its own
 * memory, and the kernel drops its locks. So a copy of the files is as good as a kill, once a real one
 * has shown it. Reading them drops this process's locks on the original, which no other process uses.
 */

/** Copies the files of a store before and after each statement, as a kill there leaves them. */
final class Snapshots implements StatementHook {
  /** How a process ends that halts. */
  static final int STATUS = 7;

  private final Path file;
  private final int last;
  private final List<Path> copies = new ArrayList<>();
  private boolean begun;

  private Snapshots(Path file, int last) {
    this.file = file;
    this.last = last;
  }

  static Snapshots of(Path file) {
    return new Snapshots(file, Integer.MAX_VALUE);
  }

  /** Halts the process when it has made so many. */
  static Snapshots halting(Path file, int last) {
    return new Snapshots(file, last);
  }

  /** From now on. */
  void begin() {
    begun = true;
  }

  /** The copies of the file: before the first statement, after it, before the second. */
  List<Path> taken() {
    return List.copyOf(copies);
  }

  /** The copy with this number, from 1. */
  static Path copy(Path file, int number) {
    return file.resolveSibling("copy" + number).resolve(file.getFileName());
  }

  @Override
  public void before(String sql) {
    take();
  }

  @Override
  public void after(String sql) {
    take();
  }

  private void take() {
    if (!begun) {
      return;
    }
    Path copy = copy(file, copies.size() + 1);
    try {
      Files.createDirectory(copy.getParent());
      for (Path one : files(file)) {
        Files.copy(one, copy.resolveSibling(one.getFileName()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    copies.add(copy);
    if (copies.size() == last) {
      Runtime.getRuntime().halt(STATUS);
    }
  }

  /** It and what lies beside it: log, index, journal. */
  static List<Path> files(Path file) throws IOException {
    try (var all = Files.list(Optional.ofNullable(file.getParent()).orElseThrow())) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
