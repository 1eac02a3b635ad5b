package io.leasehold.idempotency.json;

import io.leasehold.idempotency.Codec;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * Writes results as JSON by Jackson 3, as UTF-8. What the mapper is set to do when it is given here
 * holds; what is set on it later need not. Needs {@code tools.jackson.core:jackson-databind} on the
 * class path, which the library does not bring. Immutable and thread-safe.
 *
 * <p>The JSON outlives releases of the application, for as long as results are kept: let the type
 * read what its earlier shape wrote (a new field has a default, an unknown one is ignored).
 *
 * @param <T> what the work yields; JSON's {@code null} is read as {@code null}
 */
public final class Jackson3Codec<T> implements Codec<T> {
  private final ObjectWriter writer;
  private final ObjectReader reader;

  private Jackson3Codec(ObjectMapper mapper, JavaType type) {
    this.writer = mapper.writerFor(type);
    this.reader = mapper.readerFor(type);
  }

  /**
   * For a class.
   *
   * @param mapper the application's; is not closed
   */
  public static <T> Jackson3Codec<T> of(ObjectMapper mapper, Class<T> type) {
    return new Jackson3Codec<>(mapper, mapper.constructType(type));
  }

  /**
   * For a type with parameters: {@code new TypeReference<List<Order>>() {}}.
   *
   * @param mapper the application's; is not closed
   */
  public static <T> Jackson3Codec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new Jackson3Codec<>(mapper, mapper.constructType(type));
  }

  @Override
  public byte[] encode(T value) {
    return writer.writeValueAsBytes(value);
  }

  @Override
  public T decode(byte[] bytes) {
    return reader.readValue(bytes);
  }
}
