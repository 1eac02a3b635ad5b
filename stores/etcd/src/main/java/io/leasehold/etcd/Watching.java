package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Event.EventType;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.leasehold.sessions.Session.Watcher;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A watch of one key: a call that ends with the first change. Thread-safe. */
final class Watching implements StreamObserver<WatchResponse> {
  private final ClientCall<WatchRequest, WatchResponse> call;
  private final Consumer<Watching> atEnd;
  private final Watcher watcher;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile boolean gone;

  Watching(
      ClientCall<WatchRequest, WatchResponse> call, Consumer<Watching> atEnd, Watcher watcher) {
    this.call = call;
    this.atEnd = atEnd;
    this.watcher = watcher;
  }

  void begin(ByteString key, long from) {
    WatchCreateRequest.Builder request =
        WatchCreateRequest.newBuilder().setKey(key).setStartRevision(from);
    ClientCalls.asyncBidiStreamingCall(call, this)
        .onNext(WatchRequest.newBuilder().setCreateRequest(request).build());
  }

  /** Ends it, which runs what a change runs. */
  void giveUp() {
    call.cancel("the watch is over", null);
  }

  @Override
  public void onNext(WatchResponse message) {
    gone |= message.getEventsList().stream().anyMatch(each -> each.getType() == EventType.DELETE);
    if (message.getCanceled() || message.getEventsCount() > 0) {
      giveUp();
    }
  }

  @Override
  public void onError(Throwable thrown) {
    onCompleted();
  }

  @Override
  public void onCompleted() {
    atEnd.accept(this);
    if (over.compareAndSet(false, true)) {
      watcher.changed(gone);
    }
  }
}
