package io.leasehold.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must contain of the stores: their scripts and statements. */
final class LeaseholdRuntimeHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("io/leasehold/jdbc/schema/*.sql");
    hints.resources().registerPattern("io/leasehold/redis/*.lua");
    hints.resources().registerPattern("io/leasehold/idempotency/schema/*.sql");
    hints.resources().registerPattern("io/leasehold/idempotency/redis/*.lua");
    hints.resources().registerPattern("META-INF/services/io.leasehold.spi.StoreProvider");
  }
}
