package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.Lease;
import io.leasehold.LockSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;

/** R13: any name is a name of its own. */
public interface NameRules {
  /** Pairs and more that something or other has taken for one. */
  private static List<String> hostileNames(String own) {
    Set<String> names = new LinkedHashSet<>();
    for (String hostile :
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
            "\\",
            "?",
            "#",
            "&",
            "{a}",
            "{b}",
            "a*",
            "a?",
            "[a]",
            "%2F",
            "%2f",
            "%25",
            "+",
            " ",
            "..",
            "../",
            "../a",
            "./a",
            "a/",
            "a//",
            "a/../b",
            "'; DROP TABLE locks; --",
            "\" OR \"\"=\"",
            "_",
            "$1",
            "${a}",
            "#{a}",
            "null",
            "NULL",
            "true",
            "0",
            "-1",
            "ß",
            "ss",
            "SS",
            "İ",
            "i\u0307",
            "ı",
            "I",
            "é",
            "e\u0301",
            "Å",
            "Å",
            "ﬁ",
            "fi",
            "①",
            "1",
            "\u200b",
            "\ufeff",
            "\u202e",
            "😀",
            "😁",
            "👩‍👩‍👧",
            "中文",
            "\u0001",
            "\u007f",
            "\u0080",
            "\u2028",
            "Aa",
            "BB",
            "AaAa",
            "BBBB",
            "AaBB",
            "a",
            "A",
            "a ",
            " a",
            "a\u00a0",
            "a.",
            "a-",
            "a\u0301")) {
      names.add(own + hostile);
      names.add(hostile + own);
    }
    String long254 = own + "x".repeat(254 - own.length());
    names.add(long254 + "y");
    names.add(long254 + "z");
    names.add(long254 + "😀");
    names.add(long254 + "😁");
    names.add("😀".repeat(255 - own.length()) + own);
    names.add("😀".repeat(254 - own.length()) + "😁" + own);
    names.add("中".repeat(255 - own.length()) + own);
    return List.copyOf(names);
  }

  /** All are held at once by one client, so no two can be the same lock. */
  @ContractTest
  @DisplayName("R13 hostile names do not collide")
  default void R13_hostileNamesDoNotCollide(Testbed bed) {
    List<String> names = hostileNames(bed.name());
    List<Lease> held = new ArrayList<>();
    for (String name : names) {
      Optional<Lease> lease = bed.one().lock(name).tryAcquire();
      assertThat(lease).as("lock '%s' beside all others", name).isPresent();
      lease.ifPresent(held::add);
      assertThat(held.get(held.size() - 1).name()).isEqualTo(name);
    }
    for (String name : names) {
      assertThat(bed.two().lock(name).tryAcquire()).as("lock '%s' is held", name).isEmpty();
    }
    held.forEach(Lease::release);
  }

  /** Unchanged, code point by code point. */
  @ContractTest
  @DisplayName("R13 hostile names are listed unchanged")
  default void R13_hostileNamesAreListedAsTheyAre(Testbed bed) {
    bed.needs(Ability.LIST);
    List<String> names = hostileNames(bed.name());
    List<Lease> held = new ArrayList<>();
    names.forEach(name -> held.add(bed.one().lock(name).tryAcquire().orElseThrow()));
    assertThat(bed.two().list())
        .extracting(LockSnapshot::name)
        .filteredOn(name -> name.contains(bed.name()))
        .containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(bed.two().lock(name).inspect().map(LockSnapshot::name)).contains(name);
    }
    held.forEach(Lease::release);
    assertThat(bed.two().lock(names.get(0)).inspect()).isEmpty();
  }

  /** One waits for it, which takes other ways than a try. */
  @ContractTest
  @DisplayName("R13 a hostile name can be waited for")
  default void R13_aHostileNameCanBeWaitedFor(Testbed bed) throws Exception {
    for (String name :
        List.of(
            bed.name("{*'/\n"),
            "../" + bed.name() + "😀",
            bed.name() + "😀".repeat(255 - bed.name().length()))) {
      Lease held = bed.take(bed.one().lock(name));
      Caller<Lease> waiter =
          bed.start(() -> bed.two().lock(name).acquire(bed.patience())).waiting();
      held.release();
      waiter.result().release();
      bed.requireFree(name);
    }
  }

  /** By every way to a lock. */
  @ContractTest
  @DisplayName("R13 an invalid name is refused")
  default void R13_whatIsNoNameIsRefused(Testbed bed) {
    for (String bad : List.of("", "x".repeat(256), "😀".repeat(256), "a\0b", "\ud83d", "\ude00a")) {
      assertThatIllegalArgumentException().isThrownBy(() -> bed.one().lock(bad));
      assertThatIllegalArgumentException().isThrownBy(() -> bed.one().readWriteLock(bad));
      assertThatIllegalArgumentException().isThrownBy(() -> bed.one().semaphore(bad, 2));
      assertThatIllegalArgumentException().isThrownBy(() -> bed.one().allOf(bed.name(), bad));
    }
  }
}
