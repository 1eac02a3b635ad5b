package io.leasehold.gallery;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.LogManager;
import org.opentest4j.TestAbortedException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What ./gallery runs: lists the exhibits, or plays some. */
@Command(
    name = "gallery",
    description = "Plays locks as people write them, and the same on Leasehold.",
    sortOptions = false)
final class Main implements Runnable {
  private static final int USAGE = 64;
  private static final int UNAVAILABLE = 69;

  @Parameters(
      paramLabel = "ENTRY",
      description = "a number as 4, one with a letter as 4a, or all; none lists them")
  private List<String> entries = new ArrayList<>();

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "1",
      description = "play each N times; only the first is shown, the others must be equal")
  private int times;

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final TerminalTimeline timeline =
      new TerminalTimeline(Boolean.getBoolean("leasehold.gallery.colours"));
  private int exitCode;

  private Main() {}

  /** Runs the command. */
  public static void main(String[] arguments) {
    LogManager.getLogManager().reset(); // what the clients log is part of the show, not of the text
    Main main = new Main();
    CommandLine line = new CommandLine(main);
    line.setParameterExceptionHandler(
        (e, wrong) -> {
          System.err.println("gallery: " + e.getMessage() + "; see ./gallery --help");
          return USAGE;
        });
    int code = line.execute(arguments);
    System.exit(code == 0 ? main.exitCode : code);
  }

  @Override
  public void run() {
    if (entries.isEmpty()) {
      for (Exhibit each : Catalog.exhibits()) {
        out.printf(Locale.ROOT, "%4s  %s: %s%n", each.id(), each.title(), each.harm().words());
      }
      return;
    }
    List<Exhibit> chosen = new ArrayList<>();
    for (String entry : entries) {
      List<Exhibit> found = entry.equals("all") ? Catalog.exhibits() : Catalog.find(entry);
      if (found.isEmpty()) {
        System.err.println("gallery: no entry '" + entry + "'; ./gallery lists them");
        exitCode = USAGE;
        return;
      }
      chosen.addAll(found);
    }
    try (Servers servers = new Servers()) {
      for (Exhibit each : chosen) {
        play(servers, each);
      }
    } catch (TestAbortedException e) {
      System.err.println("gallery: " + e.getMessage());
      exitCode = UNAVAILABLE;
    } catch (Exception e) {
      throw new IllegalStateException("a scenario could not be played to its end: " + e, e);
    }
  }

  private void play(Servers servers, Exhibit exhibit) throws Exception {
    Recording broken = exhibit.playBroken(servers);
    Recording leasehold = exhibit.playLeasehold(servers);
    out.printf(Locale.ROOT, "%n%s. %s%n%n", exhibit.id(), exhibit.title());
    out.print(timeline.of(broken));
    boolean broke = exhibit.broke(broken);
    out.println(
        broke ? timeline.bad("  ✗ " + exhibit.harm().words()) : timeline.bad("  it did not break"));
    out.printf(Locale.ROOT, "%n  the same on Leasehold%n%n");
    out.print(timeline.of(leasehold));
    boolean held = Exhibit.held(leasehold);
    out.println(
        held
            ? timeline.good("  ✓ " + leasehold.verdict())
            : timeline.bad("  ✗ " + leasehold.harms()));
    int equal = 1;
    String first = SvgTimeline.of(exhibit, broken, leasehold);
    for (int i = 1; i < times; i++) {
      Recording brokenAgain = exhibit.playBroken(servers);
      Recording leaseholdAgain = exhibit.playLeasehold(servers);
      if (SvgTimeline.of(exhibit, brokenAgain, leaseholdAgain).equals(first)) {
        equal++;
      } else {
        out.print("\n  another time:\n" + timeline.of(brokenAgain) + timeline.of(leaseholdAgain));
      }
    }
    if (times > 1) {
      out.printf(Locale.ROOT, "  %d of %d the same%n", equal, times);
    }
    if (!broke || !held || equal < times) {
      exitCode = 1;
    }
  }
}
