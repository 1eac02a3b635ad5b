package io.leasehold.gallery.wild;

/** Stands for a ScheduledExecutorService, so that the gallery can turn its clock. */
@FunctionalInterface
public interface Timer {
  /** Does it again and again; what is returned ends that. */
  Runnable every(int seconds, Runnable work);
}
