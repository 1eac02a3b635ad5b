package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.StoreException;
import io.leasehold.internal.Engine;
import io.leasehold.servers.EtcdServer;
import io.leasehold.servers.EtcdServer.Kind;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.contract.LostReplyContract;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Requests that are lost on the way to a member, and replies on the way back. */
class LostReplyTest extends LostReplyContract {
  private final EtcdServer server = EtcdServer.of(Kind.ETCD_3_5).start();

  LostReplyTest() {
    super("", "/");
  }

  @Override
  protected FaultProxy proxy() {
    return FaultProxy.to("127.0.0.1", server.port(), new Http2Framing());
  }

  @Override
  protected Engine client(int port) {
    return clientAt(port == 0 ? server.url() : server.urlBy(port), how -> how);
  }

  /**
   * One of two requests to enter may still be on its way: its removal must forbid it too. The
   * client's other requests come between, so it may take some times until it is that one of which
   * the answer is lost.
   */
  @Test
  void whatMayStillBeEnteredIsForbiddenByTheRelease() throws Exception {
    try (FaultProxy proxy = proxy()) {
      Engine client = client(proxy.port());
      client.lock("first").acquire().release();
      List<String> marks = List.of();
      for (int i = 0; i < 40 && marks.isEmpty(); i++) {
        proxy.cutAfter(proxy.requests() + i % 4);
        try {
          client.lock("a").acquire(PATIENCE).release();
        } catch (StoreException lost) {
          assertThat(lost.failure()).isEqualTo(StoreException.Failure.UNKNOWN_OUTCOME);
        }
        proxy.heal();
        marks =
            server.etcdctl("get", "--prefix", "--keys-only", prefix() + "%withdrawn/").stream()
                .filter(line -> line.startsWith(prefix()))
                .toList();
      }
      assertThat(marks).hasSize(1);
    }
  }

  @AfterAll
  void closeServer() {
    server.close();
  }
}
