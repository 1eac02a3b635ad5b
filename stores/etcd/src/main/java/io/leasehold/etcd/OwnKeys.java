package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.spi.LeaseId;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The keys of one prefix: {@code PREFIX NAME / LABEL}, with {@code %} and {@code /} in the name
 * percent-encoded, so that the range of one name has the keys of no other. Thread-safe.
 */
final class OwnKeys extends Keys {
  /** What every key begins with where nothing else is chosen. */
  static final String PREFIX = "leasehold/";

  /** No name is encoded so. */
  private static final String WITHDRAWN = "%withdrawn/";

  OwnKeys(String prefix) {
    super(validPrefix(prefix));
  }

  @Override
  String store() {
    return "etcd";
  }

  @Override
  Set<LockMode> modes() {
    return EnumSet.allOf(LockMode.class);
  }

  @Override
  String folder(String name) {
    return prefix + name.replace("%", "%25").replace("/", "%2F") + "/";
  }

  @Override
  ByteString withdrawn(LeaseId id) {
    return bytes(prefix + WITHDRAWN + id);
  }

  /** There may be keys of longer prefixes, and what was taken back. */
  @Override
  Optional<String> nameOf(KeyValue kv) {
    String key = kv.getKey().toStringUtf8();
    int slash = key.indexOf('/', prefix.length());
    boolean isOfName =
        !key.startsWith(WITHDRAWN, prefix.length()) && slash > 0 && slash == key.lastIndexOf('/');
    return isOfName
        ? Optional.of(key.substring(prefix.length(), slash).replace("%2F", "/").replace("%25", "%"))
        : Optional.empty();
  }

  /** Under a name all keys must be ours. */
  @Override
  Entry entry(String name, KeyValue kv, long now) {
    String key = kv.getKey().toStringUtf8();
    try {
      return ofLabel(name, key.substring(folder(name).length()), kv, now);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          Failure.REFUSED,
          "the key '" + key + "' is not of a lock; delete it, or choose another prefix",
          e);
    }
  }
}
