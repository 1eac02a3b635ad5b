package io.leasehold.testkit;

import io.leasehold.LockMode;
import io.leasehold.spi.Attempt;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Release;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Ticket;
import io.leasehold.testkit.LockName.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lock tables that go wrong in who waits, who is woken, and what is renewed. */
final class BrokenQueues {
  private BrokenQueues() {}

  /** What is renewed after its end is granted again, under its old id. */
  static LockTable revives(InMemorySettings settings) {
    return new LockTable(settings) {
      private final Set<LeaseId> granted = new HashSet<>();
      private boolean reviving;

      @Override
      long mint(LockName name, Ticket ticket) {
        granted.add(ticket.id());
        return super.mint(name, ticket);
      }

      @Override
      boolean isBuried(LeaseId id) {
        return !reviving && super.isBuried(id);
      }

      @Override
      Renewal renew(Ticket ticket, long now) {
        Renewal answer = super.renew(ticket, now);
        if (answer instanceof Renewal.Gone && granted.contains(ticket.id())) {
          reviving = true;
          attempt(ticket, now);
          reviving = false;
          return super.renew(ticket, now);
        }
        return answer;
      }
    };
  }

  /** A renewal by any client renews the holder. */
  static LockTable renewsAnothers(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Renewal renew(Ticket ticket, long now) {
        Renewal answer = super.renew(ticket, now);
        if (answer instanceof Renewal.Gone) {
          find(ticket.name())
              .flatMap(name -> name.holders.values().stream().findFirst())
              .ifPresent(e -> super.renew(e.ticket, now));
        }
        return answer;
      }
    };
  }

  /** A waiter that polls is told to wait on. */
  static LockTable pollsInVain(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Renewal renew(Ticket ticket, long now) {
        Renewal answer = super.renew(ticket, now);
        return answer instanceof Renewal.AttemptNow ? new Renewal.Waiting() : answer;
      }
    };
  }

  /** Of those that may go on it wakes none, or the first only. */
  static LockTable wakesAtMost(InMemorySettings settings, int count) {
    return new LockTable(settings) {
      private int woken;

      @Override
      Attempt attempt(Ticket ticket, long now) {
        woken = count;
        return super.attempt(ticket, now);
      }

      @Override
      List<Report> takeReports() {
        woken = 0;
        return super.takeReports();
      }

      @Override
      void report(Report report) {
        if (report instanceof Lost || woken++ < count) {
          super.report(report);
        }
      }
    };
  }

  /** A repeated attempt does not keep the place of its ticket alive. */
  static LockTable forgetsWhoAttemptsAgain(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      void keepPlace(LockName name, Ticket ticket, long now) {
        if (!name.waiters.containsKey(ticket.id())) {
          super.keepPlace(name, ticket, now);
        }
      }
    };
  }

  /** The places of those that were served along a run stay in the queue. */
  static LockTable keepsThePlacesOfTheServed(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      Release release(Ticket ticket, Collection<LeaseId> served, long now) {
        return release(ticket, now);
      }
    };
  }

  /** A run names all of its client that wait. */
  static LockTable runsReachOverOthers(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      List<LeaseId> run(LockName name, Ticket ticket) {
        List<LeaseId> all = new ArrayList<>(name.waiters.keySet());
        all.removeIf(id -> id.client() != ticket.id().client());
        return ticket.fair() && ticket.mode() == LockMode.EXCLUSIVE ? all : List.of();
      }
    };
  }

  /** A waiter that gave up keeps its place. */
  static LockTable keepsThePlaceOfWhoGaveUp(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      boolean withdraw(Ticket ticket, long now) {
        return waits(ticket.name(), ticket.id(), now) || super.withdraw(ticket, now);
      }
    };
  }

  /** A try of one writer that finds another keeps the place by which it was seen. */
  static LockTable keepsThePlaceOfAFailedTry(InMemorySettings settings) {
    return new LockTable(settings) {
      @Override
      boolean withdraw(Ticket ticket, long now) {
        boolean stays =
            ticket.intent() == Ticket.Intent.TRY
                && waits(ticket.name(), ticket.id(), now)
                && isAmongWriters(ticket);
        return stays || super.withdraw(ticket, now);
      }

      private boolean isAmongWriters(Ticket ticket) {
        return ticket.mode() == LockMode.EXCLUSIVE
            && find(ticket.name()).stream()
                .flatMap(name -> name.holders.values().stream())
                .allMatch(holder -> holder.ticket.mode() == LockMode.EXCLUSIVE);
      }
    };
  }

  /** It says that nothing of the id can land any more, and does not remember the id. */
  static LockTable forgetsWhatWasWithdrawn(InMemorySettings settings) {
    return new LockTable(settings) {
      private boolean withdrawing;

      @Override
      boolean withdraw(Ticket ticket, long now) {
        withdrawing = true;
        boolean isFinal = super.withdraw(ticket, now);
        withdrawing = false;
        return isFinal;
      }

      @Override
      void bury(LeaseId id, long now) {
        if (!withdrawing) {
          super.bury(id, now);
        }
      }
    };
  }

  /** A lease of some mode, or a place, that never ends by itself. */
  static LockTable neverEnds(InMemorySettings settings, LockMode mode) {
    return new LockTable(settings) {
      @Override
      Attempt attempt(Ticket ticket, long now) {
        Attempt answer = super.attempt(ticket, now);
        find(ticket.name())
            .map(name -> name.holders.get(ticket.id()))
            .filter(e -> e.ticket.mode() == mode)
            .ifPresent(e -> prolong(e.ticket, now));
        return answer;
      }

      private void prolong(Ticket ticket, long now) {
        Ticket forEver =
            new Ticket(
                ticket.name(),
                ticket.id(),
                ticket.mode(),
                ticket.permits(),
                ticket.limit(),
                Duration.ofDays(1),
                ticket.intent(),
                ticket.fair(),
                ticket.holder());
        super.renew(forEver, now);
      }
    };
  }

  // ---- names with other rules

  static LockTable withNames(InMemorySettings settings, NameRule rule) {
    return new LockTable(settings) {
      @Override
      LockName newName(InMemorySettings forSettings) {
        return rule.name(forSettings);
      }
    };
  }

  /** Makes names that know their own rules. */
  interface NameRule {
    LockName name(InMemorySettings settings);
  }

  static LockName countsLeasesNotPermits(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      int permitsOut() {
        return holders.size();
      }
    };
  }

  static LockName doesNotBindTheSize(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      Optional<Ticket> otherKind(Ticket ticket) {
        return super.otherKind(ticket).filter(t -> t.mode() != ticket.mode());
      }
    };
  }

  static LockName mixesKinds(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      Optional<Ticket> otherKind(Ticket ticket) {
        return super.otherKind(ticket).filter(t -> t.mode() == ticket.mode());
      }
    };
  }

  /** What comes free goes to one, and to the next only after that. */
  static LockName grantsToOneAtATime(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      List<Entry> admissible() {
        boolean unasked = holders.values().stream().anyMatch(e -> e.unconfirmed);
        return unasked ? List.of() : super.admissible();
      }
    };
  }

  static LockName letsReadersPast(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      boolean comesFirst(Ticket earlier, Ticket later) {
        return later.mode() != LockMode.SHARED && super.comesFirst(earlier, later);
      }
    };
  }

  static LockName servesTheLastFirst(InMemorySettings settings) {
    return new LockName(settings) {
      @Override
      boolean mayPass(Ticket ticket) {
        List<Entry> lastFirst = new ArrayList<>(waiters.values());
        Collections.reverse(lastFirst);
        Optional<Entry> first = lastFirst.stream().filter(e -> e.ticket.fair()).findFirst();
        if (!ticket.fair() || first.isEmpty()) {
          return super.mayPass(ticket);
        }
        return first.get().ticket.id().equals(ticket.id());
      }
    };
  }
}
