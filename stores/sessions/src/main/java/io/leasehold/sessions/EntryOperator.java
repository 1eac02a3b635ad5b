package io.leasehold.sessions;

import io.leasehold.LockSnapshot;
import io.leasehold.LockSnapshot.Holder;
import io.leasehold.LockSnapshot.Waiter;
import io.leasehold.spi.FenceNumber;
import io.leasehold.spi.StoreOperator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The requests of operators, for entries of all clients. Thread-safe. */
public record EntryOperator(EntryList entries) implements StoreOperator {

  @Override
  public CompletionStage<List<LockSnapshot>> list(Optional<String> name, Duration within) {
    return entries
        .list(name, within)
        .thenApply(
            all ->
                Entry.byName(all).entrySet().stream()
                    .map(each -> snapshot(each.getKey(), each.getValue()))
                    .toList());
  }

  private static LockSnapshot snapshot(String name, List<Entry> entries) {
    int holders = Admission.holders(entries);
    return new LockSnapshot(
        name,
        entries.subList(0, holders).stream().map(EntryOperator::holder).toList(),
        entries.subList(holders, entries.size()).stream().map(EntryOperator::waiter).toList());
  }

  private static Holder holder(Entry entry) {
    return new Holder(
        entry.id().toString(),
        entry.details().holder(),
        entry.mode(),
        entry.permits(),
        FenceNumber.token(entry.number(), 0),
        entry.details().age(),
        entry.details().remaining());
  }

  private static Waiter waiter(Entry entry) {
    return new Waiter(
        entry.id().toString(), entry.details().holder(), entry.mode(), entry.details().age());
  }

  @Override
  public CompletionStage<Boolean> breakLease(String name, long number, Duration within) {
    return entries
        .list(Optional.of(name), within)
        .thenCompose(
            all -> {
              int holders = all.isEmpty() ? 0 : Admission.holders(all);
              return all.subList(0, holders).stream()
                  .filter(entry -> entry.number() == number)
                  .findAny()
                  .map(entry -> entries.remove(entry, within))
                  .orElse(CompletableFuture.completedFuture(false));
            });
  }
}
