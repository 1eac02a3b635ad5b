package io.leasehold.spi;

/** Opens a store for one client. */
@FunctionalInterface
public interface StoreFactory {
  /**
   * Opens it. Takes bounded time.
   *
   * @param listener whom the open store reports to
   * @throws io.leasehold.StoreException if it cannot be reached or refuses
   */
  LockStore open(StoreListener listener);
}
