package io.leasehold.spring;

import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads texts of annotations that may have {@code ${…}} in them.
 *
 * @param properties replaces these
 */
record Placeholders(UnaryOperator<@Nullable String> properties) {
  String resolved(String text) {
    String resolved = properties.apply(text);
    return resolved == null ? "" : resolved;
  }

  /** Empty if the text is. */
  Optional<Duration> duration(String text) {
    String resolved = resolved(text).strip();
    return resolved.isEmpty() ? Optional.empty() : Optional.of(Durations.parse(resolved));
  }
}
