package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.LockSnapshot;
import io.leasehold.internal.Clock;
import io.leasehold.redis.Command.Name;
import io.leasehold.spi.StoreOperator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lists, breaks and diagnoses. To list all names it looks at every key of the database. */
final class RedisOperator implements StoreOperator {
  private static final String KEYS_A_SCAN = "500";

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
    return scan("0", new LinkedHashSet<>(), end)
        .thenCompose(names -> readAll(new ArrayList<>(names), new ArrayList<>(), end))
        .thenApply(all -> all.stream().sorted(Comparator.comparing(LockSnapshot::name)).toList());
  }

  private Duration left(long end) {
    return Duration.ofNanos(Math.max(1, end - clock.nanos()));
  }

  /** Page by page; a key may come twice. */
  private CompletionStage<Set<String>> scan(String cursor, Set<String> names, long end) {
    Command page = Command.of(Name.SCAN, cursor, "MATCH", keys.allStates(), "COUNT", KEYS_A_SCAN);
    return node.send(page, "*", left(end))
        .thenCompose(
            reply -> {
              List<?> answer = Replies.list(reply);
              for (Object key : Replies.list(answer.get(1))) {
                names.add(keys.name(Command.text(key)));
              }
              String next = Command.text(Replies.bulk(answer.get(0)));
              return next.equals("0")
                  ? CompletableFuture.completedFuture(names)
                  : scan(next, names, end);
            });
  }

  private CompletionStage<List<LockSnapshot>> readAll(
      List<String> names, List<LockSnapshot> found, long end) {
    if (names.isEmpty()) {
      return CompletableFuture.completedFuture(found);
    }
    int some = Math.min(names.size(), 100);
    return read(names.subList(0, some), left(end))
        .thenCompose(
            read -> {
              found.addAll(read);
              return readAll(names.subList(some, names.size()), found, end);
            });
  }

  private CompletionStage<List<LockSnapshot>> read(List<String> names, Duration within) {
    List<byte[]> states = names.stream().map(name -> keys.of(name).state()).toList();
    return node.run(Script.LIST, names.get(0), states, List.of(), within)
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
    List<byte[]> touched = List.of(of.state(), of.counter());
    List<byte[]> asked = List.of(Command.digits(number));
    return node.run(Script.BREAK, name, touched, asked, within).thenApply(Replies::isOne);
  }

  @Override
  public CompletionStage<List<Finding>> diagnose(Duration within) {
    return node.wire().send(ServerDiagnosis.QUESTIONS, within).thenApply(ServerDiagnosis::of);
  }
}
