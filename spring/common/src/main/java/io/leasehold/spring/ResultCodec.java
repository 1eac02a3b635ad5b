package io.leasehold.spring;

import io.leasehold.idempotency.Codec;
import java.util.Optional;

/**
 * Results that may be null, which is no byte.
 *
 * @param values the codec of the others; empty if all are null
 */
record ResultCodec(Optional<Codec<Object>> values) implements Codec<Optional<Object>> {
  @Override
  public byte[] encode(Optional<Object> value) throws Exception {
    if (value.isEmpty()) {
      return new byte[0];
    }
    byte[] bytes = values.orElseThrow().encode(value.get());
    if (bytes.length == 0) {
      throw new IllegalStateException("the codec has written nothing, which stands for null");
    }
    return bytes;
  }

  @Override
  public Optional<Object> decode(byte[] bytes) throws Exception {
    return bytes.length == 0
        ? Optional.empty()
        : Optional.ofNullable(values.orElseThrow().decode(bytes));
  }
}
