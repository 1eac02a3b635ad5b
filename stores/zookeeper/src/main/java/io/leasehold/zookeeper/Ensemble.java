package io.leasehold.zookeeper;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * The servers of a client. The client library gives each of n servers one nth of the session to
 * answer, so one machine that is off could take the time in which a store opens, or what is left of
 * a session; here it takes {@value #MOST_SECONDS} seconds at most. Thread-safe.
 */
final class Ensemble implements HostProvider {
  private static final int MOST_SECONDS = 3;

  private final HostProvider servers;
  private final int shares;

  /**
   * Servers to connect to.
   *
   * @param servers host:port, with commas
   * @param session what the client asks for
   */
  Ensemble(String servers, Duration session) {
    this.servers = new StaticHostProvider(new ConnectStringParser(servers).getServerAddresses());
    this.shares = Math.toIntExact(session.toSeconds() / MOST_SECONDS);
  }

  /** The library divides the session by it, and uses it for nothing else. */
  @Override
  public int size() {
    return Math.max(servers.size(), shares);
  }

  @Override
  public InetSocketAddress next(long spinDelay) {
    return servers.next(spinDelay);
  }

  @Override
  public void onConnected() {
    servers.onConnected();
  }

  @Override
  public boolean updateServerList(
      Collection<InetSocketAddress> addresses, InetSocketAddress current) {
    return servers.updateServerList(addresses, current);
  }
}
