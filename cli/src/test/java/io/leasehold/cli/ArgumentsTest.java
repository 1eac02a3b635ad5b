package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
  private static Arguments parse(String line) {
    return Arguments.parse(line.isEmpty() ? List.of() : List.of(line.split(" ", -1)));
  }

  @Test
  void theCommandBeginsAfterTheDashesThatFollowTheName() {
    Arguments arguments =
        parse("--store file:x run --wait 5s --ttl=10s nightly -- sh -c -- --wait");

    assertThat(arguments.command()).contains(Command.RUN);
    assertThat(arguments.operands()).containsExactly("nightly");
    assertThat(arguments.value(Option.STORE)).contains("file:x");
    assertThat(arguments.duration(Option.WAIT)).contains(Duration.ofSeconds(5));
    assertThat(arguments.duration(Option.TTL)).contains(Duration.ofSeconds(10));
    assertThat(arguments.childStart()).isEqualTo(8);
  }

  @Test
  void optionsMayStandOnEitherSideOfTheCommandAndTheName() {
    Arguments arguments = parse("run nightly --wait 0 --store=file:a=b -- true");

    assertThat(arguments.duration(Option.WAIT)).contains(Duration.ZERO);
    assertThat(arguments.value(Option.STORE)).contains("file:a=b");
    assertThat(arguments.operands()).containsExactly("nightly");
  }

  @Test
  void aNameMayLookLikeAnOptionAfterDashes() {
    assertThat(parse("who -- --json").operands()).containsExactly("--json");
    Arguments run = parse("run -- -x -- true");
    assertThat(run.operands()).containsExactly("-x");
    assertThat(run.childStart()).isEqualTo(4);
  }

  @Test
  void theLastOfTwoCounts() {
    assertThat(parse("run --wait 1s --wait 2s x -- true").duration(Option.WAIT))
        .contains(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @CsvSource({
    "frob, frob",
    "run --frob x -- true, --frob",
    "run --wait, --wait",
    "run --wait -- true, --wait",
    "list --fair, --fair",
    "who --wait 3s x, --wait",
    "--wait 3s run x -- true, --wait",
    "list --json=yes, --json"
  })
  void whatMakesNoSenseIsNamed(String line, String message) {
    assertThatThrownBy(() -> parse(line))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({"soon", "-5s", "PT-5S", "5", "''"})
  void aBadDurationIsRefusedWithItsOption(String text) {
    Arguments arguments = Arguments.parse(List.of("run", "--wait=" + text, "x"));

    assertThatThrownBy(() -> arguments.duration(Option.WAIT))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--wait");
  }
}
