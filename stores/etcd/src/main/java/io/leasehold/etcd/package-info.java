/** Locks in etcd: {@code etcd://host:port,host:port}, {@code etcds://} with TLS. */
@NullMarked
package io.leasehold.etcd;

import org.jspecify.annotations.NullMarked;
