package io.leasehold.jdbc;

import io.leasehold.spi.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** The product, slashes, user and password if there are any, and the rest. */
  private static final Pattern REST =
      Pattern.compile(
          "(?<product>[a-z0-9]+):(?:(?<slashes>//)(?:(?<user>[^@/:]*)(?::(?<password>[^@/]*))?@)?)?(?<where>.*)");

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
    String slashes = rest.group("slashes") == null ? "" : "//";
    Properties properties = new Properties();
    url.without(OURS).parameters().forEach(properties::setProperty);
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
        "jdbc:" + product + ":" + slashes + rest.group("where"),
        properties,
        url.parameter("table").orElse(Tables.DEFAULT) + mode.suffix,
        url.parameter("ddl").map(ServerSchema.Care::of).orElse(defaultCare(product, url.rest())),
        mode);
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
