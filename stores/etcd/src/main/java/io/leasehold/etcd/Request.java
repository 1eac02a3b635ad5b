package io.leasehold.etcd;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.spi.support.Scheduler.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request with one answer. It is asked again only if it certainly took no effect: of the next
 * member, or of the same one if that answers other requests in time; and once more if the cluster
 * has forgotten the login.
 */
final class Request<Q, A> {
  /** With less time it says nothing about a member that does not answer. */
  private static final long PATIENCE_NANOS = 300_000_000;

  private final Cluster cluster;
  private final MethodDescriptor<Q, A> method;
  private final Q message;
  private final boolean changes;
  private final Deadline until;
  private final CompletableFuture<A> answer = new CompletableFuture<>();

  // One call after another has these

  private int membersLeft;
  private boolean loggedInAgain;
  private String token = "";

  Request(
      Cluster cluster, MethodDescriptor<Q, A> method, Q message, boolean changes, Duration within) {
    this.cluster = cluster;
    this.method = method;
    this.message = message;
    this.changes = changes;
    this.until = Deadline.after(within.toNanos(), TimeUnit.NANOSECONDS);
    this.membersLeft = cluster.size();
  }

  /** Sends it when there is a token. */
  CompletableFuture<A> begin() {
    login();
    return answer;
  }

  private void login() {
    CompletableFuture<String> unused =
        cluster
            .token(until)
            .whenComplete(
                (known, failed) -> {
                  if (failed == null) {
                    token = known;
                    ask();
                  } else {
                    answer.completeExceptionally(failed);
                  }
                });
  }

  /** Sends it without a token. */
  CompletableFuture<A> send() {
    ask();
    return answer;
  }

  private void ask() {
    new Call().start();
  }

  /** The question to one member. */
  private final class Call extends ClientStreamTracer.Factory implements StreamObserver<A> {
    private final int member = cluster.asked();

    /** What changes nothing may be asked of the next member, if this one is silent. */
    private final long patience =
        until.timeRemaining(TimeUnit.NANOSECONDS) / (changes ? 1 : membersLeft);

    /** Whether the member may have it. */
    private volatile boolean sent;

    private volatile boolean over;
    private volatile boolean late;
    private volatile @Nullable Timer timer;

    /** With a timer of ours: a deadline of gRPC wakes a thread for each call. */
    void start() {
      CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(this);
      ClientCall<Q, A> call = cluster.call(member, token, method, options);
      ClientCalls.asyncUnaryCall(call, message, this);
      if (!over) {
        timer =
            cluster.after(
                patience,
                () -> {
                  late = true;
                  call.cancel("no answer in time", null);
                });
      }
      if (over) {
        end();
      }
    }

    private void end() {
      over = true;
      Timer set = timer;
      if (set != null) {
        set.cancel();
      }
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes attributes, Metadata sentHeaders) {
          sent = true;
        }
      };
    }

    @Override
    public void onNext(A one) {
      end();
      cluster.answered();
      answer.complete(one);
    }

    @Override
    public void onCompleted() {
      if (!answer.isDone()) {
        onError(Status.INTERNAL.withDescription("no answer").asException());
      }
    }

    @Override
    public void onError(Throwable thrown) {
      end();
      Status said = Status.fromThrowable(thrown);
      boolean isTimedOut = late && said.getCode() == Code.CANCELLED;
      Status status =
          isTimedOut ? Status.DEADLINE_EXCEEDED.withDescription(said.getDescription()) : said;
      StoreException failure = failure(status);
      boolean isOfMember =
          status.getCode() == Code.UNAVAILABLE
              || (status.getCode() == Code.DEADLINE_EXCEEDED && isSilent());
      if (isOfMember) {
        cluster.failed(member);
      }
      boolean tookNoEffect = failure.failure() == Failure.UNAVAILABLE && !until.isExpired();
      if ((isOfMember || isTimedOut) && tookNoEffect && --membersLeft > 0) {
        ask();
      } else if (needsLogin(status) && !loggedInAgain && cluster.forget(token)) {
        loggedInAgain = true;
        login();
      } else {
        answer.completeExceptionally(failure);
      }
    }

    /** Whether the member is, and not this client busy: then other answers were read meanwhile. */
    private boolean isSilent() {
      return patience >= PATIENCE_NANOS && cluster.isSilent(patience / 2);
    }

    private StoreException failure(Status status) {
      String said = String.valueOf(status.getDescription());
      Failure failure =
          switch (status.getCode()) {
            case UNAUTHENTICATED,
                PERMISSION_DENIED,
                INVALID_ARGUMENT,
                FAILED_PRECONDITION,
                UNIMPLEMENTED ->
                Failure.REFUSED;
            case NOT_FOUND, RESOURCE_EXHAUSTED -> Failure.UNAVAILABLE;
            // What a member says of the cluster, it says before it passes the request on
            default ->
                changes && sent && !said.endsWith("etcdserver: no leader")
                    ? Failure.UNKNOWN_OUTCOME
                    : Failure.UNAVAILABLE;
          };
      Throwable cause = status.getCause();
      String why = cause == null || cause.getMessage() == null ? "" : ": " + cause.getMessage();
      return new StoreException(
          failure,
          "etcd at " + cluster.name(member) + ": " + status.getCode() + ", " + said + why,
          status.asException());
    }
  }

  /** The server has forgotten the login, which it says before it does anything. */
  private static boolean needsLogin(Status status) {
    String said = String.valueOf(status.getDescription());
    return said.contains("invalid auth token") || said.contains("revision of auth store is old");
  }

  /** Whether a request failed, without any effect, because its session is gone. */
  static boolean saysNoSession(Throwable failed) {
    return String.valueOf(failed.getMessage()).contains("requested lease not found");
  }
}
