package io.leasehold.zookeeper;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.SessionLife;
import io.leasehold.sessions.SessionLife.Sent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.OpResult.GetChildrenResult;
import org.apache.zookeeper.OpResult.GetDataResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Requests over one handle of the client library: each is sent once, in the order of the calls, and
 * not at all while there is no connection. The answer is empty if the node is not there. Requests
 * that write tell the {@link SessionLife} of their answer. Thread-safe.
 *
 * @param acls who may do what with the node of a path
 * @param ended runs before a request fails because the session has ended
 */
record Wire(ZooKeeper zk, Function<String, List<ACL>> acls, SessionLife life, Runnable ended) {
  /** A node that was made, and the transaction that made it; 0 if it was there. */
  record Made(String path, long number) {}

  /** What a node has. */
  record Data(String text, Stat stat) {
    static @Nullable Data of(byte @Nullable [] bytes, @Nullable Stat stat) {
      String text = bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
      return stat == null ? null : new Data(text, stat);
    }
  }

  /** Makes a node unless it is there; empty if the parent is not. */
  CompletableFuture<Optional<Made>> create(String path, byte[] data, CreateMode mode) {
    return write(
        reply -> {
          Create2Callback done =
              (code, asked, context, is, stat) ->
                  reply.accept(
                      code == Code.NODEEXISTS.intValue() ? 0 : code,
                      stat == null ? new Made(path, 0) : new Made(is, stat.getCzxid()));
          zk.create(path, data, acls.apply(path), mode, done, null);
        });
  }

  CompletableFuture<Optional<String>> delete(String path) {
    return write(
        reply -> zk.delete(path, -1, (code, is, context) -> reply.accept(code, path), null));
  }

  CompletableFuture<Optional<Stat>> setData(String path, byte[] data) {
    return write(
        reply ->
            zk.setData(path, data, -1, (code, is, context, to) -> reply.accept(code, to), null));
  }

  CompletableFuture<Optional<List<String>>> children(String path) {
    return read(
        reply ->
            zk.getChildren(path, false, (code, is, more, all) -> reply.accept(code, all), null));
  }

  /** The watcher stands once this is answered, unless the node is not there. */
  CompletableFuture<Optional<Data>> data(String path, @Nullable Watcher watcher) {
    return read(
        reply ->
            zk.getData(
                path,
                watcher,
                (code, is, context, bytes, stat) -> reply.accept(code, Data.of(bytes, stat)),
                null));
  }

  /** The children of each of these nodes, in one request. */
  CompletableFuture<List<Optional<List<String>>>> childrenOfEach(List<String> paths) {
    return each(
        paths.stream().map(Op::getChildren).toList(),
        result -> result instanceof GetChildrenResult found ? found.getChildren() : null);
  }

  /** What each of these nodes has, in one request. */
  CompletableFuture<List<Optional<Data>>> dataOfEach(List<String> paths) {
    return each(
        paths.stream().map(Op::getData).toList(),
        result ->
            result instanceof GetDataResult found
                ? Data.of(found.getData(), found.getStat())
                : null);
  }

  private <T> CompletableFuture<List<Optional<T>>> each(
      List<Op> reads, Function<OpResult, @Nullable T> value) {
    CompletableFuture<Optional<List<OpResult>>> answer =
        read(
            reply ->
                zk.multi(
                    reads,
                    // One that is not there gives its code to all, but the results are all there
                    (code, is, more, all) -> reply.accept(all == null ? code : 0, all),
                    null));
    return answer.thenApply(
        results -> results.orElseThrow().stream().map(each -> result(each, value)).toList());
  }

  private <T> Optional<T> result(OpResult result, Function<OpResult, @Nullable T> value) {
    if (result instanceof ErrorResult failed && failed.getErr() != Code.NONODE.intValue()) {
      throw failure(Code.get(failed.getErr()), Failure.UNAVAILABLE);
    }
    return Optional.ofNullable(value.apply(result));
  }

  private <T> CompletableFuture<Optional<T>> read(Consumer<BiConsumer<Integer, @Nullable T>> ask) {
    return send(ask, Failure.UNAVAILABLE);
  }

  private <T> CompletableFuture<Optional<T>> write(Consumer<BiConsumer<Integer, @Nullable T>> ask) {
    return send(ask, Failure.UNKNOWN_OUTCOME);
  }

  /**
   * Sends a request.
   *
   * @param cut what it means if the connection breaks before the answer
   */
  private <T> CompletableFuture<Optional<T>> send(
      Consumer<BiConsumer<Integer, @Nullable T>> ask, Failure cut) {
    if (!zk.getState().isConnected()) {
      Code code = zk.getState().isAlive() ? Code.CONNECTIONLOSS : Code.SESSIONEXPIRED;
      return CompletableFuture.failedFuture(failure(code, Failure.UNAVAILABLE));
    }
    CompletableFuture<Optional<T>> answer = new CompletableFuture<>();
    Sent sent = life.now();
    ask.accept(
        (code, value) -> {
          Code known = Code.get(code);
          if (known != Code.OK && known != Code.NONODE) {
            answer.completeExceptionally(failure(known, cut));
            return;
          }
          if (cut == Failure.UNKNOWN_OUTCOME) {
            life.answered(sent);
          }
          answer.complete(known == Code.OK ? Optional.ofNullable(value) : Optional.empty());
        });
    return answer;
  }

  private StoreException failure(Code code, Failure cut) {
    return switch (code) {
      case SESSIONEXPIRED -> {
        ended.run();
        yield new StoreException(Failure.UNAVAILABLE, "the ZooKeeper session has ended", null);
      }
      case CONNECTIONLOSS ->
          new StoreException(cut, "there is no connection to ZooKeeper any more", null);
      case THROTTLEDOP, NOTREADONLY, SESSIONMOVED ->
          new StoreException(Failure.UNAVAILABLE, "ZooKeeper did not serve it: " + code, null);
      case NOAUTH, AUTHFAILED, INVALIDACL, SESSIONCLOSEDREQUIRESASLAUTH ->
          new StoreException(
              Failure.REFUSED,
              "the ACL of a ZooKeeper node does not allow it to this user and password: " + code,
              null);
      case QUOTAEXCEEDED, NOCHILDRENFOREPHEMERALS, BADARGUMENTS, UNIMPLEMENTED ->
          new StoreException(
              Failure.REFUSED, "ZooKeeper, which must be 3.6 or newer, refused: " + code, null);
      default -> new StoreException(cut, "the request to ZooKeeper failed: " + code, null);
    };
  }
}
