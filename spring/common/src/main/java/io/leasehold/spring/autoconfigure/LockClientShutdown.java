package io.leasehold.spring.autoconfigure;

import io.leasehold.LockClient;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the client when the context closes: after the web server, listeners and schedulers have
 * stopped, and before connection factories stop, which they do before any bean is destroyed. A
 * context that is stopped, or paused, but not closed keeps its locks.
 */
final class LockClientShutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {
  /** The last to stop before those of phase 0. */
  static final int PHASE = 1;

  private final LockClient client;
  private final ApplicationContext context;
  private volatile boolean running;
  private volatile boolean closing;

  LockClientShutdown(LockClient client, ApplicationContext context) {
    this.client = client;
    this.context = context;
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    // The events of a child come here too
    if (event.getApplicationContext().equals(context)) {
      closing = true;
    }
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    if (closing) {
      client.close();
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
