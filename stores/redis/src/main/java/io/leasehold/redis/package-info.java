/**
 * Locks in Redis and Valkey: {@code redis://host:port}, {@code rediss://} with TLS, or over a
 * client of the application ({@link io.leasehold.redis.RedisStores} for Jedis, {@link
 * io.leasehold.redis.LettuceStores} for Lettuce).
 */
@NullMarked
package io.leasehold.redis;

import org.jspecify.annotations.NullMarked;
