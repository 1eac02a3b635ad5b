package io.leasehold.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads any answer as {@link Wire#send} gives it. */
final class LettuceReply extends CommandOutput<byte[], byte[], @Nullable Object> {
  private final Deque<List<@Nullable Object>> around = new ArrayDeque<>();
  private @Nullable List<@Nullable Object> current;

  LettuceReply() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  @Override
  public void set(long number) {
    add(number);
  }

  @Override
  public void set(@Nullable ByteBuffer bytes) {
    add(bytes == null ? null : codec.decodeValue(bytes));
  }

  @Override
  public void setSingle(@Nullable ByteBuffer bytes) {
    set(bytes);
  }

  private void add(@Nullable Object value) {
    if (current == null) {
      output = value;
    } else {
      current.add(value);
    }
  }

  @Override
  public void multi(int count) {
    List<@Nullable Object> list = new ArrayList<>(Math.max(0, count));
    add(list);
    if (current != null) {
      around.push(current);
    }
    current = list;
  }

  /** A list ended; those around it are {@code depth} deep. */
  @Override
  public void complete(int depth) {
    if (depth > 0 && depth <= around.size()) {
      current = around.pop();
    }
  }
}
