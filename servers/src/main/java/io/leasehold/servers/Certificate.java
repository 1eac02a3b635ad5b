package io.leasehold.servers;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for 127.0.0.1 and localhost that signs itself, so that it is also the CA to trust.
 * Made by the JDK's keytool.
 */
final class Certificate {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final Path store;
  private final Path certificate;
  private final Path key;
  private final SSLContext trusting;

  Certificate(Path folder) {
    store = folder.resolve("server.p12");
    certificate = folder.resolve("server.crt");
    key = folder.resolve("server.key");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String options =
        "-genkeypair -alias server -keyalg EC -groupname secp256r1 -validity 3650"
            + " -dname CN=localhost -ext san=ip:127.0.0.1,dns:localhost -storetype PKCS12";
    List<String> command = new ArrayList<>(List.of(keytool));
    command.addAll(List.of(options.split(" ", -1)));
    command.addAll(List.of("-storepass", new String(PASSWORD), "-keystore", store.toString()));
    Programs.run(command, "keytool");
    try (InputStream in = new FileInputStream(store.toFile())) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD);
      write(certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
      write(key, "PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded());
      trusting = trusting(keys);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(Path file, String type, byte[] content) throws IOException {
    byte[] newLine = "\n".getBytes(StandardCharsets.US_ASCII);
    String body = Base64.getMimeEncoder(64, newLine).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
  }

  private static SSLContext trusting(KeyStore keys) throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", keys.getCertificate("server"));
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), managers.getTrustManagers(), null);
    return context;
  }

  /** PEM. */
  Path certificate() {
    return certificate;
  }

  /** PEM, not encrypted. */
  Path key() {
    return key;
  }

  /** Both in one PKCS #12 file, with the password {@code changeit}. */
  Path store() {
    return store;
  }

  /** Trusts this certificate and nothing else, and shows it where one is wanted. */
  SSLContext trusting() {
    return trusting;
  }
}
