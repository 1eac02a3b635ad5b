package io.leasehold.etcd;

import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.ClusterGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.Member;
import io.etcd.jetcd.api.MemberListRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.grpc.MethodDescriptor;
import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.EntryStore;
import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/** What a cluster says of itself that could break a promise. */
record Diagnosis(Cluster cluster, Duration within) {
  private static boolean isBefore(String version, String other) {
    return Version.parse(version).compareTo(Version.parse(other)) < 0;
  }

  /**
   * Refuses what this was not written for.
   *
   * @throws StoreException if the server is too old
   */
  static void requireSupported(String version) {
    if (isBefore(version, "3.4.0")) {
      throw new StoreException(
          Failure.REFUSED, "etcd " + version + " is too old; use 3.4 or later", null);
    }
  }

  CompletionStage<List<Finding>> findings() {
    StatusRequest status = StatusRequest.getDefaultInstance();
    MemberListRequest members = MemberListRequest.getDefaultInstance();
    AlarmRequest alarms = AlarmRequest.getDefaultInstance();
    return ask("server", MaintenanceGrpc.getStatusMethod(), status, all -> server(all.getVersion()))
        .thenCombine(
            ask(
                "members",
                ClusterGrpc.getMemberListMethod(),
                members,
                all -> members(all.getMembersList())),
            Stream::concat)
        .thenCombine(
            ask(
                "alarms",
                MaintenanceGrpc.getAlarmMethod(),
                alarms,
                all ->
                    all.getAlarmsList().stream()
                        .map(
                            each -> each.getAlarm() + " of " + Long.toHexString(each.getMemberID()))
                        .map(
                            each ->
                                new Finding(
                                    Level.ERROR, "alarms", each + ": etcd refuses to write"))),
            Stream::concat)
        .thenApply(Stream::toList);
  }

  private <Q, A> CompletionStage<Stream<Finding>> ask(
      String check, MethodDescriptor<Q, A> method, Q message, Function<A, Stream<Finding>> read) {
    return cluster
        .read(method, message, within)
        .thenApply(read)
        .exceptionally(
            failed ->
                Stream.of(new Finding(Level.WARNING, check, "not known: " + failed.getMessage())));
  }

  /** By what etcd has mended: its issues 15247 and 12291. */
  static Stream<Finding> server(String version) {
    List<String> faults = new ArrayList<>();
    boolean is34 = isBefore(version, "3.5.0");
    if (isBefore(version, is34 ? "3.4.29" : "3.5.11")) {
      faults.add("a leader that stood still may end sessions that live");
    }
    if (is34) {
      faults.add(
          "if the clock of a server is set back, locks of a process that died stay as much longer");
    }
    return Stream.of(
        faults.isEmpty()
            ? new Finding(Level.OK, "server", "etcd " + version)
            : new Finding(
                Level.WARNING,
                "server",
                "etcd " + version + ": " + String.join("; ", faults) + "; use 3.5.11 or later"));
  }

  private static Stream<Finding> members(List<Member> all) {
    long voting = all.stream().filter(each -> !each.getIsLearner()).count();
    return Stream.of(EntryStore.quorum("members", voting));
  }
}
