package io.leasehold.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeResponse;
import io.leasehold.LockMode;
import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import io.leasehold.sessions.Entry;
import io.leasehold.spi.LeaseId;
import java.util.EnumSet;
import java.util.List;
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

  /**
   * Under one name all keys must be ours; under the prefix there may be longer ones, of longer
   * prefixes, and what was taken back.
   */
  @Override
  List<Entry> entries(RangeResponse range, Optional<String> name, long now) {
    return range.getKvsList().stream()
        .filter(kv -> name.isPresent() || isOfName(kv.getKey().toStringUtf8()))
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
}
