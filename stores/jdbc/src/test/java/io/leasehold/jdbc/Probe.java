package io.leasehold.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * Records every statement, and runs something before or after one of them. Used by one thread at a
 * time.
 */
final class Probe implements StatementHook {
  private final List<String> statements = new ArrayList<>();
  private String trigger = "";
  private Runnable before = () -> {};
  private Runnable after = () -> {};

  @Override
  public void before(String sql) {
    statements.add(sql.lines().findFirst().orElse(""));
    if (!trigger.isEmpty() && sql.startsWith(trigger)) {
      Runnable action = before;
      before = () -> {};
      action.run();
    }
  }

  @Override
  public void after(String sql) {
    if (!trigger.isEmpty() && sql.startsWith(trigger)) {
      Runnable action = after;
      after = () -> {};
      action.run();
    }
  }

  /** Runs the action once, before the next statement that begins so. */
  void beforeNext(String start, Runnable action) {
    trigger = start;
    before = action;
  }

  /** Runs the action once, after the next statement that begins so. */
  void afterNext(String start, Runnable action) {
    trigger = start;
    after = action;
  }

  /** The first lines of the statements since the last call. */
  List<String> taken() {
    List<String> all = List.copyOf(statements);
    statements.clear();
    return all;
  }
}
