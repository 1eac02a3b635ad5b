package io.leasehold.idempotency.contract;

import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.ClaimAnswer;
import io.leasehold.idempotency.spi.ClaimAnswer.Claimed;
import io.leasehold.idempotency.spi.ClaimId;
import io.leasehold.idempotency.spi.ClaimRequest;
import io.leasehold.idempotency.spi.ClaimRequest.Intent;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.idempotency.spi.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Stores each of which breaks one rule, in ways that stores on offer break it. */
enum BrokenStores {
  /** Looks, then inserts, and does not look at what the insert says. */
  CHECK_THEN_ACT(StoreRule.I01) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final CyclicBarrier both = new CyclicBarrier(2);

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          boolean free = isAbsent(r, within);
          if (free && r.intent() == Intent.TAKE_OVER && meet(both)) {
            super.claim(r, within);
            return new Claimed(1, false);
          }
          return super.claim(r, within);
        }
      };
    }
  },
  /** Deletes what is stale, and ignores who inserts next. */
  EVICTS_STALE(StoreRule.I02) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final CyclicBarrier both = new CyclicBarrier(2);

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer seen = look(r, within);
          if (seen instanceof ClaimAnswer.Lapsed
              && r.intent() == Intent.TAKE_OVER
              && concurrent()
              && meet(both)) {
            super.claim(r, within);
            return new Claimed(Long.MAX_VALUE, true);
          }
          return super.claim(r, within);
        }
      };
    }
  },
  FORGETS_ITS_OWNER(StoreRule.I03) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer seen = look(r, within);
          return seen instanceof ClaimAnswer.Running && r.intent() == Intent.CLAIM
              ? seen
              : super.claim(r, within);
        }
      };
    }
  },
  FORGETS_A_TAKE_OVER(StoreRule.I04) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Set<String> told = ConcurrentHashMap.newKeySet();

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          return answer instanceof Claimed claimed && !told.add(r.owner())
              ? new Claimed(claimed.token(), false)
              : answer;
        }
      };
    }
  },
  TOKENS_BEGIN_AGAIN(StoreRule.I05) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Map<String, Long> base = new ConcurrentHashMap<>();

        private ClaimId real(ClaimId id) {
          return new ClaimId(id.key(), id.owner(), id.token() + base.getOrDefault(id.key(), 0L));
        }

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          long less = base.getOrDefault(r.key(), 0L);
          if (answer instanceof Claimed c) {
            return new Claimed(c.token() - less, c.takenOver());
          }
          return answer instanceof ClaimAnswer.Lapsed l
              ? new ClaimAnswer.Lapsed(l.token() - less)
              : answer;
        }

        @Override
        public boolean release(String key, String owner, boolean even, Duration within) {
          boolean was = super.release(key, owner, even, within);
          if (was) {
            ClaimAnswer probe = super.claim(request(key, Intent.CLAIM), within);
            base.put(key, ((Claimed) probe).token());
            super.forget(key, within);
          }
          return was;
        }

        @Override
        public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
          return super.extend(real(claim), life, keep, within);
        }

        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          return super.complete(real(claim), o, keep, within);
        }
      };
    }
  },
  IGNORES_FINGERPRINTS_OF_RESULTS(StoreRule.I06) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Map<String, Outcome> done = new ConcurrentHashMap<>();

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          Outcome outcome = done.get(r.key());
          return answer instanceof ClaimAnswer.OtherFingerprint && outcome != null
              ? new ClaimAnswer.Finished(outcome)
              : answer;
        }

        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          done.put(claim.key(), o);
          return super.complete(claim, o, keep, within);
        }
      };
    }
  },
  TAKES_OVER_UNASKED(StoreRule.I07) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          return super.claim(r.intent() == Intent.CLAIM ? as(r, Intent.TAKE_OVER) : r, within);
        }
      };
    }
  },
  EXTENDS_FROM_THE_END(StoreRule.I08) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
          Duration more = life.isZero() ? life : life.plus(Bed.LONG);
          return super.extend(claim, more, keep, within);
        }
      };
    }
  },
  REVIVES(StoreRule.I09) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
          return super.extend(claim, life, keep, within)
              || (look(request(claim.key(), Intent.LOOK), within)
                      instanceof ClaimAnswer.Lapsed lapsed
                  && lapsed.token() == claim.token());
        }
      };
    }
  },
  COMPLETES_BY_KEY(StoreRule.I10) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Map<String, ClaimId> last = new ConcurrentHashMap<>();

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          if (answer instanceof Claimed claimed) {
            last.put(r.key(), new ClaimId(r.key(), r.owner(), claimed.token()));
          }
          return answer;
        }

        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          return super.complete(last.getOrDefault(claim.key(), claim), o, keep, within);
        }
      };
    }
  },
  REFUSES_A_REPEATED_COMPLETION(StoreRule.I11) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Set<ClaimId> completed = ConcurrentHashMap.newKeySet();

        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          boolean done = super.complete(claim, o, keep, within);
          return done && completed.add(claim);
        }
      };
    }
  },
  /** A result is kept for as long as its claim would have lived. */
  ONE_TIME_TO_LIVE(StoreRule.I12) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Map<String, Duration> lives = new ConcurrentHashMap<>();

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          if (answer instanceof Claimed) {
            lives.put(r.key(), r.life());
          }
          return answer;
        }

        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          Duration life = lives.getOrDefault(claim.key(), keep);
          return super.complete(claim, o, keep.compareTo(life) < 0 ? keep : life, within);
        }
      };
    }
  },
  KEEPS_WHAT_LAPSED(StoreRule.I13) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          return super.claim(keep(r, Bed.LONG), within);
        }
      };
    }
  },
  RELEASES_BY_KEY(StoreRule.I14) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean release(String key, String owner, boolean even, Duration within) {
          return super.release(key, owner, even, within) || (even && super.forget(key, within));
        }
      };
    }
  },
  RELEASES_WHAT_IS_UNKNOWN(StoreRule.I15) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean release(String key, String owner, boolean even, Duration within) {
          return super.release(key, owner, true, within);
        }
      };
    }
  },
  IGNORES_CASE(StoreRule.I16) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean mark(String key, Duration keep, Duration within) {
          return super.mark(key.toLowerCase(Locale.ROOT), keep, within);
        }
      };
    }
  },
  CUTS_RESULTS(StoreRule.I17) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean complete(ClaimId claim, Outcome o, Duration keep, Duration within) {
          byte[] cut = Arrays.copyOf(o.bytes(), Math.min(65_535, o.bytes().length));
          return super.complete(claim, new Outcome(o.kind(), cut), keep, within);
        }
      };
    }
  },
  MARKS_TWICE(StoreRule.I18) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final CyclicBarrier both = new CyclicBarrier(2);

        @Override
        public boolean mark(String key, Duration keep, Duration within) {
          boolean free = super.marked(List.of(key), within).isEmpty();
          if (free && concurrent() && meet(both)) {
            super.mark(key, keep, within);
            return true;
          }
          return super.mark(key, keep, within);
        }
      };
    }
  },
  MARKS_FOR_EVER(StoreRule.I19) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public boolean unmark(String key, Duration within) {
          return true;
        }
      };
    }
  },
  COUNTS_TO_TWO(StoreRule.I20) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        @Override
        public long increment(String key, Duration keep, Duration within) {
          return Math.min(2, super.increment(key, keep, within));
        }
      };
    }
  },
  PURGES_WHAT_LAPSED(StoreRule.I21) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final List<String> keys = new ArrayList<>();

        @Override
        public synchronized ClaimAnswer claim(ClaimRequest r, Duration within) {
          keys.add(r.key());
          return super.claim(r, within);
        }

        @Override
        public synchronized int purge(int most, Duration within) {
          for (String key : keys) {
            if (look(request(key, Intent.LOOK), within) instanceof ClaimAnswer.Lapsed) {
              super.forget(key, within);
            }
          }
          return super.purge(most, within);
        }
      };
    }
  },
  CLAIMS_WHEN_IT_LOOKS(StoreRule.I22) {
    @Override
    IdempotencyStore make() {
      return new Forwarding() {
        private final Set<String> known = ConcurrentHashMap.newKeySet();

        @Override
        public ClaimAnswer claim(ClaimRequest r, Duration within) {
          ClaimAnswer answer = super.claim(r, within);
          if (known.add(r.key()) && r.intent() == Intent.LOOK) {
            super.claim(request(r.key(), Intent.CLAIM), within);
          }
          return answer;
        }
      };
    }
  };

  private final StoreRule breaks;

  BrokenStores(StoreRule breaks) {
    this.breaks = breaks;
  }

  StoreRule breaks() {
    return breaks;
  }

  abstract IdempotencyStore make();

  /** In a race of the contract, and not on the thread of its test. */
  private static boolean concurrent() {
    return Thread.currentThread().getName().startsWith("pool-");
  }

  /** Whether another came here too. */
  private static boolean meet(CyclicBarrier both) {
    try {
      both.await(2, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException | java.util.concurrent.BrokenBarrierException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static ClaimRequest request(String key, Intent intent) {
    return new ClaimRequest(key, Bed.owner(), "f1", intent, Bed.LONG, Bed.LONG);
  }

  private static ClaimRequest as(ClaimRequest r, Intent intent) {
    return new ClaimRequest(r.key(), r.owner(), r.fingerprint(), intent, r.life(), r.keep());
  }

  private static ClaimRequest keep(ClaimRequest r, Duration keep) {
    return new ClaimRequest(r.key(), r.owner(), r.fingerprint(), r.intent(), r.life(), keep);
  }

  /** A right one. */
  private static class Forwarding implements IdempotencyStore {
    private final IdempotencyStore right = IdempotencyStores.inMemory();

    final ClaimAnswer look(ClaimRequest r, Duration within) {
      ClaimRequest looking =
          new ClaimRequest(r.key(), Bed.owner(), r.fingerprint(), Intent.LOOK, r.life(), r.keep());
      return right.claim(looking, within);
    }

    final boolean isAbsent(ClaimRequest r, Duration within) {
      return look(r, within) instanceof ClaimAnswer.Absent;
    }

    @Override
    public ClaimAnswer claim(ClaimRequest request, Duration within) {
      return right.claim(request, within);
    }

    @Override
    public boolean extend(ClaimId claim, Duration life, Duration keep, Duration within) {
      return right.extend(claim, life, keep, within);
    }

    @Override
    public boolean complete(ClaimId claim, Outcome outcome, Duration keep, Duration within) {
      return right.complete(claim, outcome, keep, within);
    }

    @Override
    public boolean release(String key, String owner, boolean evenTakenOver, Duration within) {
      return right.release(key, owner, evenTakenOver, within);
    }

    @Override
    public boolean forget(String key, Duration within) {
      return right.forget(key, within);
    }

    @Override
    public boolean mark(String key, Duration keep, Duration within) {
      return right.mark(key, keep, within);
    }

    @Override
    public long increment(String key, Duration keep, Duration within) {
      return right.increment(key, keep, within);
    }

    @Override
    public boolean unmark(String key, Duration within) {
      return right.unmark(key, within);
    }

    @Override
    public Set<String> marked(List<String> keys, Duration within) {
      return right.marked(keys, within);
    }

    @Override
    public int purge(int most, Duration within) {
      return right.purge(most, within);
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
