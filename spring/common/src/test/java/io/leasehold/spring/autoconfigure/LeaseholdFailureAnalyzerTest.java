package io.leasehold.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

class LeaseholdFailureAnalyzerTest {
  private final FailureAnalyzer analyzer =
      SpringFactoriesLoader.forDefaultResourceLocation()
          .load(FailureAnalyzer.class, FailureHandler.handleMessage((message, why) -> {}))
          .stream()
          .filter(LeaseholdFailureAnalyzer.class::isInstance)
          .findFirst()
          .orElseThrow();

  private String action(RuntimeException failure) {
    return analyzer
        .analyze(new IllegalStateException("a bean cannot be made", failure))
        .getAction();
  }

  @Test
  void saysWhatToWrite() {
    assertThat(action(new LeaseholdSettingsException("several", "Write leasehold.bean=x")))
        .isEqualTo("Write leasehold.bean=x");
    assertThat(action(new MissingTraitException(Trait.FENCING, "no tokens")))
        .contains("leasehold.accept-unfenced=true");
    assertThat(action(new MissingTraitException(Trait.FIFO, "no queue")))
        .contains("leasehold.require");
  }

  @ParameterizedTest
  @EnumSource(StoreException.Failure.class)
  void saysWhatToDoAboutTheStore(StoreException.Failure failure) {
    assertThat(action(new StoreException(failure, "of the store", null))).isNotEmpty();
  }

  @Test
  void leavesOtherFailuresToOthers() {
    assertThat(analyzer.analyze(new IllegalStateException("another"))).isNull();
  }
}
