package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.sessions.EntryValue;
import io.leasehold.spi.LeaseId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The keys of {@code etcdctl lock NAME} and of the Mutex of clientv3: {@code NAME / LEASE}, with
 * the id of the lease in hexadecimal digits. Ours stand beside them, {@code NAME / LABEL}, so each
 * is in the way of the other. Every key below {@code NAME /} counts, as it does for those, also one
 * of a longer name. Thread-safe.
 */
final class EtcdctlKeys extends Keys {
  /** Below no name, because a name has a slash behind it. */
  private static final String WITHDRAWN = "%withdrawn-";

  /** An id of a lease never looks so. */
  private static final String OUR_LABEL = "x-[0-9a-f]{32}";

  /** With a prefix of all names, which may be empty. */
  EtcdctlKeys(Optional<String> prefix) {
    super(prefix.map(Keys::validPrefix).orElse(""));
  }

  @Override
  String store() {
    return "etcd (layout=etcd)";
  }

  @Override
  Set<LockMode> modes() {
    return Set.of(LockMode.EXCLUSIVE);
  }

  @Override
  String folder(String name) {
    return prefix + name + "/";
  }

  @Override
  ByteString withdrawn(LeaseId id) {
    return bytes(prefix + WITHDRAWN + id);
  }

  /** Empty if the last part of the key is neither our label nor the lease to which it belongs. */
  @Override
  Optional<String> nameOf(KeyValue kv) {
    String key = kv.getKey().toStringUtf8();
    int slash = key.lastIndexOf('/');
    String last = lastPart(key);
    boolean isOfLock = last.matches(OUR_LABEL) || last.equals(Long.toHexString(kv.getLease()));
    return slash > prefix.length() && isOfLock && kv.getKey().isValidUtf8()
        ? Optional.of(key.substring(prefix.length(), slash))
        : Optional.empty();
  }

  private static String lastPart(String key) {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  @Override
  Entry entry(String name, KeyValue kv, long now) {
    String key = kv.getKey().toStringUtf8();
    if (!kv.getKey().isValidUtf8()) {
      throw new StoreException(
          Failure.REFUSED, "the key '" + key + "' is in the way and is not in UTF-8", null);
    }
    String label = key.substring(folder(name).length());
    if (label.matches(OUR_LABEL)) {
      return ofLabel(name, label, kv, now);
    }
    long number = kv.getCreateRevision();
    LeaseId id = new LeaseId(kv.getLease(), number);
    return Entry.exclusive(name, key, id, number, value(kv, now).details());
  }

  @Override
  EntryValue value(KeyValue kv, long now) {
    EntryValue read = super.value(kv, now);
    Details details =
        read.details().equals(Details.NONE)
            ? new Details(lastPart(kv.getKey().toStringUtf8()), Duration.ZERO, Duration.ZERO)
            : read.details();
    return new EntryValue(read.id(), details);
  }
}
