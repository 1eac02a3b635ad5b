package io.leasehold.cli;

import io.leasehold.DistributedLock;
import io.leasehold.LockClient;
import io.leasehold.LockSnapshot.Holder;
import java.util.List;
import java.util.stream.Collectors;

/** {@code break}: removes the one lease that the operator has seen, and no later one. */
final class BreakCommand {
  private final Arguments arguments;
  private final StoreChoice store;
  private final Console console;

  BreakCommand(Arguments arguments, StoreChoice store, Console console) {
    this.arguments = arguments;
    this.store = store;
    this.console = console;
  }

  int run() {
    String name = arguments.lockName();
    long token = token();
    try (LockClient locks = store.open(event -> {})) {
      DistributedLock lock = locks.lock(name);
      if (lock.breakLease(token)) {
        console.say(
            "removed the lease of '"
                + name
                + "' with token "
                + token
                + "; its holder finds out when it next renews it");
        return ExitCode.OK;
      }
      console.say("'" + name + "' has no lease with token " + token + ": it is " + state(lock));
      return ExitCode.NOT_CURRENT;
    }
  }

  private long token() {
    String text =
        arguments
            .value(Option.TOKEN)
            .orElseThrow(
                () ->
                    new UsageException("break needs the token of the lease: break NAME --token N"));
    if (!text.matches("[0-9]{1,18}|[0-9]{19}")) {
      throw new UsageException("--token takes a token as who shows it, not '" + text + "'");
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException("--token: no token is as great as " + text);
    }
  }

  private static String state(DistributedLock lock) {
    List<Holder> holders = lock.inspect().map(snapshot -> snapshot.holders()).orElse(List.of());
    if (holders.isEmpty()) {
      return "free";
    }
    return "held "
        + holders.stream()
            .map(holder -> "with token " + holder.fencingToken() + " by " + holder.holder())
            .collect(Collectors.joining(", "));
  }
}
