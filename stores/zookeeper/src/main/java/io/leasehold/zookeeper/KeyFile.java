package io.leasehold.zookeeper;

import io.leasehold.spi.support.TlsFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import java.util.UUID;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * The client's certificate and key as one file, because the client library reads them from one each
 * time that it connects: only its user may read it, and it is encrypted with a password that only
 * this process has.
 */
record KeyFile(Optional<Path> file) {
  private static final String SSL = "zookeeper.ssl.";

  /** Makes it if it is needed, and lets the client library speak TLS with these files. */
  static KeyFile of(Optional<TlsFiles> tls, ZKClientConfig config) throws IOException {
    if (tls.isEmpty()) {
      return new KeyFile(Optional.empty());
    }
    config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    config.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
    tls.get().ca().ifPresent(ca -> set(config, "trustStore", ca, "PEM"));
    String password = UUID.randomUUID().toString();
    Optional<KeyStore> own = tls.get().own(password.toCharArray());
    if (own.isEmpty()) {
      return new KeyFile(Optional.empty());
    }
    Path file = Files.createTempFile("leasehold-", ".p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      own.get().store(out, password.toCharArray());
    } catch (GeneralSecurityException e) {
      throw new IOException("the client certificate cannot be kept", e);
    }
    set(config, "keyStore", file, "PKCS12");
    config.setProperty(SSL + "keyStore.password", password);
    return new KeyFile(Optional.of(file));
  }

  private static void set(ZKClientConfig config, String store, Path file, String type) {
    config.setProperty(SSL + store + ".location", file.toString());
    config.setProperty(SSL + store + ".type", type);
  }

  /** Removes it. */
  void delete() {
    file.ifPresent(made -> made.toFile().delete());
  }
}
