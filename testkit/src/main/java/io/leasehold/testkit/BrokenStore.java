package io.leasehold.testkit;

import io.leasehold.spi.StoreFactory;
import io.leasehold.spi.support.SystemClock;
import io.leasehold.spi.support.Threads;
import io.leasehold.testkit.contract.StoreFixture;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A store that breaks one promise. */
public final class BrokenStore {
  /** How it is made. */
  interface Recipe {
    StoreFixture make(InMemorySettings settings);
  }

  private final String name;
  private final int rule;
  private final String wrong;
  private final Recipe recipe;

  BrokenStore(String name, int rule, String wrong, Recipe recipe) {
    this.name = name;
    this.rule = rule;
    this.wrong = wrong;
    this.recipe = recipe;
  }

  /** What it is called. */
  public String name() {
    return name;
  }

  /** The number of the promise that it breaks. */
  public int rule() {
    return rule;
  }

  /** What is wrong with it, in a sentence. */
  public String wrong() {
    return wrong;
  }

  /** A new one, as the contract sees it. */
  public StoreFixture fixture() {
    return recipe.make(InMemorySettings.defaults());
  }

  @Override
  public String toString() {
    return name;
  }

  // ---- recipes

  private static InMemoryServer server(InMemorySettings settings, LockTable table) {
    return new InMemoryServer(settings, new SystemClock(), new Threads()::callback, table);
  }

  static Recipe table(Function<InMemorySettings, LockTable> broken) {
    return settings -> new StoreFixture(server(settings, broken.apply(settings)));
  }

  static Recipe names(BrokenQueues.NameRule broken) {
    return table(settings -> BrokenQueues.withNames(settings, broken));
  }

  static Recipe store(Function<InMemoryServer, StoreFactory> broken) {
    return settings -> new StoreFixture(broken.apply(new InMemoryServer(settings)));
  }

  static Recipe client(UnaryOperator<StoreFactory> broken) {
    return settings -> new StoreFixture(new InMemoryServer(settings), broken);
  }

  static Recipe oneName(UnaryOperator<String> text) {
    return store(server -> BrokenConnections.takesForOne(server, text));
  }
}
