package io.leasehold.consul;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.consul.Agent.Answer;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.EntryValue;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import io.leasehold.spi.support.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/** The keys of {@code consul lock}: {@code NAME/.lock}, behind a prefix that may be empty. */
record LockKeys(String prefix, Clock clock) {
  private static final long FLAGS = 0x2ddccbc058a50c18L;

  private static final String LOCK = "/.lock";

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
    return prefix + name + LOCK;
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
    String holder = session.isEmpty() ? "" : entry("", key).details().holder();
    return new Found(session, key.getLong("ModifyIndex"), holder);
  }

  /** The path of the key of one name, or of all keys. */
  String path(Optional<String> name) {
    return name.map(one -> Agent.path(key(one)) + "?consistent")
        .orElse(Agent.path(prefix) + "?consistent&recurse");
  }

  /** The locked ones among the keys in an answer. Who waits for one stands nowhere. */
  List<Entry> holders(Answer answer) {
    List<Entry> all = new ArrayList<>();
    for (Object each : answer.status() == 200 ? new JSONArray(answer.body()) : new JSONArray()) {
      JSONObject key = (JSONObject) each;
      String path = key.getString("Key");
      String session = key.optString("Session");
      int end = path.length() - LOCK.length();
      boolean isLock = path.endsWith(LOCK) && end > prefix.length();
      if (isLock && !session.isEmpty() && key.getLong("Flags") == FLAGS) {
        all.add(entry(path.substring(prefix.length(), end), key));
      }
    }
    return all;
  }

  /** What a locked key says. A lock of others has the id of its session. */
  private Entry entry(String name, JSONObject key) {
    String session = key.getString("Session");
    EntryValue value = EntryValue.of(Entries.text(key), clock.wallMillis());
    Details said = value.details();
    Details details =
        said.holder().isEmpty()
            ? new Details("session " + session, said.age(), said.remaining())
            : said;
    LeaseId id = value.id().orElseGet(() -> LeaseId.parse(session.replace("-", "")));
    long number = key.getLong("ModifyIndex");
    return Entry.exclusive(name, key.getString("Key"), id, number, details);
  }

  Transaction lock(Ticket ticket, String session) {
    String value = Entries.value(EntryValue.text(ticket, clock.wallMillis()));
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
