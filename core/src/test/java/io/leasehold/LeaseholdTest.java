package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.StoreProvider;
import io.leasehold.spi.StoreUrl;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input at the front door: one clear error, with no secret in it. */
class LeaseholdTest {
  @Test
  void R15_anUnknownSchemeIsRefusedAndTheModulesAreNamed() {
    assertThatThrownBy(() -> Leasehold.connect("bolt://user:s3cret@host/db?password=s3cret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bolt")
        .hasMessageContaining("there are modules for consul, consuls, etcd")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void aKnownSchemeWithoutItsModuleNamesTheModule() {
    assertThatThrownBy(() -> Leasehold.connect("file:/tmp/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("io.leasehold:leasehold-jdbc");
  }

  @Test
  void theModuleForSqlServersIsNamed() {
    assertThatThrownBy(() -> Leasehold.connect("jdbc:postgresql://user:s3cret@host/db"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no store on the class path serves jdbc: add the module io.leasehold:leasehold-jdbc");
  }

  @ParameterizedTest
  @CsvSource({
    "postgresql, jdbc:postgresql://",
    "postgres, jdbc:postgresql://",
    "mysql, jdbc:mysql://",
    "mariadb, jdbc:mariadb://",
    "sqlite, file:PATH",
    "valkey, redis://",
    "valkeys, rediss://"
  })
  void aSchemeThatPeopleTryIsAnsweredByTheOneThatWorks(String scheme, String works) {
    assertThatThrownBy(() -> Leasehold.connect(scheme + "://user:s3cret@host/db"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown store URL scheme " + scheme + ", write " + works)
        .hasMessageContaining(
            "file, jdbc, memcached, redis, redis+cluster, redis+sentinel, rediss, rediss+cluster, rediss+sentinel")
        .hasMessageNotContaining("s3cret");
  }

  /** As a thread of the common pool has it in a web application: its own knows nothing of us. */
  @Test
  void storesAreFoundWhateverTheThreadsClassLoader(@TempDir Path dir) throws Exception {
    Path services = Files.createDirectories(dir.resolve("META-INF/services"));
    Files.writeString(
        services.resolve("io.leasehold.spi.StoreProvider"), OwnProvider.class.getName());
    URL[] here = {
      dir.toUri().toURL(),
      Leasehold.class.getProtectionDomain().getCodeSource().getLocation(),
      OwnProvider.class.getProtectionDomain().getCodeSource().getLocation()
    };
    Thread me = Thread.currentThread();
    ClassLoader before = me.getContextClassLoader();
    try (URLClassLoader application =
        new URLClassLoader(here, ClassLoader.getPlatformClassLoader())) {
      me.setContextClassLoader(ClassLoader.getPlatformClassLoader());
      Object ddl =
          application
              .loadClass(Leasehold.class.getName())
              .getMethod("ddl", String.class)
              .invoke(null, "own:x");
      assertThat(ddl).isEqualTo(Optional.of("of the application"));
    } finally {
      me.setContextClassLoader(before);
    }
  }

  /** Found by a class loader of the test only. */
  public static final class OwnProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
      return Set.of("own");
    }

    @Override
    public StoreFactory factory(StoreUrl url) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> ddl(StoreUrl url) {
      return Optional.of("of the application");
    }
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
  void onlyALossIsAnIllegalMonitorStateAndAllElseALockException() {
    assertThat(IllegalMonitorStateException.class).isAssignableFrom(LeaseLostException.class);
    assertThat(LockException.class.getSuperclass()).isEqualTo(RuntimeException.class);
    assertThat(LockException.class)
        .isAssignableFrom(LeaseTooShortException.class)
        .isAssignableFrom(LockKindException.class)
        .isAssignableFrom(LockTimeoutException.class)
        .isAssignableFrom(StoreException.class)
        .isAssignableFrom(ClientClosedException.class)
        .isAssignableFrom(MissingTraitException.class);
  }
}
