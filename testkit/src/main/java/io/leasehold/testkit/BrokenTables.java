package io.leasehold.testkit;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.LockName.Entry;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Lock tables that go wrong in who holds, for how long, and under which number. */
final class BrokenTables {
  private BrokenTables() {}

  private static Ticket withTtl(Ticket t, Duration ttl) {
    return new Ticket(
        t.name(), t.id(), t.mode(), t.permits(), t.limit(), ttl, t.intent(), t.fair(), t.holder());
  }

  private static Ticket with(Ticket t, LeaseId id, int permits) {
    return new Ticket(
        t.name(), id, t.mode(), permits, t.limit(), t.ttl(), t.intent(), t.fair(), t.holder());
  }

  static LockTable releasesWithoutOwnerCheck(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Release release(Ticket ticket, long now) {
        if (super.release(ticket, now) == Release.NOT_HELD) {
          find(ticket.name())
              .ifPresent(name -> List.copyOf(name.holders.values()).forEach(e -> remove(e, now)));
        }
        return Release.RELEASED;
      }

      private void remove(Entry entry, long now) {
        remove(entry.ticket, now);
      }
    };
  }

  static LockTable releasesByClient(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Release release(Ticket ticket, long now) {
        Release answer = super.release(ticket, now);
        find(ticket.name())
            .map(name -> List.copyOf(name.holders.values()))
            .orElse(List.of())
            .stream()
            .filter(e -> e.ticket.id().client() == ticket.id().client())
            .forEach(e -> remove(e.ticket, now));
        return answer;
      }
    };
  }

  /** A ttl below a second becomes this in the table; the answer speaks of what was asked for. */
  static LockTable takesOddTtlsFor(InMemorySettings settings, Duration instead) {
    return new LockTable(settings) {
      @Override
      Attempt attempt(Ticket ticket, long now) {
        if (ticket.ttl().compareTo(Duration.ofSeconds(1)) >= 0) {
          return super.attempt(ticket, now);
        }
        Attempt answer = super.attempt(withTtl(ticket, instead), now);
        return answer instanceof Attempt.Granted granted
            ? new Attempt.Granted(granted.number(), ticket.ttl(), granted.wanted(), granted.run())
            : answer;
      }
    };
  }

  /** After an expiry the number of what expired is used again. */
  static LockTable reusesTheTokenOfWhatExpired(InMemorySettings settings) {
    return new LockTable(settings) {
      private final Map<String, Long> unreleased = new HashMap<>();

      @Override
      Release release(Ticket ticket, long now) {
        unreleased.remove(ticket.name());
        return super.release(ticket, now);
      }

      @Override
      boolean withdraw(Ticket ticket, long now) {
        unreleased.remove(ticket.name());
        return super.withdraw(ticket, now);
      }

      @Override
      boolean breakLease(String name, long number, long now) {
        unreleased.remove(name);
        return super.breakLease(name, number, now);
      }

      @Override
      long mint(LockName name, Ticket ticket) {
        long next = super.mint(name, ticket);
        if (ticket.mode() != LockMode.EXCLUSIVE) {
          return next;
        }
        Long again = unreleased.put(ticket.name(), next);
        return again == null ? next : again;
      }
    };
  }

  /** The count goes with the last holder and waiter of the name. */
  static LockTable restartsTokensOfIdleNames(InMemorySettings settings) {
    return new LockTable(settings) {
      private final Map<String, Long> counts = new HashMap<>();

      @Override
      long mint(LockName name, Ticket ticket) {
        // A ticket that waited for it kept it from being idle.
        if (name.holders.isEmpty() && name.waiters.isEmpty()) {
          counts.remove(ticket.name());
        }
        return counts.merge(ticket.name(), 1L, Long::sum);
      }
    };
  }

  static LockTable reusesTheTokenOfWhatWasBroken(InMemorySettings settings) {
    return new LockTable(settings) {
      private final Map<String, Long> broken = new HashMap<>();

      @Override
      boolean breakLease(String name, long number, long now) {
        boolean done = super.breakLease(name, number, now);
        if (done) {
          broken.put(name, number);
        }
        return done;
      }

      @Override
      long mint(LockName name, Ticket ticket) {
        Long again = broken.remove(ticket.name());
        return again == null ? super.mint(name, ticket) : again;
      }
    };
  }

  /** Readers have the number of the writer before them. */
  static LockTable givesReadersNoTokenOfTheirOwn(InMemorySettings settings) {
    return new LockTable(settings) {
      private long last = 1;

      @Override
      long mint(LockName name, Ticket ticket) {
        last = ticket.mode() == LockMode.SHARED ? last : super.mint(name, ticket) + 1;
        return last;
      }
    };
  }

  static LockTable repeatsExtend(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Attempt attempt(Ticket ticket, long now) {
        if (holds(ticket.name(), ticket.id(), now)) {
          renew(ticket, now);
        }
        return super.attempt(ticket, now);
      }
    };
  }

  static LockTable repeatsMintAgain(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Attempt attempt(Ticket ticket, long now) {
        find(ticket.name())
            .map(name -> name.holders.get(ticket.id()))
            .ifPresent(e -> e.number = mint(find(ticket.name()).orElseThrow(), ticket));
        return super.attempt(ticket, now);
      }
    };
  }

  /** What is left is taken at once, and kept while the rest is waited for. */
  static LockTable grantsPermitsInParts(InMemorySettings settings) {
    return new LockTable(settings) {
      private final Set<LeaseId> parts = new HashSet<>();

      @Override
      Attempt attempt(Ticket ticket, long now) {
        giveBack(ticket, now);
        Attempt answer = super.attempt(ticket, now);
        boolean busy = answer instanceof Attempt.Busy || answer instanceof Attempt.Queued;
        if (busy && ticket.mode() == LockMode.PERMITS) {
          takeWhatIsLeft(ticket, now);
        }
        return answer;
      }

      private void takeWhatIsLeft(Ticket ticket, long now) {
        int left = ticket.limit() - find(ticket.name()).map(LockName::permitsOut).orElse(0);
        if (left > 0 && parts.add(partOf(ticket))) {
          super.attempt(with(ticket, partOf(ticket), left), now);
        }
      }

      private void giveBack(Ticket ticket, long now) {
        if (parts.remove(partOf(ticket))) {
          super.release(with(ticket, partOf(ticket), 1), now);
        }
      }

      private LeaseId partOf(Ticket ticket) {
        return new LeaseId(ticket.id().client(), ~ticket.id().sequence());
      }

      @Override
      boolean withdraw(Ticket ticket, long now) {
        giveBack(ticket, now);
        return super.withdraw(ticket, now);
      }
    };
  }

  /** Breaks whatever holds the name. */
  static LockTable breaksWhateverIsHeld(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      boolean breakLease(String name, long number, long now) {
        Optional<Entry> held =
            find(name).flatMap(state -> state.holders.values().stream().findFirst());
        return held.isPresent() && super.breakLease(name, held.get().number, now);
      }
    };
  }

  /** Breaks a reader, and all others with it. */
  static LockTable breaksAllReaders(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      boolean breakLease(String name, long number, long now) {
        boolean done = super.breakLease(name, number, now);
        if (done) {
          find(name)
              .ifPresent(s -> List.copyOf(s.holders.values()).forEach(e -> remove(e.ticket, now)));
        }
        return done;
      }
    };
  }

  /** A renewal yields half of the ttl, and the store declares all of it. */
  static LockTable yieldsHalf(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Duration sure(Entry held, long now) {
        return super.sure(held, now).dividedBy(2);
      }
    };
  }

  /** Declares that it reports who waits. */
  static LockTable reportsNoWaiter(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      void report(Report report) {
        if (!(report instanceof Wanted)) {
          super.report(report);
        }
      }
    };
  }
}
