package io.leasehold.spring.autoconfigure;

import io.leasehold.MissingTraitException;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.spring.InvalidAnnotationException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Says why an application does not start because of its locks, and what to do. */
final class LeaseholdFailureAnalyzer implements FailureAnalyzer {
  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String action = action(cause);
      if (action != null) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), action, cause);
      }
    }
    return null;
  }

  private static @Nullable String action(Throwable cause) {
    if (cause instanceof LeaseholdSettingsException settings) {
      return settings.action();
    }
    if (cause instanceof InvalidAnnotationException) {
      return "Correct the annotation, or the class that it stands in.";
    }
    if (cause instanceof MissingTraitException missing) {
      return missing.trait() == Trait.FENCING
          ? "Use a store with fencing tokens, or write leasehold.accept-unfenced=true if the locks"
              + " only save work."
          : "Use a store that has it, or remove " + missing.trait() + " from leasehold.require.";
    }
    if (cause instanceof StoreException store) {
      return switch (store.failure()) {
        case UNAVAILABLE, UNKNOWN_OUTCOME ->
            "Start the store, or correct its address: leasehold.url, or the bean that it is in.";
        case BUSY -> "Start again; if this recurs, raise leasehold.request-timeout.";
        case REFUSED ->
            "Do what the message says. Missing tables of a DataSource are created by"
                + " leasehold.create-tables=true.";
      };
    }
    return null;
  }
}
