package io.leasehold.spi;

/** Opens a store for one client. */
@FunctionalInterface
public interface StoreFactory {
  /**
   * Opens the store. Returns or fails in bounded time.
   *
   * @param listener receives the reports of the open store
   * @throws io.leasehold.StoreException if the store cannot be reached, or refuses the client
   */
  LockStore open(StoreListener listener);
}
