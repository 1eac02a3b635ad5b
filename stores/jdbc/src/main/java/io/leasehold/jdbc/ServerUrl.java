package io.leasehold.jdbc;

import io.leasehold.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A URL of a database server, taken apart: what is for the driver, and what is for us.
 *
 * @param database for messages: without secrets
 * @param product as in {@code jdbc:product:}
 * @param driverUrl without user, password and parameters
 * @param properties user, password, and the parameters that are not ours
 * @param tables what the tables' names begin with
 * @param care what is done about the tables
 * @param mode what excludes
 */
record ServerUrl(
    String database,
    String product,
    String driverUrl,
    Properties properties,
    String tables,
    ServerSchema.Care care,
    Mode mode) {
  /** What excludes. */
  enum Mode {
    /** A row with an expiry. */
    LEASE(""),
    /** The server's own lock of a connection. Its tables are others: the modes do not meet. */
    SESSION("_session");

    private final String suffix;

    Mode(String suffix) {
      this.suffix = suffix;
    }

    private static Mode of(String text) {
      return switch (text) {
        case "lease" -> LEASE;
        case "session" -> SESSION;
        default -> throw new IllegalArgumentException("mode is lease or session, not " + text);
      };
    }
  }

  private static final Set<String> PRODUCTS = Set.of("postgresql", "mysql", "mariadb", "h2");
  private static final Set<String> OURS = Set.of("table", "ddl", "mode");

  /** Those that are read before the URL comes here. */
  private static final Set<String> CLIENTS = Set.of("ttl", "accept");

  /** The product, what kind of it, slashes, user and password if there are any, and the rest. */
  private static final Pattern REST =
      Pattern.compile(
          "(?<product>[a-z0-9]+):(?<kind>(?:[a-z]+:)*)"
              + "(?:(?<slashes>//)(?:(?<user>[^@/:]*)(?::(?<password>[^@/]*))?@)?)?(?<where>.*)");

  /**
   * What only a password that was cut off, or one for the driver, has in it: what stands where a
   * port does, and is none, may be one too.
   */
  private static final Pattern SECRET =
      Pattern.compile(
          "@|\\b(?i:pass|pwd)\\w*\\s*=|^(?:[^/:\\[]|\\[[^]]*])*:(?!\\d{1,5}(?:[,/]|$))");

  /** Those among the settings of H2's URLs. */
  private static final Pattern H2_CREDENTIAL =
      Pattern.compile(";(?i:(?<key>user|password))=(?<value>(?:[^;\\\\]|\\\\.)*)");

  /**
   * Reads a URL.
   *
   * @param environment where user and password are taken from if the URL has none
   * @throws IllegalArgumentException if it is malformed; the message has no secrets
   */
  static ServerUrl of(StoreUrl url, Map<String, String> environment) {
    Matcher rest = REST.matcher(url.rest());
    if (!rest.matches() || !PRODUCTS.contains(rest.group("product"))) {
      throw new IllegalArgumentException(
          "the store URL "
              + url
              + " is not of a database that is served: write jdbc:postgresql://host/database,"
              + " jdbc:mysql://host/database, jdbc:mariadb://host/database or jdbc:h2:...");
    }
    String product = rest.group("product");
    Mode mode = url.parameter("mode").map(Mode::of).orElse(Mode.LEASE);
    if (mode == Mode.SESSION && product.equals("h2")) {
      throw new IllegalArgumentException(
          "the store URL "
              + url
              + " asks for mode=session, but H2 has no named locks: leave it out");
    }
    Properties properties = new Properties();
    url.without(OURS)
        .parameters()
        .forEach((key, value) -> properties.setProperty(known(key), value));
    String where = where(product, rest.group("where"), properties);
    credential("user", decoded(url, rest.group("user")), environment, "LEASEHOLD_USER", properties);
    credential(
        "password",
        decoded(url, rest.group("password")),
        environment,
        "LEASEHOLD_PASSWORD",
        properties);
    return new ServerUrl(
        url.without(properties.stringPropertyNames()).without(OURS).toString(),
        product,
        "jdbc:"
            + product
            + ":"
            + rest.group("kind")
            + (rest.group("slashes") == null ? "" : "//")
            + where,
        properties,
        url.parameter("table").orElse(Tables.DEFAULT) + mode.suffix,
        url.parameter("ddl").map(ServerSchema.Care::of).orElse(defaultCare(product, url.rest())),
        mode);
  }

  /**
   * What the driver gets as host and path.
   *
   * @param properties gets what else it is to be told
   */
  private static String where(String product, String where, Properties properties) {
    if (product.equals("h2")) {
      Matcher credential = H2_CREDENTIAL.matcher(where);
      while (credential.find()) {
        String key = credential.group("key").toLowerCase(Locale.ROOT);
        properties.setProperty(key, credential.group("value"));
      }
      return credential.replaceAll("");
    }
    if (SECRET.matcher(where).find()) {
      throw new IllegalArgumentException(
          "the store URL jdbc:"
              + product
              + ": has an @, a password or a port that is no number after the host; percent-encode"
              + " what is special in user and password, as %2F for a / and %40 for an @, or set"
              + " LEASEHOLD_USER and LEASEHOLD_PASSWORD");
    }
    if (product.equals("postgresql") && where.replaceFirst("/.*", "").contains(",")) {
      properties.putIfAbsent("targetServerType", "primary");
    }
    return where;
  }

  /** A parameter for the driver, which would not say a word about one of ours misspelled. */
  private static String known(String parameter) {
    Stream.concat(OURS.stream(), CLIENTS.stream())
        .filter(ours -> isNear(parameter.toLowerCase(Locale.ROOT), ours))
        .findFirst()
        .ifPresent(
            ours -> {
              throw new IllegalArgumentException(
                  "the store URL has the parameter " + parameter + "; write " + ours);
            });
    return parameter;
  }

  /** Whether they differ by one letter at most: another, one more or less, or two exchanged. */
  private static boolean isNear(String a, String b) {
    int same = 0;
    while (same < Math.min(a.length(), b.length()) && a.charAt(same) == b.charAt(same)) {
      same++;
    }
    String restOfA = a.substring(same);
    String restOfB = b.substring(same);
    return restOfA.equals(restOfB)
        || after(restOfA, 1).equals(after(restOfB, 1))
        || after(restOfA, 1).equals(restOfB)
        || restOfA.equals(after(restOfB, 1))
        || (restOfA.length() > 1
            && restOfB.length() > 1
            && restOfA.charAt(0) == restOfB.charAt(1)
            && restOfA.charAt(1) == restOfB.charAt(0)
            && after(restOfA, 2).equals(after(restOfB, 2)));
  }

  private static String after(String text, int letters) {
    return text.substring(Math.min(letters, text.length()));
  }

  /** How long opening may take: as long as the driver of PostgreSQL may, if that is longer. */
  Duration longestOpening() {
    String seconds = properties.getProperty("loginTimeout", "");
    Duration login =
        product.equals("postgresql") && seconds.matches("\\d{1,6}")
            ? Duration.ofSeconds(Long.parseLong(seconds))
            : Duration.ZERO;
    return login.compareTo(TimelyOpening.LONGEST) > 0 ? login : TimelyOpening.LONGEST;
  }

  /**
   * What the driver is to be told.
   *
   * @param ours what we would tell it; what the URL says goes before
   */
  Properties over(Properties ours) {
    Properties all = new Properties();
    all.putAll(ours);
    all.putAll(properties);
    String options = ours.getProperty("options");
    if (options != null && properties.containsKey("options")) {
      all.setProperty("options", options + " " + properties.getProperty("options"));
    }
    return all;
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return database;
  }

  /** An embedded database is made when it is needed, as a file is. */
  private static ServerSchema.Care defaultCare(String product, String rest) {
    boolean isEmbedded = product.equals("h2") && !rest.matches("h2:(tcp|ssl):.*");
    return isEmbedded ? ServerSchema.Care.CREATE : ServerSchema.Care.VALIDATE;
  }

  private static void credential(
      String key,
      Optional<String> value,
      Map<String, String> environment,
      String variable,
      Properties properties) {
    String inEnvironment = environment.get(variable);
    if (value.isPresent()) {
      properties.setProperty(key, value.get());
    } else if (!properties.containsKey(key) && inEnvironment != null) {
      properties.setProperty(key, inEnvironment);
    }
  }

  private static Optional<String> decoded(StoreUrl url, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      // Without the cause, which quotes the text.
      throw new IllegalArgumentException(
          "user or password of the store URL "
              + url
              + " has a % that is not followed by two hexadecimal digits; write %25 for a %");
    }
  }
}
