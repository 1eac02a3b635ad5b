package io.leasehold.internal.quorum;

import io.leasehold.internal.Providers;
import io.leasehold.internal.quorum.QuorumStore.Seat;
import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Opens quorums: {@code quorum:URL,URL,URL}. The parameters stand once at the end, and each member
 * gets all of them. Stateless and thread-safe.
 */
public final class Quorums implements StoreProvider {
  private static final String SCHEME = "quorum";

  /** For {@link java.util.ServiceLoader}. */
  public Quorums() {}

  /** Over members without a URL. */
  public static StoreFactory of(StoreFactory... members) {
    List<Seat> seats = new ArrayList<>();
    for (StoreFactory member : members) {
      seats.add(new Seat("member " + (seats.size() + 1), member));
    }
    requireDifferent(List.of(members));
    return of(seats);
  }

  private static StoreFactory of(List<Seat> seats) {
    if (seats.size() < 3 || seats.size() % 2 == 0) {
      throw new IllegalArgumentException(
          "a quorum has an odd number of members, 3 at least, so that one more than half decides,"
              + " but here are "
              + seats.size());
    }
    return listener ->
        QuorumStore.open(
            new SystemClock(),
            Threads::new,
            () -> ThreadLocalRandom.current().nextDouble(),
            seats,
            listener);
  }

  private static void requireDifferent(List<?> members) {
    Set<Object> known = new HashSet<>();
    for (Object member : members) {
      if (!known.add(member)) {
        throw new IllegalArgumentException(
            "member "
                + (members.indexOf(member) + 1)
                + " of the quorum is there twice: its vote would count twice");
      }
    }
  }

  @Override
  public Set<String> schemes() {
    return Set.of(SCHEME);
  }

  @Override
  public StoreFactory factory(StoreUrl url) {
    List<StoreUrl> members = members(url);
    List<Seat> seats = new ArrayList<>();
    for (StoreUrl member : members) {
      String name =
          "member " + (seats.size() + 1) + ", " + member.without(url.parameters().keySet());
      seats.add(
          new Seat(name, Providers.of(member).memberFactory(member, QuorumStore.LONGEST_TTL)));
    }
    requireDifferent(
        members.stream()
            .map(member -> member.scheme() + ":" + member.rest().toLowerCase(Locale.ROOT))
            .toList());
    return of(seats);
  }

  private static List<StoreUrl> members(StoreUrl url) {
    if (url.parameters().values().stream().anyMatch(value -> value.contains("://"))) {
      throw new IllegalArgumentException(
          "the parameters of a quorum stand once, behind its last member, and are those of every"
              + " member");
    }
    return url.members();
  }

  /** That of each kind of member that has tables, once. */
  @Override
  public Optional<String> ddl(StoreUrl url) {
    String all =
        members(url).stream()
            .flatMap(member -> Providers.of(member).ddl(member).stream())
            .distinct()
            .collect(Collectors.joining("\n"));
    return Optional.of(all).filter(text -> !text.isEmpty());
  }
}
