package io.leasehold.gallery.wild;

/** A lock as people write it. */
public interface WildLock {
  /** Tries once. */
  boolean tryLock() throws Exception;

  /** Lets it go. */
  void unlock() throws Exception;
}
