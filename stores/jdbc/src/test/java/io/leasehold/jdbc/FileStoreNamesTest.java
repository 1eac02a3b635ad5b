package io.leasehold.jdbc;

import static io.leasehold.jdbc.Fixture.busy;
import static io.leasehold.jdbc.Fixture.granted;
import static io.leasehold.jdbc.Fixture.list;
import static io.leasehold.jdbc.Fixture.only;
import static io.leasehold.jdbc.Fixture.queue;
import static io.leasehold.jdbc.Fixture.release;
import static io.leasehold.jdbc.Fixture.renew;
import static io.leasehold.jdbc.Fixture.tryOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockSnapshot;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** R13: names are bytes to the store: none collides with another, and each comes back as it was. */
class FileStoreNamesTest {
  @TempDir(factory = InMemory.class)
  Path dir;

  private static Set<String> names() {
    Set<String> names =
        new LinkedHashSet<>(
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
                "\u0001",
                "\u001f",
                "\u007f",
                "\\",
                "\\n",
                "\\u0041",
                "..",
                "../",
                "../../etc/passwd",
                " ",
                "  ",
                "a",
                "A",
                "a ",
                " a",
                "null",
                "NULL",
                "0",
                "00",
                "0.0",
                "1e3",
                "true",
                "{}",
                "[]",
                "$.name",
                "?",
                ":name",
                "%41",
                "x'41'",
                "'; DROP TABLE leasehold_lock; --",
                "\u00e9",
                "e\u0301",
                "\u00df",
                "ss",
                "\u0130",
                "i",
                "\u200b",
                "\u200b\u200b",
                "\ufeff",
                "\ufeffa",
                "\ufffd",
                "\uffff",
                "\ud83d\ude00",
                "\ud83d\ude01",
                "\u65e5\u672c",
                "\u202eabc"));
    names.add("\ud83e\udd84".repeat(255));
    names.add("\ud83e\udd84".repeat(254));
    names.add("\ud83e\udd84".repeat(254) + "\ud83e\udd85");
    names.add("a".repeat(255));
    return names;
  }

  @Test
  void everyNameIsALockOfItsOwnThroughEveryVerb() {
    try (LeaseRowStore one = Fixture.open(dir.resolve("locks.db"));
        LeaseRowStore two = Fixture.open(dir.resolve("locks.db"))) {
      List<Ticket> held = new ArrayList<>();
      List<Ticket> waiting = new ArrayList<>();
      for (String name : names()) {
        Ticket mine = tryOnce(name);
        assertThat(granted(one, mine).number()).as(name).isEqualTo(1);
        held.add(mine);
      }
      for (String name : names()) {
        Ticket next = queue(name);
        busy(two, next);
        waiting.add(next);
        LockSnapshot seen = only(two, name);
        assertThat(seen.name()).isEqualTo(name);
        assertThat(seen.waiters()).hasSize(1);
      }
      Comparator<String> byBytes =
          (a, b) ->
              Arrays.compareUnsigned(
                  a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
      assertThat(list(one))
          .extracting(LockSnapshot::name)
          .containsExactlyElementsOf(names().stream().sorted(byBytes).toList());
      assertThat(renew(one, held).values()).allMatch(Renewal.Renewed.class::isInstance);
      Map<LeaseId, Renewal> polled = renew(two, waiting);
      assertThat(polled.values()).allMatch(Renewal.Waiting.class::isInstance);
      for (int i = 0; i < held.size(); i++) {
        assertThat(release(one, held.get(i))).isEqualTo(Release.RELEASED);
        assertThat(granted(two, waiting.get(i)).number()).isEqualTo(2);
        assertThat(Fixture.breakLease(one, held.get(i).name(), 2)).isTrue();
      }
      assertThat(list(one)).isEmpty();
    }
  }
}
