package io.leasehold.redis;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Connects with TLS, and checks that the certificate is the host's. */
final class TlsSocketFactory extends DefaultJedisSocketFactory {
  private final HostAndPort where;
  private final SSLSocketFactory tls;

  TlsSocketFactory(HostAndPort where, JedisClientConfig how, SSLSocketFactory tls) {
    super(where, how);
    this.where = where;
    this.tls = tls;
  }

  @Override
  public Socket createSocket() {
    Socket plain = super.createSocket();
    try {
      SSLSocket secure =
          (SSLSocket) tls.createSocket(plain, where.getHost(), where.getPort(), true);
      SSLParameters parameters = secure.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secure.setSSLParameters(parameters);
      secure.startHandshake();
      return secure;
    } catch (IOException e) {
      closeAfter(plain, e);
      throw new JedisConnectionException("no TLS with " + where + ": " + e.getMessage(), e);
    }
  }

  private static void closeAfter(Socket socket, IOException failed) {
    try {
      socket.close();
    } catch (IOException e) {
      failed.addSuppressed(e);
    }
  }
}
