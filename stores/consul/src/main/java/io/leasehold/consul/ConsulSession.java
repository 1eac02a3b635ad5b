package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.Failures;
import io.leasehold.sessions.KeyIds;
import io.leasehold.sessions.Session;
import io.leasehold.sessions.SessionLife;
import io.leasehold.spi.Ticket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.json.JSONObject;
import org.jspecify.annotations.Nullable;

/** A session of Consul, with its entries. Thread-safe. */
final class ConsulSession implements Session {
  private static final Duration DESTROY = Duration.ofSeconds(2);

  private final ConsulStore store;
  private final Agent agent;
  private final Entries entries;
  private final String id;
  private final SessionLife life;
  private final Runnable ended;
  private final AtomicLong touches = new AtomicLong();
  private final KeyIds ids = new KeyIds(new SecureRandom().nextLong());

  /**
   * Of one that was made.
   *
   * @param life from the send of the request that made it
   */
  ConsulSession(ConsulStore store, String id, SessionLife life, Runnable ended) {
    this.store = store;
    this.agent = store.agent;
    this.entries = store.entries;
    this.id = id;
    this.life = life;
    this.ended = ended;
  }

  @Override
  public CompletionStage<Entered> enter(Ticket ticket, Duration within) {
    String key = entries.key(ticket, ids.enters(ticket.id()));
    Transaction enter =
        new Transaction()
            .add("check-not-exists", entries.gone(ticket.id()))
            .add("lock", key, id, entries.value(ticket.id(), Details.of(ticket)), 0)
            .add("get-tree", entries.folder(ticket.name()));
    return agent
        .put(Transaction.PATH, enter, within)
        .thenApply(answer -> entered(ticket, key, answer))
        .whenComplete(
            (entered, failed) -> {
              if (failed != null && !Failures.mayHaveTakenEffect(failed)) {
                ids.failed(ticket.id());
              }
            });
  }

  private Entered entered(Ticket ticket, String key, Answer answer) {
    List<JSONObject> keys = done(answer);
    // The answer to the lock comes first, without the value
    List<Entry> all = entries.of(keys.subList(Math.min(1, keys.size()), keys.size()));
    for (Entry each : all) {
      if (each.key().equals(key)) {
        return new Entered(each.with(ticket.id()), all);
      }
    }
    throw new StoreException(
        Failure.UNKNOWN_OUTCOME, agent + ": the ACL token may not read what it may write", null);
  }

  /** The keys in an answer. */
  private List<JSONObject> done(Answer answer) {
    if (Transaction.lacksSession(answer)) {
      ended.run();
    }
    return Transaction.keys(answer);
  }

  @Override
  public CompletionStage<Boolean> leave(Entry own, Duration within) {
    if (!ids.meets(own.id(), own.key())) {
      return CompletableFuture.completedFuture(false);
    }
    Transaction leave = new Transaction().add("get-tree", own.key()).add("delete", own.key());
    return agent
        .put(Transaction.PATH, leave, within)
        .thenApply(
            answer -> {
              boolean wasThere = !Transaction.keys(answer).isEmpty();
              ids.left(own.id());
              return wasThere;
            });
  }

  /** The agent does not keep requests in order, so this forbids to make the entry too. */
  @Override
  public CompletionStage<Boolean> takeBack(Ticket ticket, Duration within) {
    String key = entries.key(ticket, ids.takes(ticket.id()));
    Transaction remove =
        new Transaction()
            .add("lock", entries.gone(ticket.id()), id, "", 0)
            .add("get-tree", key)
            .add("delete", key);
    return agent
        .put(Transaction.PATH, remove, within)
        .thenApply(
            answer -> {
              if (Transaction.lacksSession(answer)) {
                // Its entries went with it, and it makes no more
                ended.run();
                return false;
              }
              // The answer to the lock comes first
              boolean wasThere = done(answer).size() > 1;
              ids.takenBack(ticket.id());
              return wasThere;
            });
  }

  @Override
  public CompletionStage<List<Entry>> read(List<String> names, Duration within) {
    Transaction read = new Transaction();
    names.forEach(name -> read.add("get-tree", entries.folder(name)));
    return store.read(read, within).thenApply(entries::of);
  }

  @Override
  public CompletionStage<Optional<Details>> look(
      Entry other, @Nullable Watcher watcher, Duration within) {
    return store
        .find(other, within)
        .thenApply(
            found -> {
              if (watcher != null && found.isPresent()) {
                long index = found.get().getLong("ModifyIndex");
                store.watches.add(other.key(), other.number(), index, watcher);
              }
              return found
                  .flatMap(key -> entries.of(List.of(key)).stream().findFirst())
                  .map(Entry::details);
            });
  }

  @Override
  public CompletionStage<Void> touch(Entry own, Duration within) {
    if (!ids.meets(own.id(), own.key())) {
      return CompletableFuture.completedFuture(null);
    }
    String value = entries.value(own.id(), own.details());
    // Its flags change: a lock that changes nothing wakes no waiter
    Transaction touch =
        new Transaction()
            .add("check-session", own.key(), id, "", 0)
            .add("lock", own.key(), id, value, touches.incrementAndGet());
    return agent.put(Transaction.PATH, touch, within).thenAccept(this::done);
  }

  @Override
  public CompletionStage<Void> beat(Duration within) {
    SessionLife.Sent sent = life.now();
    return agent
        .put("/v1/session/renew/" + id, "", within)
        .thenAccept(
            answer -> {
              if (answer.status() == 200) {
                life.answered(sent);
              } else {
                ended.run();
              }
            });
  }

  @Override
  public SessionLife life() {
    return life;
  }

  @Override
  public CompletionStage<?> end() {
    return agent.put("/v1/session/destroy/" + id, "", DESTROY);
  }
}
