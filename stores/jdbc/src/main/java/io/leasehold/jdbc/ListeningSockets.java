package io.leasehold.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/*
 * After each message the driver of PostgreSQL looks whether there is another one, by a read that
 * may take a millisecond, and hands over the first only then. That was a third of a hand-over.
 */

/**
 * Creates the sockets of the connection that listens, which answer at once when there is nothing to
 * read. Not for applications; the class is public because the driver creates it by name.
 */
public final class ListeningSockets extends SocketFactory {
  /** The timeout that the driver sets where it only looks, and nowhere else. */
  private static final int LOOKING_MILLIS = 1;

  /** Called by the driver. */
  public ListeningSockets() {}

  @Override
  public Socket createSocket() {
    return new Listening();
  }

  private static final class Listening extends Socket {
    private volatile boolean looks;

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread reads, and sets it before
    public void setSoTimeout(int millis) throws SocketException {
      looks = millis == LOOKING_MILLIS;
      super.setSoTimeout(millis);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
          if (looks && in.available() == 0) {
            throw new SocketTimeoutException("nothing has come");
          }
          return in.read(bytes, from, length);
        }
      };
    }
  }

  // ---- The driver connects by itself, and calls none of these

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
    throw new UnsupportedOperationException();
  }
}
