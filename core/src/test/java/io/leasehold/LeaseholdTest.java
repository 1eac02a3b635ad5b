package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input at the front door: one clear error, with no secret in it. */
class LeaseholdTest {
  @Test
  void R15_anUnknownSchemeIsRefusedAndTheModulesAreNamed() {
    assertThatThrownBy(() -> Leasehold.connect("bolt://user:s3cret@host/db?password=s3cret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bolt")
        .hasMessageContaining("there are modules for file")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void aKnownSchemeWithoutItsModuleNamesTheModule() {
    assertThatThrownBy(() -> Leasehold.connect("file:/tmp/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("io.leasehold:leasehold-jdbc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", ":", "//host", "1st:x", "a b:x"})
  void whatIsNoUrlIsRefused(String url) {
    assertThatThrownBy(() -> Leasehold.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("scheme");
  }

  @Test
  void optionsRefuseDurationsThatAreNotPositive() {
    LockOptions options = LockOptions.defaults();
    assertThatThrownBy(() -> options.withTtl(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ttl must be positive, but is PT0S");
    assertThatThrownBy(() -> options.withMaxHold(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxHold");
  }

  @Test
  void everyFailureIsALockExceptionAndAnIllegalMonitorState() {
    assertThat(IllegalMonitorStateException.class).isAssignableFrom(LeaseLostException.class);
    assertThat(LockException.class)
        .isAssignableFrom(LeaseLostException.class)
        .isAssignableFrom(LockTimeoutException.class)
        .isAssignableFrom(StoreException.class)
        .isAssignableFrom(ClientClosedException.class)
        .isAssignableFrom(MissingTraitException.class);
  }
}
