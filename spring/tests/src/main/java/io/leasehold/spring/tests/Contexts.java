package io.leasehold.spring.tests;

import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Makes contexts with what the starter configures, as an application finds it. */
final class Contexts {
  private Contexts() {}

  /** A runner with all auto-configurations of Leasehold. */
  static ApplicationContextRunner with() {
    return with(List.of());
  }

  /** A runner with all auto-configurations of Leasehold, and these of Spring Boot. */
  static ApplicationContextRunner with(List<String> ofBoot) {
    return new ApplicationContextRunner().withConfiguration(configurations(ofBoot));
  }

  /** All auto-configurations of Leasehold. */
  static AutoConfigurations leasehold() {
    return configurations(List.of());
  }

  private static AutoConfigurations configurations(List<String> ofBoot) {
    return AutoConfigurations.of(
        Stream.concat(names(), ofBoot.stream())
            .map(name -> ClassUtils.resolveClassName(name, null))
            .toArray(Class<?>[]::new));
  }

  private static Stream<String> names() {
    List<String> names =
        StreamSupport.stream(
                ImportCandidates.load(AutoConfiguration.class, Contexts.class.getClassLoader())
                    .spliterator(),
                false)
            .filter(name -> name.startsWith("io.leasehold."))
            .toList();
    if (names.size() != 9) {
      throw new AssertionError("expected nine auto-configurations, but found " + names);
    }
    return names.stream();
  }
}
