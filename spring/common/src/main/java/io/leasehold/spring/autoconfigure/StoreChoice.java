package io.leasehold.spring.autoconfigure;

import static java.util.Objects.requireNonNull;

import io.leasehold.Leasehold;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Chooses the store: that of the URL, else the one bean of the application that can be. */
final class StoreChoice {
  static final String WRITE_URL =
      "Write leasehold.url=… (as redis://localhost:6379 or jdbc:postgresql://localhost/app), or"
          + " define a LockClient bean.";
  private static final Logger LOG = System.getLogger("io.leasehold.spring");

  private final LeaseholdProperties settings;
  private final List<StoreBeans<?>> kinds;
  private final ConfigurableListableBeanFactory beans;

  StoreChoice(
      LeaseholdProperties settings,
      List<StoreBeans<?>> kinds,
      ConfigurableListableBeanFactory beans) {
    this.settings = settings;
    this.kinds = kinds;
    this.beans = beans;
  }

  /**
   * Chooses the store of the locks.
   *
   * @param dependent the name of the bean that uses the store, and so ends before it
   * @throws LeaseholdSettingsException if there is none, or more than one
   */
  OpenableStore choose(String dependent) {
    Optional<Candidate> chosen = bean("locks", dependent);
    return chosen.isPresent()
        ? chosen.get().kind().in(beans, chosen.get().name(), settings)
        : new OpenableStore(Leasehold.builder(requireNonNull(settings.url())));
  }

  /**
   * The bean to keep something in; empty if that is the store of the URL.
   *
   * @param what is kept, for messages
   */
  Optional<Candidate> bean(String what, String dependent) {
    if (settings.url() != null) {
      refuse(settings.bean() != null, "leasehold.bean");
      refuse(settings.prefix() != null, "leasehold.prefix");
      refuse(settings.createTables(), "leasehold.create-tables");
      LOG.log(Level.INFO, "{0} are kept in the store of leasehold.url", what);
      return Optional.empty();
    }
    List<Candidate> found = settings.bean() == null ? unnamed() : named(settings.bean());
    if (found.size() != 1) {
      throw found.isEmpty() ? none() : several(found);
    }
    Candidate chosen = found.get(0);
    LOG.log(
        Level.INFO,
        "{0} are kept in the bean {1} ({2}): {3}",
        what,
        "'" + chosen.name() + "'",
        chosen.kind().what(),
        settings.bean() == null
            ? "leasehold.url is not set, and no other bean can be used"
            : "leasehold.bean names it");
    beans.registerDependentBean(chosen.name(), dependent);
    return Optional.of(chosen);
  }

  private static void refuse(boolean set, String property) {
    if (set) {
      throw new LeaseholdSettingsException(
          "leasehold.url and "
              + property
              + " are both set, but the second is for a bean of the"
              + " application",
          "Remove one of them. A URL takes the same as a parameter: see docs/settings.md.");
    }
  }

  private List<Candidate> unnamed() {
    List<Candidate> found = new ArrayList<>();
    for (StoreBeans<?> kind : kinds) {
      kind.names(beans).forEach(name -> found.add(new Candidate(name, kind)));
    }
    return found;
  }

  private List<Candidate> named(String name) {
    if (!beans.containsBean(name)) {
      throw new LeaseholdSettingsException(
          "leasehold.bean is '" + name + "', but there is no such bean",
          "Write the name of a bean, or leasehold.url=…");
    }
    return kinds.stream()
        .filter(kind -> kind.has(beans, name))
        .map(kind -> new Candidate(name, kind))
        .toList();
  }

  private LeaseholdSettingsException none() {
    String can =
        kinds.isEmpty()
            ? "no module of a store is on the class path: add leasehold-jdbc, leasehold-redis or"
                + " leasehold-zookeeper"
            : kinds.stream().map(StoreBeans::limits).collect(Collectors.joining("; "));
    return new LeaseholdSettingsException(
        "locks have no store: leasehold.url is not set, and no bean can be used: " + can,
        WRITE_URL);
  }

  private static LeaseholdSettingsException several(List<Candidate> found) {
    return new LeaseholdSettingsException(
        "locks could be kept in several beans: "
            + found.stream()
                .map(each -> "'" + each.name() + "' (" + each.kind().what() + ")")
                .collect(Collectors.joining(", ")),
        "Write "
            + found.stream()
                .map(each -> "leasehold.bean=" + each.name())
                .collect(Collectors.joining(" or "))
            + ", or leasehold.url=…");
  }

  /** A bean that could be used. */
  record Candidate(String name, StoreBeans<?> kind) {}
}
