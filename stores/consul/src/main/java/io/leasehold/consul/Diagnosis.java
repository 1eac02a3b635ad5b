package io.leasehold.consul;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import io.leasehold.sessions.EntryStore;
import io.leasehold.spi.support.Durations;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.json.JSONArray;
import org.json.JSONObject;

/** What the servers say of themselves that could break a promise. */
record Diagnosis(Agent agent, Duration shortestTtl, Duration within) {
  CompletionStage<List<Finding>> findings() {
    return agent
        .get("/v1/status/peers", within)
        .thenCombine(
            agent
                .get("/v1/agent/self", within)
                .handle((answer, failed) -> failed == null ? answer.json() : new JSONObject()),
            (peers, self) -> findings(new JSONArray(peers.body()).length(), self));
  }

  /** An empty self is one that the token may not read. */
  private List<Finding> findings(int servers, JSONObject self) {
    String version = self.optJSONObject("Config", self).optString("Version", "not known");
    boolean forgets = self.optJSONObject("DebugConfig", self).optBoolean("DevMode");
    return List.of(
        new Finding(
            forgets || self.isEmpty() ? Level.WARNING : Level.OK,
            "server",
            "Consul "
                + version
                + (forgets ? " with -dev: a restart forgets all locks and tokens" : "")
                + (self.isEmpty() ? ": the ACL token has no agent_prefix \"\" read" : "")),
        servers == 0
            ? new Finding(Level.ERROR, "servers", "0: no leader")
            : EntryStore.quorum("servers", servers),
        new Finding(
            Level.OK,
            "ttl",
            "from "
                + Durations.show(shortestTtl)
                + " (session_ttl_min); a dead client's lock is free after one ttl to two"));
  }
}
