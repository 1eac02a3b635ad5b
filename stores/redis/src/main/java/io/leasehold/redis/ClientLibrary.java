package io.leasehold.redis;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A client library, in the version that the application has. */
enum ClientLibrary {
  /** Of {@code redis://}. */
  JEDIS("Jedis", "redis.clients/jedis", 5, 2, "5.2 to 8"),
  /** Of {@link LettuceStores}. */
  LETTUCE("Lettuce", "io.lettuce/lettuce-core", 6, 3, "6.3 to 7");

  private static final Pattern VERSION = Pattern.compile("(\\d{1,9})\\.(\\d{1,9}).*");

  private final String title;
  private final String file;
  private final int major;
  private final int minor;
  private final String working;

  ClientLibrary(String title, String artifact, int major, int minor, String working) {
    this.title = title;
    this.file = "META-INF/maven/" + artifact + "/pom.properties";
    this.major = major;
    this.minor = minor;
    this.working = working;
  }

  /**
   * Does what needs the library.
   *
   * @throws StoreException if it is missing, or a version that does not work
   */
  <T> T use(Supplier<T> work) {
    try {
      return work.get();
    } catch (LinkageError e) {
      throw refused(version(), e);
    }
  }

  /**
   * Refuses a version that is too old to be tried. One that does not say which it is, is tried.
   *
   * @throws StoreException names it
   */
  void require() {
    String version = version();
    Matcher number = VERSION.matcher(version);
    if (number.matches() && isOlder(part(number, 1), part(number, 2))) {
      throw refused(version, null);
    }
  }

  private static int part(Matcher number, int group) {
    return Integer.parseInt(number.group(group));
  }

  private boolean isOlder(int itsMajor, int itsMinor) {
    return itsMajor < major || (itsMajor == major && itsMinor < minor);
  }

  private StoreException refused(String version, @Nullable LinkageError why) {
    String found = version.isEmpty() ? "none, or one without a version" : version;
    return new StoreException(
        Failure.REFUSED,
        "this store works with "
            + title
            + " "
            + working
            + "; the class path has "
            + found
            + (why == null ? "" : " (" + why + ")"),
        why);
  }

  /** Empty if it does not say. */
  private String version() {
    ClassLoader loader = ClientLibrary.class.getClassLoader();
    try (InputStream in = loader.getResourceAsStream(file)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", "");
    } catch (IOException e) {
      return "";
    }
  }
}
