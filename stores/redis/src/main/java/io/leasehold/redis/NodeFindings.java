package io.leasehold.redis;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What the servers say of themselves: each of those of a cluster, and which do not answer. */
final class NodeFindings {
  private final List<Wire> servers;
  private final List<CompletableFuture<List<Finding>>> answers = new ArrayList<>();

  private NodeFindings(List<Wire> servers) {
    this.servers = servers;
  }

  /** Asks all of them at the same time. Fails if none answers. */
  static CompletionStage<List<Finding>> ask(Node node, Duration within) {
    List<Wire> servers = List.copyOf(node.wire().nodes());
    if (servers.size() == 1) {
      return node.diagnose(servers.get(0), within);
    }
    NodeFindings all = new NodeFindings(servers);
    // Less, so that one that is silent does not stop the others from being heard
    Duration each = within.dividedBy(2);
    for (Wire server : servers) {
      all.answers.add(
          CompletableFuture.supplyAsync(() -> node.diagnose(server, each), node.wire()::apart)
              .thenCompose(Function.identity()));
    }
    return CompletableFuture.allOf(all.answers.toArray(CompletableFuture[]::new))
        .handle((done, failed) -> all.findings());
  }

  private List<Finding> findings() {
    if (!answers.isEmpty()
        && answers.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
      answers.get(0).join();
    }
    Map<Finding, List<String>> found = new LinkedHashMap<>();
    List<Finding> silent = new ArrayList<>();
    for (int i = 0; i < answers.size(); i++) {
      try {
        for (Finding each : answers.get(i).join()) {
          found.computeIfAbsent(each, unused -> new ArrayList<>()).add(servers.get(i).server());
        }
      } catch (CompletionException e) {
        Throwable why = e.getCause() == null ? e : e.getCause();
        silent.add(new Finding(Level.ERROR, "node", String.valueOf(why.getMessage())));
      }
    }
    List<Finding> findings = new ArrayList<>(silent);
    found.forEach((finding, about) -> findings.add(named(finding, about)));
    return findings;
  }

  /** It says which of the servers it is about. */
  private Finding named(Finding finding, List<String> about) {
    String where =
        about.size() == servers.size()
            ? "all " + servers.size() + " nodes"
            : String.join(", ", about);
    return new Finding(finding.level(), finding.check(), where + ": " + finding.detail());
  }
}
