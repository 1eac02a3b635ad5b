package io.leasehold.benchmarks.runner;

import java.util.List;
import java.util.Map;

/**
 * One line of the table of targets, or a few that are measured together.
 *
 * @param name what {@code --only} calls it
 * @param title what the report calls it
 * @param measures what comes out
 * @param contenders who takes part
 * @param measuring how
 * @param targets what Leasehold's measures are held to
 */
public record Scenario(
    String name,
    String title,
    List<Measure> measures,
    List<Contender> contenders,
    Measuring measuring,
    List<Target> targets) {

  /** Whether it is measured in processes that stay, and so once before the first round. */
  boolean warmedUp() {
    boolean warmsUpItself = measures.stream().anyMatch(each -> each.name().startsWith("warm"));
    return !name.equals("held") && !name.equals("crash") && !warmsUpItself;
  }

  /**
   * A kind of figure.
   *
   * @param name which
   * @param unit its unit
   */
  public record Measure(String name, String unit) {}

  /** Measures a contender once. */
  public interface Measuring {
    /** Returns the values of the measures, or of those that this contender has. */
    Map<String, Double> measure(Stage stage, Contender contender, Settings settings)
        throws InterruptedException;
  }
}
