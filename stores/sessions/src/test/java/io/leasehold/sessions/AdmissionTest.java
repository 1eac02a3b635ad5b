package io.leasehold.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who holds a name, who waits for it, and for what. */
class AdmissionTest {
  @ParameterizedTest
  @CsvSource({
    "x, 0, holds, ''",
    "x x x, 1, place 0, 0",
    "x x x, 2, place 1, 1",
    "s s x, 1, holds, ''",
    "s s x, 2, place 0, 1",
    "s s x s, 3, place 1, 2",
    "x s s, 2, place 1, 0",
    "x s x s s, 4, place 3, 2",
    "p1.3 p2.3 p1.3, 1, holds, ''",
    "p1.3 p2.3 p1.3, 2, place 0, 0 1",
    "p2.3 p2.3 p1.3, 1, place 0, 0",
    "p2.3 p2.3 p1.3, 2, place 1, 1",
    "p3.3 p1.3, 1, place 0, 0",
    // Of another kind, and about to leave
    "x p1.3, 1, place 0, 0",
    "p1.3 x, 1, place 0, 0",
    "p1.3 s, 1, place 0, 0",
    "p1.3 p1.2, 1, place 0, 0",
    "p1.3 p1.2 p1.3, 2, place 1, 1",
    "s p1.3 s, 2, place 1, 1",
  })
  void whoHoldsAndWhoWaits(String entries, int index, String expected, String inTheWay) {
    List<Entry> all = entries(entries.split(" "));

    Admission now = Admission.of(all, index);

    assertThat(now.holds() ? "holds" : "place " + now.place()).isEqualTo(expected);
    assertThat(now.inTheWay().stream().map(Entry::key))
        .containsExactly(inTheWay.isEmpty() ? new String[0] : inTheWay.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "x, false",
    "x x, true",
    "s s, false",
    "s s x, true",
    "p1.2 p1.2, false",
    "p1.2 p1.2 p1.2, true",
    "x p1.2, true",
  })
  void aHolderIsToldWhetherTheNameIsWanted(String entries, boolean wanted) {
    assertThat(Admission.of(entries(entries.split(" ")), 0).wanted()).isEqualTo(wanted);
  }

  private static List<Entry> entries(String... kinds) {
    List<Entry> all = new ArrayList<>();
    for (String kind : kinds) {
      int n = all.size();
      String label = kind + "-" + new LeaseId(7, n);
      all.add(Entry.of("name", String.valueOf(n), label, n + 1, Entry.Details.NONE));
    }
    return all;
  }
}
