package io.leasehold.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Makes sockets that can be shared, and else connects as Jedis does. */
final class ChannelSocketFactory implements JedisSocketFactory {
  private final HostAndPort where;
  private final JedisClientConfig how;

  ChannelSocketFactory(HostAndPort where, JedisClientConfig how) {
    this.where = where;
    this.how = how;
  }

  @Override
  public Socket createSocket() {
    JedisConnectionException failed =
        new JedisConnectionException("Failed to connect to " + where + ".");
    for (InetAddress address : addresses()) {
      try {
        return connected(new InetSocketAddress(address, where.getPort()));
      } catch (IOException e) {
        failed.addSuppressed(e);
      }
    }
    throw failed;
  }

  private InetAddress[] addresses() {
    try {
      return InetAddress.getAllByName(where.getHost());
    } catch (UnknownHostException e) {
      throw new JedisConnectionException("unknown host " + where.getHost(), e);
    }
  }

  private Socket connected(InetSocketAddress address) throws IOException {
    Socket socket = new ChannelSocket();
    try {
      socket.setKeepAlive(true);
      socket.setTcpNoDelay(true);
      socket.setSoLinger(true, 0);
      socket.connect(address, how.getConnectionTimeoutMillis());
      socket.setSoTimeout(how.getSocketTimeoutMillis());
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
