package io.leasehold.spi.support;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The user and the password of a store URL; those that it lacks come from the environment, {@code
 * LEASEHOLD_USER} and {@code LEASEHOLD_PASSWORD}.
 *
 * @param user null if there is none
 * @param password null if there is none, and then there is no user
 */
public record Login(@Nullable String user, @Nullable String password) {
  /**
   * Reads them.
   *
   * @param user as it stands in the URL, percent-encoded
   * @param password as it stands in the URL, percent-encoded
   * @throws IllegalArgumentException if they are malformed, or there is a user without a password;
   *     the message has no secrets
   */
  public static Login of(
      @Nullable String user, @Nullable String password, Map<String, String> environment) {
    String givenUser = decoded(user);
    String givenPassword = decoded(password);
    if (givenPassword == null) {
      givenPassword = environment.get("LEASEHOLD_PASSWORD");
    }
    if (givenUser == null || givenUser.isEmpty()) {
      givenUser = environment.get("LEASEHOLD_USER");
    }
    if (givenUser != null && givenPassword == null) {
      throw new IllegalArgumentException(
          "the store URL has a user and no password; set LEASEHOLD_PASSWORD");
    }
    return new Login(givenUser, givenPassword);
  }

  private static @Nullable String decoded(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // Without the cause, which quotes the text.
      throw new IllegalArgumentException(
          "user or password of the store URL has a % that is not followed by two hexadecimal digits;"
              + " write %25 for a %");
    }
  }

  /** Without the password. */
  @Override
  public String toString() {
    return user == null ? "" : user;
  }
}
