package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.Compare.CompareTarget;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeRequest.SortOrder;
import io.etcd.jetcd.api.RangeRequest.SortTarget;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;

/**
 * The keys of one prefix: {@code PREFIX NAME / LABEL}, with {@code %} and {@code /} in the name
 * percent-encoded, so that the range of one name has the keys of no other. Thread-safe.
 */
record Keys(String prefix) {
  /** What every key begins with where nothing else is chosen. */
  static final String PREFIX = "leasehold/";

  /** No name is encoded so. */
  private static final String WITHDRAWN = "%withdrawn/";

  Keys {
    if (prefix.length() > 100 || !prefix.matches("[^\\p{Cntrl}]*[^\\p{Cntrl}/]/")) {
      throw new IllegalArgumentException(
          "a key prefix has 2 to 100 characters without control characters, and ends with one /");
    }
  }

  private static String encoded(String name) {
    return name.replace("%", "%25").replace("/", "%2F");
  }

  static ByteString bytes(String key) {
    return ByteString.copyFromUtf8(key);
  }

  String key(Ticket ticket) {
    return prefix + encoded(ticket.name()) + "/" + Entry.label(ticket);
  }

  /** The key that says that a ticket was taken back. */
  ByteString withdrawn(LeaseId id) {
    return bytes(prefix + WITHDRAWN + id);
  }

  /** The keys of a name, or of all, in the order of their creation. */
  RangeRequest range(Optional<String> name) {
    String beginning = name.map(one -> prefix + encoded(one) + "/").orElse(prefix);
    // It ends where the slash at the end has become a 0, the next character
    return RangeRequest.newBuilder()
        .setKey(bytes(beginning))
        .setRangeEnd(bytes(beginning.substring(0, beginning.length() - 1) + "0"))
        .setSortTarget(SortTarget.CREATE)
        .setSortOrder(SortOrder.ASCEND)
        .build();
  }

  /** That a key was created in this revision; in 0, that it is not there. */
  static Compare created(ByteString key, long revision) {
    return Compare.newBuilder()
        .setKey(key)
        .setTarget(CompareTarget.CREATE)
        .setCreateRevision(revision)
        .build();
  }

  static RequestOp delete(String key) {
    DeleteRangeRequest.Builder delete = DeleteRangeRequest.newBuilder().setKey(bytes(key));
    return RequestOp.newBuilder().setRequestDeleteRange(delete).build();
  }

  static RequestOp put(PutRequest.Builder put) {
    return RequestOp.newBuilder().setRequestPut(put).build();
  }

  /** Does this to an entry if it is there, and nothing to a later one of the same key. */
  static TxnRequest ifThere(Entry entry, RequestOp op) {
    Compare isThere = created(bytes(entry.key()), entry.number());
    return TxnRequest.newBuilder().addCompare(isThere).addSuccess(op).build();
  }

  /**
   * What was found in a range. Under one name all keys must be ours; under the prefix there may be
   * longer ones, of longer prefixes, and what was taken back.
   *
   * @param now the wall clock; the age of an entry is by that of another machine
   * @throws StoreException if a key is not ours
   */
  List<Entry> entries(RangeResponse range, boolean ofOneName, long now) {
    return range.getKvsList().stream()
        .filter(kv -> ofOneName || isOfName(kv.getKey().toStringUtf8()))
        .map(kv -> entry(kv, now))
        .toList();
  }

  private boolean isOfName(String key) {
    return !key.startsWith(WITHDRAWN, prefix.length())
        && key.indexOf('/', prefix.length()) == key.lastIndexOf('/');
  }

  private Entry entry(KeyValue kv, long now) {
    String key = kv.getKey().toStringUtf8();
    int slash = key.indexOf('/', prefix.length());
    try {
      String name = key.substring(prefix.length(), slash).replace("%2F", "/").replace("%25", "%");
      String label = key.substring(slash + 1);
      return Entry.of(name, key, label, kv.getCreateRevision(), details(kv, now));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          Failure.REFUSED,
          "the key '" + key + "' is not of a lock; delete it, or choose another prefix",
          e);
    }
  }

  /** For a person who looks at it. */
  static ByteString value(Ticket ticket, long now) {
    String since = Instant.ofEpochMilli(now).toString();
    return bytes(ticket.ttl().toSeconds() + "s since " + since + " " + ticket.holder());
  }

  static Details details(KeyValue kv, long now) {
    String[] words = kv.getValue().toStringUtf8().split(" ", 4);
    try {
      long age = Math.max(0, now - Instant.parse(words[2]).toEpochMilli());
      return new Details(words[3], Duration.ofMillis(age), Duration.parse("PT" + words[0]));
    } catch (DateTimeParseException | IndexOutOfBoundsException e) {
      return Details.NONE;
    }
  }
}
