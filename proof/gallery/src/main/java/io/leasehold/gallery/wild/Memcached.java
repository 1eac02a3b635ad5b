package io.leasehold.gallery.wild;

/** A client of memcached, as libraries have it. */
public interface Memcached {
  /** Stores it unless it is there. */
  boolean add(String key, int seconds, String value) throws Exception;

  /** Removes it. */
  void delete(String key) throws Exception;
}
