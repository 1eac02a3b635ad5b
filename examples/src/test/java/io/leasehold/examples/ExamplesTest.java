package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples do what the pages that quote them say. */
class ExamplesTest {
  @TempDir Path dir;

  private String url() {
    return "file:" + dir.resolve("locks.db");
  }

  @Test
  void quickStartPostsUnderTheLock() throws InterruptedException {
    Ledger ledger = new Ledger();
    new QuickStart(ledger).run(url(), "invoice 1");
    new QuickStart(ledger).run(url(), "invoice 2");
    assertThat(ledger.entries()).containsExactly("invoice 1", "invoice 2");
  }

  @Test
  void theLedgerRefusesAnEarlierHolder() throws InterruptedException {
    Ledger ledger = new Ledger();
    try (LockClient locks = Leasehold.connect(url())) {
      long early;
      try (Lease first = locks.lock("ledger").acquire()) {
        early = first.fencingToken();
      }
      try (Lease second = locks.lock("ledger").acquire()) {
        ledger.post("second", second.fencingToken());
      }
      assertThatThrownBy(() -> ledger.post("first, late", early))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(ledger.entries()).containsExactly("second");
  }

  @Test
  void scopesAreReentrantAndShareTheToken() throws InterruptedException {
    Ledger ledger = new Ledger();
    try (LockClient locks = Leasehold.connect(url())) {
      Scopes scopes = new Scopes(locks.lock("scopes"), ledger);
      scopes.postBoth("a", "b");
      scopes.legacy(() -> ledger.post("c", Long.MAX_VALUE));
    }
    assertThat(ledger.entries()).containsExactly("a", "b", "c");
  }

  @Test
  void modesDoWhatTheySay() throws InterruptedException {
    List<String> done = new ArrayList<>();
    Ledger prices = new Ledger();
    Ledger accounts = new Ledger();
    try (LockClient locks = Leasehold.connect(url())) {
      new Modes(locks, prices).readersAndWriters(() -> done.add("read"), "written");
      new Modes(locks, accounts).both("a", "b", "moved");
      new Modes(locks, accounts).someAtATime(() -> done.add("exported"));
      new Modes(locks, accounts).inOrder(() -> done.add("served"));
      assertThat(locks.list()).isEmpty();
    }
    assertThat(prices.entries()).containsExactly("written");
    assertThat(accounts.entries()).containsExactly("moved");
    assertThat(done).containsExactly("read", "exported", "served");
  }

  @Test
  void longWorkIsDoneByOneOnly() throws InterruptedException {
    List<String> done = new ArrayList<>();
    try (LockClient mine = Leasehold.connect(url());
        LockClient others = Leasehold.connect(url())) {
      try (Lease theirs = others.lock("work").acquire()) {
        assertThat(new LongWork(mine.lock("work")).doOnce(List.of(() -> done.add("mine"))))
            .isFalse();
      }
      assertThat(
              new LongWork(mine.lock("work"))
                  .doOnce(List.of(() -> done.add("mine"), () -> done.add("more"))))
          .isTrue();
    }
    assertThat(done).containsExactly("mine", "more");
  }
}
