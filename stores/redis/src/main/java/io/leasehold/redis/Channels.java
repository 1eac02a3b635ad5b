package io.leasehold.redis;

import io.leasehold.redis.Wire.Listening;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The channels on which this client is woken: one, or in a cluster one for each bucket in which it
 * waits, so that a message concerns only the node that has the bucket. Thread-safe.
 */
final class Channels {
  private final Node node;
  private final Keys keys;
  private final Consumer<byte[]> message;
  private final Consumer<String> again;
  private final long client = new SecureRandom().nextLong();
  private final Map<String, Listening> ofBuckets = new ConcurrentHashMap<>();

  /** Of all buckets, if they have none of their own. */
  private final Listening ofAll;

  /**
   * None is listened to yet.
   *
   * @param message told of each message
   * @param again told of a channel on which messages may have been lost; see {@link Wire#listen}
   */
  Channels(Node node, Keys keys, Consumer<byte[]> message, Consumer<String> again) {
    this.node = node;
    this.keys = keys;
    this.message = message;
    this.again = again;
    this.ofAll = listen(keys.channel(client));
  }

  private Listening listen(String channel) {
    return node.wire().listen(channel, message, () -> again.accept(channel));
  }

  /** That of the waiters for a name. */
  Listening of(String name) {
    return node.isSharded()
        ? ofBuckets.computeIfAbsent(keys.of(name).channel(client), this::listen)
        : ofAll;
  }
}
