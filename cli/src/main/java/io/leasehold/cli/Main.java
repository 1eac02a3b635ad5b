package io.leasehold.cli;

import java.util.Map;

/** The {@code leasehold} command. */
public final class Main {
  private final Console console;
  private final Map<String, String> environment;

  private Main(Console console, Map<String, String> environment) {
    this.console = console;
    this.environment = environment;
  }

  /** Does what the arguments say, and ends the process. */
  public static void main(String[] args) {
    Map<String, String> environment = System.getenv();
    boolean debug = "1".equals(environment.get("LEASEHOLD_DEBUG"));
    int code = new Main(new Console(debug), environment).run(args);
    // Nothing is left to be done: the client has ended what it began
    Runtime.getRuntime().halt(code);
  }

  private int run(String[] args) {
    try {
      Words words = Words.of(args);
      return run(words, Arguments.parse(words.texts()));
    } catch (UsageException e) {
      console.say(e.getMessage() + "; see leasehold --help");
      return ExitCode.USAGE;
    } catch (RuntimeException e) {
      console.say(e);
      return ExitCode.of(e);
    } catch (Error e) {
      console.say("internal error: " + e);
      return ExitCode.INTERNAL;
    }
  }

  private int run(Words words, Arguments arguments) {
    if (arguments.has(Option.HELP)) {
      console.print(Help.of(arguments.command()));
      return ExitCode.OK;
    }
    if (arguments.has(Option.VERSION)) {
      console.print(Help.version());
      return ExitCode.OK;
    }
    Command command =
        arguments
            .command()
            .orElseThrow(() -> new UsageException("no command given: use " + Command.all("or")));
    StoreChoice store = new StoreChoice(arguments, environment);
    Console waiting = arguments.has(Option.QUIET) ? console.quiet() : console;
    return switch (command) {
      case RUN -> new RunCommand(arguments, words, store, waiting, environment).run();
      case ONCE -> new OnceCommand(arguments, words, store, waiting).run();
      case LEAD -> new LeadCommand(arguments, words, store, waiting, environment).run();
      case WAIT -> new WaitCommand(arguments, store, waiting).run();
      case WHO -> new HeldCommand(arguments, store, console).who();
      case LIST -> new HeldCommand(arguments, store, console).list();
      case BREAK -> new BreakCommand(arguments, store, console).run();
      case DOCTOR -> new DoctorCommand(arguments, store, console).run();
    };
  }
}
