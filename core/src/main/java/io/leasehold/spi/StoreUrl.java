package io.leasehold.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The parts of a store URL. {@link #toString()} hides the user, the password and all parameter
 * values, so it is safe to print.
 */
public final class StoreUrl {
  private static final Pattern SETTINGS = Pattern.compile("[;(]");

  /** Between the members of a list: a port stands behind a colon, too. */
  private static final Pattern BETWEEN = Pattern.compile(",(?=[A-Za-z][A-Za-z0-9+.-]*:(?!\\d))");

  private static final Pattern NO_PORT =
      Pattern.compile("(//[^/:\\[\\]]*):(?!\\d{1,5}(?:[,/]|$)).*");

  private final String scheme;
  private final String rest;
  private final Map<String, String> parameters;

  private StoreUrl(String scheme, String rest, Map<String, String> parameters) {
    this.scheme = scheme;
    this.rest = rest;
    this.parameters = parameters;
  }

  /**
   * Parses a store URL.
   *
   * @throws IllegalArgumentException if the URL has no scheme, has a parameter twice or without a
   *     value, or has an {@code @} in the parameters, which belongs to a password that is not
   *     percent-encoded
   */
  public static StoreUrl parse(String url) {
    int colon = url.indexOf(':');
    if (colon < 1 || !url.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      throw new IllegalArgumentException(
          "a store URL begins with a scheme, as in file:/var/lib/app/locks.db or redis://localhost:6379");
    }
    String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
    int query = url.indexOf('?', colon);
    String rest = query < 0 ? url.substring(colon + 1) : url.substring(colon + 1, query);
    Map<String, String> parameters = new LinkedHashMap<>();
    if (query >= 0 && url.indexOf('@', query) > 0) {
      throw new IllegalArgumentException(
          "the store URL has an @ after the first ?: percent-encode what is special in user, password"
              + " and parameters, as %3F for a ? and %40 for an @");
    }
    if (query >= 0 && query + 1 < url.length()) {
      for (String pair : url.substring(query + 1).split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals < 1) {
          throw new IllegalArgumentException(
              "a parameter of the store URL is written name=value, but one of scheme "
                  + scheme
                  + " is not");
        }
        String key = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
        String value = URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
        if (parameters.put(key, value) != null) {
          throw new IllegalArgumentException("the store URL has the parameter " + key + " twice");
        }
      }
    }
    return new StoreUrl(scheme, rest, parameters);
  }

  /** The scheme, in lower case. */
  public String scheme() {
    return scheme;
  }

  /**
   * The text between the colon after the scheme and the parameters, as written. May contain a
   * password.
   */
  public String rest() {
    return rest;
  }

  /** The decoded value of a parameter; empty if the URL does not have it. */
  public Optional<String> parameter(String key) {
    return Optional.ofNullable(parameters.get(key));
  }

  /**
   * As {@link #parameter}, where only these values have a meaning.
   *
   * @throws IllegalArgumentException if it has another one; the message names these
   */
  public Optional<String> choice(String key, List<String> values) {
    Optional<String> chosen = parameter(key);
    if (chosen.isPresent() && !values.contains(chosen.get())) {
      String known = String.join(" or " + key + "=", values);
      throw new IllegalArgumentException(
          "the store URL has an unknown " + key + "; leave it out, or write " + key + "=" + known);
    }
    return chosen;
  }

  /** All parameters, decoded. Their values may be secrets. */
  public Map<String, String> parameters() {
    return Map.copyOf(parameters);
  }

  /** The same URL without these parameters, which the client itself has read. */
  public StoreUrl without(Set<String> keys) {
    Map<String, String> others = new LinkedHashMap<>(parameters);
    others.keySet().removeAll(keys);
    return new StoreUrl(scheme, rest, others);
  }

  /**
   * The store URLs that this one lists behind its scheme, separated by commas, as in {@code
   * quorum:redis://a,redis://b}. Each has all parameters of this one.
   *
   * @throws IllegalArgumentException if one of them has no scheme
   */
  public List<StoreUrl> members() {
    return BETWEEN
        .splitAsStream(rest)
        .map(StoreUrl::parse)
        .map(member -> new StoreUrl(member.scheme, member.rest, parameters))
        .toList();
  }

  /**
   * Rejects parameters that the caller does not know.
   *
   * @throws IllegalArgumentException if there is an unknown parameter; the message names it and the
   *     known ones
   */
  public void requireOnly(Set<String> known) {
    for (String key : parameters.keySet()) {
      if (!known.contains(key)) {
        Set<String> all = new TreeSet<>(known);
        all.add("accept");
        all.add("ttl");
        throw new IllegalArgumentException(
            "the store URL has an unknown parameter "
                + key
                + "; "
                + scheme
                + " knows "
                + String.join(", ", all));
      }
    }
  }

  /** Scheme, host and path; never user, password or parameter values. */
  @Override
  public String toString() {
    return scheme
        + ":"
        + place()
        + (parameters.isEmpty() ? "" : "?" + String.join("&", parameters.keySet()));
  }

  private String place() {
    if (scheme.equals("quorum")) {
      return BETWEEN
          .splitAsStream(rest)
          .map(member -> member.indexOf(':') < 1 ? "***" : parse(member).toString())
          .collect(Collectors.joining(","));
    }
    // Some drivers take settings, a password too, after a semicolon or in parentheses
    Matcher settings = SETTINGS.matcher(rest);
    int end = scheme.equals("jdbc") && settings.find() ? settings.start() : rest.length();
    int at = rest.lastIndexOf('@');
    int slashes = rest.indexOf("//");
    String before = slashes < 0 || slashes > at ? "" : rest.substring(0, slashes + 2);
    if (at > end) {
      return before + "***";
    }
    String shown = at < 0 ? rest.substring(0, end) : before + "***@" + rest.substring(at + 1, end);
    // What stands where a port does, and is none, may be a password as well
    return NO_PORT.matcher(shown).replaceFirst("$1:***");
  }
}
