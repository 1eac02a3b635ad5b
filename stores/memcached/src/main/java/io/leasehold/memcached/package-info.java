/** Locks in memcached: {@code memcached://host:port}. */
@NullMarked
package io.leasehold.memcached;

import org.jspecify.annotations.NullMarked;
