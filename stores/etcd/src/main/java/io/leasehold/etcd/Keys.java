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
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.EntryValue;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How the keys of entries look, and what they mean. Thread-safe. */
abstract class Keys {
  /** What every key begins with. */
  final String prefix;

  Keys(String prefix) {
    this.prefix = prefix;
  }

  /** Rejects what is no prefix. */
  static String validPrefix(String prefix) {
    if (prefix.length() > 100 || !prefix.matches("[^\\p{Cntrl}]*[^\\p{Cntrl}/]/")) {
      throw new IllegalArgumentException(
          "a key prefix has 2 to 100 characters without control characters, and ends with one /");
    }
    return prefix;
  }

  /** The kind of the store, for messages. */
  abstract String store();

  abstract Set<LockMode> modes();

  /** What the keys of a name begin with; ends with a slash. */
  abstract String folder(String name);

  /** The key that says that a ticket was taken back. */
  abstract ByteString withdrawn(LeaseId id);

  /** The name of the lock to which a key of the {@link #range} of all belongs; empty if to none. */
  abstract Optional<String> nameOf(KeyValue kv);

  /**
   * What stands under a name.
   *
   * @param now the wall clock; the age of an entry is by that of another machine
   * @throws StoreException if the key can be no entry
   */
  abstract Entry entry(String name, KeyValue kv, long now);

  /**
   * The entries in the {@link #range} of a name, or of all.
   *
   * @param now the wall clock
   * @throws StoreException if a key under the name can be no entry
   */
  final List<Entry> entries(RangeResponse range, Optional<String> name, long now) {
    return range.getKvsList().stream()
        .flatMap(kv -> name.or(() -> nameOf(kv)).map(known -> entry(known, kv, now)).stream())
        .toList();
  }

  /** What the value of an entry says. */
  EntryValue value(KeyValue kv, long now) {
    return EntryValue.of(kv.getValue().toStringUtf8(), now);
  }

  /**
   * An entry of a store of this kind.
   *
   * @throws IllegalArgumentException if the label is of none
   */
  final Entry ofLabel(String name, String label, KeyValue kv, long now) {
    String key = kv.getKey().toStringUtf8();
    EntryValue value = value(kv, now);
    Entry found = Entry.of(name, key, label, kv.getCreateRevision(), value.details());
    return value.id().map(found::with).orElse(found);
  }

  static ByteString value(Ticket ticket, long now) {
    return bytes(EntryValue.text(ticket, now));
  }

  static ByteString bytes(String key) {
    return ByteString.copyFromUtf8(key);
  }

  /** With this id instead of the ticket's own. */
  final String key(Ticket ticket, LeaseId id) {
    return folder(ticket.name()) + Entry.label(ticket, id);
  }

  /** The keys of a name, or of all, in the order of their creation. */
  final RangeRequest range(Optional<String> name) {
    String beginning = name.map(this::folder).orElse(prefix);
    RangeRequest.Builder range =
        RangeRequest.newBuilder().setSortTarget(SortTarget.CREATE).setSortOrder(SortOrder.ASCEND);
    if (beginning.isEmpty()) {
      // Both 0: every key
      ByteString zero = ByteString.copyFrom(new byte[1]);
      return range.setKey(zero).setRangeEnd(zero).build();
    }
    // It ends where the slash at the end has become a 0, the next character
    return range
        .setKey(bytes(beginning))
        .setRangeEnd(bytes(beginning.substring(0, beginning.length() - 1) + "0"))
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
}
