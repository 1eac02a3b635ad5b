package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.event.LockListener;
import io.leasehold.internal.Engine;
import io.leasehold.servers.SqlServer;
import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.testkit.FaultProxy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each request of a client in turn is cut off on the wire. */
@TestInstance(Lifecycle.PER_CLASS)
class LostReplyTest extends LossTest {
  private final Map<Kind, FaultProxy> proxies = new EnumMap<>(Kind.class);

  private FaultProxy proxy(Kind kind) {
    SqlServer server = SharedServers.of(kind);
    return proxies.computeIfAbsent(
        kind, k -> FaultProxy.to(server.host(), server.port(), SqlFraming.of(kind)));
  }

  @AfterAll
  void closeProxies() {
    proxies.values().forEach(FaultProxy::close);
  }

  /** Where a request is cut off. */
  @FunctionalInterface
  private interface Cut {
    void at(FaultProxy proxy, int request);
  }

  @ParameterizedTest
  @MethodSource("everyActOnEveryServer")
  void beforeTheServerHasIt(Kind kind, Act act) throws Exception {
    int points = loseEach(kind, act, cut(kind, FaultProxy::cutBefore));
    assertThat(points).isGreaterThanOrEqualTo(act.requests);
  }

  @ParameterizedTest
  @MethodSource("everyActOnEveryServer")
  void afterTheServerHasAppliedIt(Kind kind, Act act) throws Exception {
    int points = loseEach(kind, act, cut(kind, FaultProxy::cutAfter));
    assertThat(points).isGreaterThanOrEqualTo(act.requests);
  }

  static Stream<Arguments> everyActOfSessionsOnEveryServer() {
    return Arrays.stream(Kind.values())
        .flatMap(
            kind ->
                Stream.of(Act.FREE_PAIR, Act.BUSY_TRY, Act.WAITER)
                    .map(act -> Arguments.of(kind, act)));
  }

  @ParameterizedTest
  @MethodSource("everyActOfSessionsOnEveryServer")
  void ofASessionBeforeTheServerHasIt(Kind kind, Act act) throws Exception {
    int points = loseEachOfSessions(kind, act, cut(kind, FaultProxy::cutBefore, "&mode=session"));
    assertThat(points).isGreaterThanOrEqualTo(act.requests);
  }

  @ParameterizedTest
  @MethodSource("everyActOfSessionsOnEveryServer")
  void ofASessionAfterTheServerHasAppliedIt(Kind kind, Act act) throws Exception {
    int points = loseEachOfSessions(kind, act, cut(kind, FaultProxy::cutAfter, "&mode=session"));
    assertThat(points).isGreaterThanOrEqualTo(act.requests);
  }

  private Loss cut(Kind kind, Cut cut) {
    return cut(kind, cut, "");
  }

  private Loss cut(Kind kind, Cut cut, String mode) {
    FaultProxy proxy = proxy(kind);
    String url = SharedServers.of(kind).jdbcUrlBy(proxy.port()) + mode;
    return new Loss() {
      private int lost;

      @Override
      public Engine client(LockListener listener) {
        return clientAt(url, how -> how.listener(listener));
      }

      @Override
      public void at(int request) {
        lost = proxy.requests() + request;
        cut.at(proxy, lost);
      }

      @Override
      public boolean end() {
        // Its connection may still be open: the client waits for no answer of the one that listens
        boolean hasBegun = proxy.requests() > lost;
        proxy.heal();
        return hasBegun;
      }
    };
  }
}
