package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.consul.Agent.Answer;
import java.util.ArrayList;
import java.util.List;
import org.json.JSONArray;
import org.json.JSONObject;

/** Operations that the servers do all or none. */
final class Transaction {
  static final String PATH = "/v1/txn";

  private final JSONArray operations = new JSONArray();

  Transaction add(String verb, String key) {
    return add(verb, key, "", "", 0);
  }

  Transaction add(String verb, String key, String session, String value, long flags) {
    JSONObject operation = new JSONObject().put("Verb", verb).put("Key", key);
    if (!session.isEmpty()) {
      operation.put("Session", session).put("Value", value).put("Flags", flags);
    }
    operations.put(new JSONObject().put("KV", operation));
    return this;
  }

  /** Lets nothing be done unless the key is as this index has left it. */
  Transaction checkIndex(String key, long index) {
    JSONObject check = new JSONObject().put("Verb", "check-index").put("Key", key);
    operations.put(new JSONObject().put("KV", check.put("Index", index)));
    return this;
  }

  /** Removes a key, unless it has changed since this index. */
  static Transaction removal(String key, long index) {
    return new Transaction().checkIndex(key, index).add("delete", key);
  }

  /** By the answer to {@link #removal}. */
  static boolean hasRemoved(Answer answer) {
    boolean isAnother = answer.status() == 409 && !isRefused(answer);
    // The answer to the check is among them
    return !isAnother && !keys(answer).isEmpty();
  }

  /** In JSON. */
  @Override
  public String toString() {
    return operations.toString();
  }

  /** Whether there is no such session any more. */
  static boolean lacksSession(Answer answer) {
    return answer.body().contains("invalid session") || answer.body().contains("missing session");
  }

  /** Whether the ACL token does not allow it. */
  static boolean isRefused(Answer answer) {
    return answer.body().contains("Permission denied");
  }

  /**
   * The keys in an answer.
   *
   * @throws StoreException if nothing was done
   */
  static List<JSONObject> keys(Answer answer) {
    if (answer.status() != 200) {
      JSONArray errors = answer.json().optJSONArray("Errors", new JSONArray());
      boolean other = lacksSession(answer) || answer.body().contains(" exists");
      throw new StoreException(
          other ? Failure.UNAVAILABLE : Failure.REFUSED, "Consul: " + errors, null);
    }
    List<JSONObject> keys = new ArrayList<>();
    for (Object each : answer.json().optJSONArray("Results", new JSONArray())) {
      keys.add(((JSONObject) each).getJSONObject("KV"));
    }
    return keys;
  }
}
