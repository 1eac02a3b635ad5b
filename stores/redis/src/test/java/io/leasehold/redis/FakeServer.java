package io.leasehold.redis;

import io.leasehold.spi.Traits.Calls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A real server that answers some commands as another product does. */
class FakeServer implements Wire {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private final Wire real;
  private final List<Command.Name> asked = new CopyOnWriteArrayList<>();

  FakeServer(Wire real) {
    this.real = real;
  }

  /** As the product does. */
  @Nullable Object answer(Command command) {
    return real.send(List.of(command), WITHIN).toCompletableFuture().join().get(0);
  }

  /** The commands of all requests so far. */
  final List<Command.Name> asked() {
    return List.copyOf(asked);
  }

  @Override
  public final CompletionStage<List<Object>> send(List<Command> commands, Duration within) {
    List<Object> answers = new ArrayList<>();
    for (Command command : commands) {
      asked.add(command.name());
      answers.add(answer(command));
    }
    return CompletableFuture.completedFuture(answers);
  }

  @Override
  public final String server() {
    return real.server();
  }

  @Override
  public final Calls calls() {
    return real.calls();
  }

  @Override
  public final Listening listen(String channel, Consumer<byte[]> message, Runnable again) {
    return real.listen(channel, message, again);
  }

  @Override
  public final void onReconnect(Runnable told) {
    real.onReconnect(told);
  }

  @Override
  public final void onTakeOver(Supplier<? extends CompletionStage<?>> told) {
    real.onTakeOver(told);
  }

  @Override
  public final void close() {
    real.close();
  }
}
