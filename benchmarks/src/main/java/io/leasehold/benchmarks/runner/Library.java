package io.leasehold.benchmarks.runner;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is compared. A constant of an enum, by whose name a process finds it. Each as its users get
 * it who set nothing, but for the ttl and what is said.
 */
public interface Library {
  /** Of the constant. */
  String name();

  /** Of the constant. */
  Class<?> getDeclaringClass();

  /** A class of it. */
  Class<?> type();

  /** Whether it is Leasehold, which is always measured. */
  boolean isOurs();

  /**
   * Connects.
   *
   * @param url of a server on the loopback
   * @param ttl of all locks
   */
  Client connect(String url, Duration ttl);

  /** The file it was loaded from, which is named after its version; nothing for the JDK. */
  default String jar() {
    return jar(type());
  }

  /** The file that a class was loaded from; nothing for the JDK. */
  static String jar(Class<?> type) {
    return Optional.ofNullable(type.getProtectionDomain().getCodeSource())
        .map(source -> source.getLocation().getPath().replaceAll("/$", ""))
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .filter(name -> name.endsWith(".jar"))
        .orElse("");
  }

  /** The one of this name in an enum. */
  static Library named(String declaringClass, String name) {
    try {
      return Stream.of(Class.forName(declaringClass).getEnumConstants())
          .map(Library.class::cast)
          .filter(each -> each.name().equals(name))
          .findFirst()
          .orElseThrow();
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
