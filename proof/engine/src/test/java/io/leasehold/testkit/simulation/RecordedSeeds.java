package io.leasehold.testkit.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which seed catches which mutant of the engine, from a file of this package: a line each. */
final class RecordedSeeds {
  private static final String FILE = "mutants.tsv";
  private static final Path SOURCE =
      Path.of("src/test/resources").resolve(RecordedSeeds.class.getPackageName().replace('.', '/'));

  private final Map<String, Long> seeds;

  private RecordedSeeds(Map<String, Long> seeds) {
    this.seeds = seeds;
  }

  static RecordedSeeds read() {
    try (InputStream in = RecordedSeeds.class.getResourceAsStream(FILE)) {
      Map<String, Long> seeds = new TreeMap<>();
      for (String line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
        int tab = line.indexOf('\t');
        seeds.put(line.substring(tab + 1), Long.valueOf(line.substring(0, tab)));
      }
      return new RecordedSeeds(seeds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The seed on record for this mutant. */
  Optional<Long> of(String bug) {
    return Optional.ofNullable(seeds.get(bug));
  }

  Collection<Long> seeds() {
    return new TreeSet<>(seeds.values());
  }

  /** Replaces the records of the mutants named, in the source folder. */
  void write(Map<String, Long> found) {
    Map<String, Long> all = new TreeMap<>(seeds);
    all.putAll(found);
    String text =
        all.entrySet().stream()
            .map(e -> e.getValue() + "\t" + e.getKey() + "\n")
            .collect(Collectors.joining());
    try {
      Files.writeString(SOURCE.resolve(FILE), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
