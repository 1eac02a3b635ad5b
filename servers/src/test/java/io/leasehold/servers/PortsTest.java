package io.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Modules are tested side by side, and each starts servers on ports that it finds. */
class PortsTest {
  private static final int MANY = 1_000;

  /** By chance a twentieth of them would be the same. */
  @Test
  void noProcessFindsThePortOfAnother() throws Exception {
    Set<Integer> ours = find();
    assertThat(ours).hasSize(MANY);
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Finder.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (InputStream out = other.getInputStream()) {
      String theirs = new String(out.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(theirs.lines().map(Integer::valueOf))
          .hasSize(MANY)
          .doesNotContainAnyElementsOf(ours);
    } finally {
      other.destroyForcibly();
    }
  }

  private static Set<Integer> find() {
    Set<Integer> found = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      found.add(Ports.free());
    }
    return found;
  }

  /** The other process. */
  static final class Finder {
    private Finder() {}

    public static void main(String... args) {
      find().forEach(System.out::println);
    }
  }
}
