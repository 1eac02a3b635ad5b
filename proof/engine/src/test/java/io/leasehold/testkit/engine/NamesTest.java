package io.leasehold.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Engine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** R13: any name but the empty, the too long, and the broken. */
@Timeout(90)
class NamesTest {
  private static final List<String> HOSTILE =
      List.of(
          "/",
          ":",
          "%",
          "'",
          "\"",
          ";",
          "{",
          "}",
          "*",
          "\n",
          "\r\n",
          "\t",
          " ",
          "a b",
          "../",
          "/../x",
          "%2f",
          "{x}y",
          "a'; DROP TABLE lease; --",
          "n",
          "N",
          "é",
          "e\u0301",
          "ﬀ",
          "ff",
          "Ⅸ",
          "💥",
          "💥💥",
          "\u200b",
          "x".repeat(255),
          "💥".repeat(255));

  @RegisterExtension final Engines engines = new Engines();

  @Test
  void hostileNamesAreAllDifferentLocks() throws Exception {
    Engine one = engines.client();
    Engine two = engines.client();
    List<Lease> leases = new ArrayList<>();
    for (String name : HOSTILE) {
      Lease lease = one.lock(name).acquire();
      assertThat(lease.name()).isEqualTo(name);
      leases.add(lease);
    }
    for (String name : HOSTILE) {
      assertThat(two.lock(name).tryAcquire()).as(name).isEmpty();
      assertThat(two.lock(name).inspect())
          .as(name)
          .hasValueSatisfying(s -> assertThat(s.holders()).hasSize(1));
    }
    assertThat(two.list())
        .extracting(LockSnapshot::name)
        .containsExactlyInAnyOrderElementsOf(HOSTILE);
    leases.forEach(Lease::release);
    assertThat(two.list()).isEmpty();
    assertThat(two.lock("/").inspect()).isEmpty();
  }

  @Test
  void brokenNamesAreRefused() {
    Engine one = engines.client();
    for (String name :
        List.of("", "\0", "a\0b", "\ud83d", "a\udca5", "x".repeat(256), "💥".repeat(256))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> one.lock(name))
          .withMessageContaining("name");
    }
  }
}
