package io.leasehold.redis;

import io.leasehold.redis.Command.Name;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The scripts that the server runs, one for each verb. They stand beside this class. */
enum Script {
  ATTEMPT,
  WITHDRAW,
  RENEW,
  RELEASE,
  BREAK,
  LIST,
  LAYOUT;

  private static final String INCLUDE = "-- include (\\w+\\.lua)";

  private final String text;

  /** Not changed. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final byte[] sha;

  Script() {
    text = read(name().toLowerCase(Locale.ROOT) + ".lua");
    sha = Command.bytes(sha1(text));
  }

  /** Runs it, if the server knows it. */
  Command run(List<byte[]> keys, List<byte[]> arguments) {
    return command(Name.EVALSHA, sha, keys, arguments);
  }

  /** Runs it, and makes it known to the server. */
  Command teach(List<byte[]> keys, List<byte[]> arguments) {
    return command(Name.EVAL, Command.bytes(text), keys, arguments);
  }

  /** Makes it known to the server. */
  Command load() {
    return Command.of(Name.SCRIPT, "LOAD", text);
  }

  /** A script that does nothing with these keys. */
  static Command nothing(List<byte[]> keys) {
    return command(Name.EVAL, Command.bytes("return 0"), keys, List.of());
  }

  static Command command(Name name, byte[] which, List<byte[]> keys, List<byte[]> arguments) {
    int before = 2 + keys.size();
    byte[][] all = new byte[before + arguments.size()][];
    all[0] = which;
    all[1] = Command.count(keys.size());
    for (int i = 2; i < before; i++) {
      all[i] = keys.get(i - 2);
    }
    for (int i = before; i < all.length; i++) {
      all[i] = arguments.get(i - before);
    }
    return new Command(name, Arrays.asList(all));
  }

  /** With what it includes. */
  private static String read(String file) {
    return Pattern.compile(INCLUDE)
        .matcher(resource(file))
        .replaceAll(include -> Matcher.quoteReplacement(read(include.group(1))));
  }

  private static String resource(String file) {
    try (InputStream in = Script.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + file + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the resource " + file, e);
    }
  }

  static String sha1(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-1").digest(Command.bytes(text)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
