package io.leasehold.cli;

import io.leasehold.Finding;
import io.leasehold.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** {@code doctor}: what the store is, and what could break its promises. */
final class DoctorCommand {
  private final Arguments arguments;
  private final StoreChoice store;
  private final Console console;

  DoctorCommand(Arguments arguments, StoreChoice store, Console console) {
    this.arguments = arguments;
    this.store = store;
    this.console = console;
  }

  int run() {
    if (!arguments.operands().isEmpty()) {
      throw new UsageException("doctor takes no lock name: it looks at the store");
    }
    return arguments.has(Option.DDL) ? ddl() : findings();
  }

  private int ddl() {
    Optional<String> ddl = store.ddl();
    if (ddl.isEmpty()) {
      console.say("this store has no tables: there is nothing to create");
    }
    console.print(ddl.orElse(""));
    return ExitCode.OK;
  }

  private int findings() {
    List<Finding> findings = new ArrayList<>();
    try (LockClient locks = store.openWhateverItLacks()) {
      findings.add(new Finding(Finding.Level.OK, "store", store.shown()));
      findings.addAll(locks.diagnose());
    }
    console.print(arguments.has(Option.JSON) ? json(findings) : table(findings));
    boolean isSound = findings.stream().noneMatch(f -> f.level() == Finding.Level.ERROR);
    return isSound ? ExitCode.OK : ExitCode.UNSOUND;
  }

  private static String table(List<Finding> findings) {
    Table table = new Table("LEVEL", "CHECK", "FOUND");
    for (Finding finding : findings) {
      table.add(
          finding.level().name(),
          Console.visible(finding.check()),
          Console.visible(finding.detail()));
    }
    return table.toString();
  }

  private static String json(List<Finding> findings) {
    Json json = new Json().beginArray();
    for (Finding finding : findings) {
      json.beginObject();
      json.name("level").value(finding.level().name().toLowerCase(Locale.ROOT));
      json.name("check").value(finding.check());
      json.name("detail").value(finding.detail());
      json.endObject();
    }
    return json.endArray() + "\n";
  }
}
