package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.leasehold.spi.StoreUrl;
import io.leasehold.spi.support.ServerUrl;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a member is given up, with the watches on it. */
class SilentMemberTest {
  private static final Duration WITHIN = Duration.ofSeconds(3);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final AtomicInteger unanswered = new AtomicInteger();
  private Server member;
  private Threads threads;
  private Cluster cluster;

  /** Answers ranges, and nothing else. */
  private final class OnlyRanges extends KVGrpc.KVImplBase {
    @Override
    public void range(RangeRequest request, StreamObserver<RangeResponse> answer) {
      answer.onNext(RangeResponse.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void txn(TxnRequest request, StreamObserver<TxnResponse> answer) {
      unanswered.incrementAndGet();
    }
  }

  /** Where nothing changes. */
  private static final class NoChanges extends WatchGrpc.WatchImplBase {
    @Override
    public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> changes) {
      return new StreamObserver<>() {
        @Override
        public void onNext(WatchRequest request) {}

        @Override
        public void onError(Throwable cancelled) {}

        @Override
        public void onCompleted() {}
      };
    }
  }

  @BeforeEach
  void start() throws IOException {
    InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    member =
        NettyServerBuilder.forAddress(free)
            .addService(new OnlyRanges())
            .addService(new NoChanges())
            .build()
            .start();
    open("127.0.0.1:" + member.getPort());
  }

  private void open(String hosts) {
    StoreUrl url = StoreUrl.parse("etcd://" + hosts);
    threads = new Threads();
    cluster =
        new Cluster(
            ServerUrl.of(url, EtcdStoreProvider.FORM, Set.of(), Map.of()),
            InsecureChannelCredentials.create(),
            clock,
            threads);
    range().join();
  }

  @AfterEach
  void stop() throws InterruptedException {
    close();
    member.shutdownNow().awaitTermination();
  }

  private void close() {
    cluster.close();
    threads.close();
  }

  private CompletableFuture<RangeResponse> range() {
    return cluster.read(KVGrpc.getRangeMethod(), RangeRequest.getDefaultInstance(), WITHIN);
  }

  private CompletableFuture<TxnResponse> notAnswered() {
    return cluster.read(KVGrpc.getTxnMethod(), TxnRequest.getDefaultInstance(), WITHIN);
  }

  private AtomicBoolean watch() {
    AtomicBoolean isOver = new AtomicBoolean();
    cluster.watch(ByteString.copyFromUtf8("key"), 1, isGone -> isOver.set(true));
    return isOver;
  }

  @Test
  void whichAnswersNothingIsGivenUp() {
    AtomicBoolean isOver = watch();
    CompletableFuture<TxnResponse> late = notAnswered();
    clock.advance(WITHIN);
    assertThat(late).failsWithin(PATIENCE);
    await().untilTrue(isOver);
  }

  @Test
  void whichAnswersOtherRequestsIsKept() {
    AtomicBoolean isOver = watch();
    int first = cluster.asked();
    requireFailsWhileOthersAreAnswered();
    assertThat(cluster.asked()).isEqualTo(first);
    assertThat(isOver).isFalse();
  }

  /** The other member is not asked, since this one works; but an answer may have been lost. */
  @Test
  void whatIsLateIsAskedForAgain() {
    close();
    open("127.0.0.1:" + member.getPort() + ",localhost:" + member.getPort());
    requireFailsWhileOthersAreAnswered();
    assertThat(unanswered).hasValue(2);
  }

  private void requireFailsWhileOthersAreAnswered() {
    CompletableFuture<TxnResponse> late = notAnswered();
    clock.advance(WITHIN);
    range().join();
    assertThat(late).failsWithin(PATIENCE);
  }
}
