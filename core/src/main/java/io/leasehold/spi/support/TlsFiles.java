package io.leasehold.spi.support;

import io.leasehold.spi.StoreUrl;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * PEM files for TLS, as the parameters {@code ca}, {@code cert} and {@code key} of a store URL name
 * them. Certificates are X.509; the key is PKCS #8 without a password.
 *
 * @param ca the certificates to trust, and no others; empty for those of the JDK
 * @param cert the client's own, and what leads to its CA; empty for none
 * @param key of the first of these
 */
public record TlsFiles(Optional<Path> ca, Optional<Path> cert, Optional<Path> key) {
  static final Set<String> PARAMETERS = Set.of("ca", "cert", "key");

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  private static final char[] NO_PASSWORD = {};
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "Ed25519");

  /** What the parameters of a URL name. */
  static TlsFiles of(StoreUrl url) {
    return new TlsFiles(file(url, "ca"), file(url, "cert"), file(url, "key"));
  }

  private static Optional<Path> file(StoreUrl url, String parameter) {
    return url.parameter(parameter).map(Path::of);
  }

  /**
   * What a URL without TLS must not have.
   *
   * @param secure the scheme with TLS
   * @throws IllegalArgumentException if it names a file
   */
  static void requireNone(StoreUrl url, String secure) {
    for (String parameter : PARAMETERS) {
      if (url.parameter(parameter).isPresent()) {
        throw new IllegalArgumentException(
            "the store URL has a parameter " + parameter + " without TLS; write " + secure + "://");
      }
    }
  }

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException if one cannot be used; the message names it
   */
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers(), trustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw notUsable(e);
    }
  }

  private static IllegalArgumentException notUsable(GeneralSecurityException e) {
    return new IllegalArgumentException("the certificates for TLS are not usable", e);
  }

  /** As {@link #context}, only whom to trust. */
  public TrustManager[] trustManagers() {
    try {
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(ca.isPresent() ? trusted() : null);
      return managers.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw notUsable(e);
    }
  }

  private KeyStore trusted() throws GeneralSecurityException {
    KeyStore store = empty();
    int count = 0;
    for (Certificate each : certificates(ca.orElseThrow())) {
      store.setCertificateEntry("ca" + count++, each);
    }
    return store;
  }

  /** As {@link #context}, only the client's own certificate; empty for none. */
  public KeyManager[] keyManagers() {
    Optional<KeyStore> own = own(NO_PASSWORD);
    if (own.isEmpty()) {
      return new KeyManager[0];
    }
    try {
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(own.get(), NO_PASSWORD);
      return managers.getKeyManagers();
    } catch (GeneralSecurityException e) {
      throw notUsable(e);
    }
  }

  /**
   * As {@link #context}, the client's own certificate with its key, which is protected by this
   * password; empty for none.
   */
  public Optional<KeyStore> own(char[] password) {
    if (cert.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "a client certificate needs both parameters of the store URL, cert and key");
    }
    if (cert.isEmpty()) {
      return Optional.empty();
    }
    try {
      KeyStore store = empty();
      Certificate[] chain = certificates(cert.get()).toArray(Certificate[]::new);
      store.setKeyEntry("own", privateKey(key.orElseThrow()), password, chain);
      return Optional.of(store);
    } catch (GeneralSecurityException e) {
      throw notUsable(e);
    }
  }

  private static KeyStore empty() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new IllegalStateException("nothing was read", e);
    }
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (all.isEmpty()) {
        throw new IllegalArgumentException("the file " + file + " has no certificates");
      }
      return all;
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read the certificates in " + file, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("the file " + file + " has no usable certificates", e);
    }
  }

  private static PrivateKey privateKey(Path file) throws GeneralSecurityException {
    Matcher pem = KEY.matcher(text(file));
    if (pem.find()) {
      PKCS8EncodedKeySpec spec =
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
      for (String algorithm : ALGORITHMS) {
        Optional<PrivateKey> found = privateKey(algorithm, spec);
        if (found.isPresent()) {
          return found.get();
        }
      }
    }
    throw new IllegalArgumentException(
        "the file "
            + file
            + " has no private key in PKCS #8 without a password; openssl pkcs8 -topk8 -nocrypt"
            + " makes one");
  }

  /** Empty if it is of another algorithm. */
  private static Optional<PrivateKey> privateKey(String algorithm, PKCS8EncodedKeySpec spec)
      throws GeneralSecurityException {
    try {
      return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(spec));
    } catch (InvalidKeySpecException e) {
      return Optional.empty();
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read the private key in " + file, e);
    }
  }
}
