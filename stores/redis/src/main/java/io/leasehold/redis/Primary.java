package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.redis.Command.Name;
import java.time.Duration;

/** Of a server that another one names: that server may be wrong, or late. */
final class Primary {
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private Primary() {}

  /**
   * Gives a connection back if it leads to a primary; else ends it.
   *
   * @param server for messages
   * @param namedBy for messages: as in "its Sentinels name"
   * @throws StoreException if the server is a replica, or does not let itself be asked
   */
  static Link require(Link link, String server, String namedBy) {
    boolean isPrimary = false;
    try {
      link.write(Command.of(Name.ROLE));
      Object answer = link.read(ANSWER);
      if (answer instanceof ServerError error) {
        throw error.asException(server, null);
      }
      isPrimary = Command.text(Replies.bulk(Replies.list(answer).get(0))).equals("master");
      if (isPrimary) {
        return link;
      }
      throw new StoreException(
          Failure.UNAVAILABLE,
          server + ", which " + namedBy + ", is a replica: a failover is going on",
          null);
    } finally {
      if (!isPrimary) {
        link.end();
      }
    }
  }
}
