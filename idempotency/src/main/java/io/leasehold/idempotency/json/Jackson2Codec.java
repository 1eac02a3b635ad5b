package io.leasehold.idempotency.json;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.leasehold.idempotency.Codec;
import java.io.IOException;

/**
 * Writes results as JSON by Jackson 2, as UTF-8. What the mapper is set to do when it is given here
 * holds; what is set on it later need not. Needs {@code
 * com.fasterxml.jackson.core:jackson-databind} on the class path, which the library does not bring.
 * Immutable and thread-safe.
 *
 * <p>The JSON outlives releases of the application, for as long as results are kept: let the type
 * read what its earlier shape wrote (a new field has a default, an unknown one is ignored).
 *
 * @param <T> what the work yields; JSON's {@code null} is read as {@code null}
 */
public final class Jackson2Codec<T> implements Codec<T> {
  private final ObjectWriter writer;
  private final ObjectReader reader;

  private Jackson2Codec(ObjectMapper mapper, JavaType type) {
    this.writer = mapper.writerFor(type);
    this.reader = mapper.readerFor(type);
  }

  /**
   * For a class.
   *
   * @param mapper the application's; is not closed
   */
  public static <T> Jackson2Codec<T> of(ObjectMapper mapper, Class<T> type) {
    return new Jackson2Codec<>(mapper, mapper.constructType(type));
  }

  /**
   * For a type with parameters: {@code new TypeReference<List<Order>>() {}}.
   *
   * @param mapper the application's; is not closed
   */
  public static <T> Jackson2Codec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new Jackson2Codec<>(mapper, mapper.constructType(type));
  }

  @Override
  public byte[] encode(T value) throws IOException {
    return writer.writeValueAsBytes(value);
  }

  @Override
  public T decode(byte[] bytes) throws IOException {
    return reader.readValue(bytes);
  }
}
