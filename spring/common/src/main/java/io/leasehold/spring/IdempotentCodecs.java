package io.leasehold.spring;

import io.leasehold.idempotency.Codec;
import java.lang.reflect.Type;

/**
 * How the results of {@link Idempotent} methods become bytes. The starter defines one that writes
 * JSON by the Jackson mapper of the application; a bean of this type replaces it.
 */
@FunctionalInterface
public interface IdempotentCodecs {
  /**
   * The codec of the results of a method. It never gets null, and must write one byte at least.
   *
   * @param type what the method returns
   */
  Codec<Object> codec(Type type);
}
