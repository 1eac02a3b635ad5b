package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.time.Duration;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/** The keys of {@code consul lock}: {@code NAME/.lock}, behind a prefix that may be empty. */
record LockKeys(String prefix, Clock clock) {
  private static final long FLAGS = 0x2ddccbc058a50c18L;

  /** Parts between slashes; what else is printed the agent does not take either. */
  private static final Pattern NAME =
      Pattern.compile("(?!/)((^|/)(?!\\.{0,2}(/|$))[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} &&[^/]]+)+");

  /** What stands under a name; the session is empty if the key is free, or is not there. */
  record Found(String session, long index, String holder) {}

  String key(String name) {
    if (!NAME.matcher(name).matches()) {
      String why = "' cannot be shared with consul lock: it may have only characters that are";
      String what =
          "the lock name '" + name + why + " printed, and no empty part, . or .. in its path";
      throw new StoreException(Failure.REFUSED, what, null);
    }
    return prefix + name + "/.lock";
  }

  Found read(Answer answer) {
    if (answer.status() != 200) {
      return new Found("", answer.index(), "");
    }
    JSONObject key = new JSONArray(answer.body()).getJSONObject(0);
    if (key.getLong("Flags") != FLAGS) {
      String why = "' is not of a lock; consul lock with -n makes such ones too. Delete it, or ";
      String what = "the key '" + key.getString("Key") + why + "choose another name";
      throw new StoreException(Failure.REFUSED, what, null);
    }
    String session = key.optString("Session");
    String holder = Entries.details(clock, key).holder();
    return new Found(
        session, key.getLong("ModifyIndex"), holder.isEmpty() ? "session " + session : holder);
  }

  Transaction lock(Ticket ticket, String session) {
    String value = Entries.value(clock, ticket.ttl(), Duration.ZERO, ticket.holder());
    return new Transaction().add("lock", key(ticket.name()), session, value, FLAGS);
  }

  /** Removes the key too, as {@code consul lock} does. */
  Transaction unlock(Ticket ticket, String session) {
    String key = key(ticket.name());
    return new Transaction().add("unlock", key, session, "", FLAGS).add("delete", key);
  }

  /** By the answer to {@link #lock}, which was done. */
  static long index(Answer answer) {
    return Transaction.keys(answer).get(0).getLong("ModifyIndex");
  }

  /** By the answer to {@link #unlock}. */
  static boolean isUnlocked(Answer answer) {
    return !answer.body().contains("failed to unlock") && !Transaction.keys(answer).isEmpty();
  }
}
