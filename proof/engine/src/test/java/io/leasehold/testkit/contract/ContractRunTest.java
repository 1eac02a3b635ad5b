package io.leasehold.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockClient;
import io.leasehold.testkit.InMemoryServer;
import io.leasehold.testkit.contract.ScoreCard.Outcome;
import io.leasehold.testkit.contract.ScoreCard.Score;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The score of a contract that is run by a program, and what the documents read of its tests. */
class ContractRunTest {
  private static List<Method> tests() {
    return Arrays.stream(StoreContract.class.getMethods())
        .filter(method -> method.isAnnotationPresent(ContractTest.class))
        .toList();
  }

  @Test
  void everyRuleHasTestsThatAreNamedAfterIt() {
    assertThat(tests())
        .allSatisfy(
            test -> {
              String promise = test.getAnnotation(DisplayName.class).value();
              int rule = Integer.parseInt(test.getName().substring(1, 3));
              assertThat(test.getName()).matches("R\\d\\d_[a-z]\\w+");
              assertThat(promise).startsWith("R" + rule + " ").doesNotEndWith(".");
            });
    assertThat(tests())
        .extracting(test -> Integer.parseInt(test.getName().substring(1, 3)))
        .containsAll(IntStream.rangeClosed(1, 21).boxed().toList());
  }

  /** An adapter that has nothing but a client. */
  private static LockClient claimsNothing() {
    return (LockClient)
        Proxy.newProxyInstance(
            LockClient.class.getClassLoader(),
            new Class<?>[] {LockClient.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" ->
                      System.identityHashCode(proxy) == System.identityHashCode(arguments[0]);
                  case "isClosed" -> false;
                  case "close" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void whatAnAdapterDoesNotHaveIsNotClaimed() throws Exception {
    ContractFixture nothing = settings -> claimsNothing();
    ScoreCard card = ContractRun.on(() -> nothing).withTestsAtOnce(8).run();
    assertThat(card.scores()).hasSameSizeAs(tests());
    assertThat(card.ended(Outcome.PASSED)).isEmpty();
    assertThat(card.ended(Outcome.FAILED)).isEmpty();
    assertThat(card.ended(Outcome.NOT_CLAIMED))
        .extracting(Score::detail)
        .anyMatch(detail -> detail.contains("not claimed: lock"));
    assertThat(card.table()).contains("| NOT_CLAIMED | R1 at most one client holds a lock |");
  }

  @Test
  void theStoreThatCanDoEverythingPasses() throws Exception {
    ScoreCard card =
        ContractRun.on(() -> new StoreFixture(new InMemoryServer())).withTestsAtOnce(8).run();
    assertThat(card.ended(Outcome.FAILED)).isEmpty();
    assertThat(card.ended(Outcome.NOT_CLAIMED))
        .extracting(Score::test)
        // Before JDK 21 there are none
        .filteredOn(test -> !test.contains("VirtualThread"))
        .containsExactly(
            "R04_tokensRiseOverARestart",
            "R06_aLeaderThatTheStoreForgotHearsOfIt",
            "R06_aLeaseThatTheStoreForgotIsNoticed",
            "R11_aWaiterSurvivesARestart");
  }
}
