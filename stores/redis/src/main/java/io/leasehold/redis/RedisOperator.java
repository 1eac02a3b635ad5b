package io.leasehold.redis;

import io.leasehold.LockSnapshot;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.StoreOperator;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists and breaks. To list all names it looks at every key of the database. */
final class RedisOperator implements StoreOperator {
  /** During each of these the server does nothing else: less than a millisecond. */
  private static final String KEYS_A_SCAN = "1000";

  private static final int NAMES_A_READ = 200;

  private final Node node;
  private final Keys keys;
  private final Clock clock;

  RedisOperator(Node node, Keys keys, Clock clock) {
    this.node = node;
    this.keys = keys;
    this.clock = clock;
  }

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    if (name.isPresent()) {
      return read(List.of(name.get()), within);
    }
    long end = clock.nanos() + within.toNanos();
    CompletionStage<Set<String>> scanned = CompletableFuture.completedFuture(new LinkedHashSet<>());
    for (Wire server : node.wire().nodes()) {
      scanned = scanned.thenCompose(names -> scan(server, names, end));
    }
    return scanned
        .thenCompose(names -> read(names, left(end)))
        .thenApply(all -> all.stream().sorted(Comparator.comparing(LockSnapshot::name)).toList());
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  /** Page by page; a key may come twice. */
  private CompletionStage<Set<String>> scan(Wire server, Set<String> names, long end) {
    AtomicReference<String> cursor = new AtomicReference<>("0");
    return untilTrue(
            () -> {
              Command page =
                  Command.of(
                      Name.SCAN, cursor.get(), "MATCH", keys.allStates(), "COUNT", KEYS_A_SCAN);
              return node.send(server, page, null, left(end))
                  .thenApply(
                      reply -> {
                        cursor.set(addNames(Replies.list(reply), names));
                        return cursor.get().equals("0");
                      });
            })
        .thenApply(done -> names);
  }

  /** Yields where the next page begins. */
  private String addNames(List<?> page, Set<String> names) {
    for (Object key : Replies.list(page.get(1))) {
      names.add(keys.name(Command.text(key)));
    }
    return Command.text(Replies.bulk(page.get(0)));
  }

  /** Those of the names that are held or waited for. */
  CompletionStage<List<LockSnapshot>> read(Set<String> names, Duration within) {
    long end = clock.nanos() + within.toNanos();
    List<LockSnapshot> found = new ArrayList<>();
    Iterator<List<String>> reads = reads(names).iterator();
    return untilTrue(
            () -> {
              if (!reads.hasNext()) {
                return CompletableFuture.completedFuture(true);
              }
              return read(reads.next(), left(end))
                  .thenApply(
                      read -> {
                        found.addAll(read);
                        return false;
                      });
            })
        .thenApply(done -> found);
  }

  /** What is read at once: keys of one place, and not too many. */
  private List<List<String>> reads(Set<String> names) {
    List<List<String>> reads = new ArrayList<>();
    for (List<String> there :
        names.stream()
            .collect(Collectors.groupingBy(name -> node.wire().place(keys.of(name).state())))
            .values()) {
      for (int from = 0; from < there.size(); from += NAMES_A_READ) {
        reads.add(there.subList(from, Math.min(there.size(), from + NAMES_A_READ)));
      }
    }
    return reads;
  }

  /** One after another, and not one inside another: there may be thousands. */
  private static CompletionStage<Boolean> untilTrue(Supplier<CompletionStage<Boolean>> step) {
    while (true) {
      CompletableFuture<Boolean> last = step.get().toCompletableFuture();
      if (!last.isDone()) {
        return last.thenCompose(
            done -> done ? CompletableFuture.completedFuture(true) : untilTrue(step));
      }
      if (last.isCompletedExceptionally() || last.join()) {
        return last;
      }
    }
  }

  private CompletionStage<List<LockSnapshot>> read(List<String> names, Duration within) {
    List<Keys.OfName> all = names.stream().map(keys::of).toList();
    List<byte[]> touched = new ArrayList<>();
    all.forEach(each -> touched.add(each.state()));
    all.forEach(each -> touched.add(each.order()));
    all.forEach(each -> touched.add(each.waiters()));
    return node.run(Script.LIST, names.get(0), touched, List.of(), within)
        .thenApply(reply -> snapshots(names, reply));
  }

  private static List<LockSnapshot> snapshots(List<String> names, @Nullable Object reply) {
    List<LockSnapshot> used = new ArrayList<>();
    List<?> answers = Replies.list(reply);
    for (int i = 0; i < names.size(); i++) {
      LockSnapshot one = Replies.snapshot(names.get(i), answers.get(i));
      if (!one.holders().isEmpty() || !one.waiters().isEmpty()) {
        used.add(one);
      }
    }
    return used;
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    Keys.OfName of = keys.of(name);
    List<byte[]> asked = List.of(Command.digits(number));
    return node.run(Script.BREAK, name, of.touched(), asked, within).thenApply(Replies::isOne);
  }
}
