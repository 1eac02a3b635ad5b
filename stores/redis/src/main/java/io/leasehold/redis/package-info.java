/**
 * Locks in Redis and Valkey: {@code redis://host:port}, {@code rediss://} with TLS, or over a
 * client that the application already has ({@link io.leasehold.redis.RedisStores}).
 */
@NullMarked
package io.leasehold.redis;

import org.jspecify.annotations.NullMarked;
