package io.leasehold.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.LockMode;
import io.leasehold.sessions.Entry.Details;
import io.leasehold.spi.LeaseId;
import io.leasehold.spi.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the values of entries say. */
class EntryTest {
  private static final long NOON = Instant.parse("2030-01-31T12:00:00Z").toEpochMilli();

  @Test
  void aValueIsForPeopleAndComesBack() {
    Details made = new Details("host/1/main since x", Duration.ZERO, Duration.ofMillis(30_500));
    String text = made.text(NOON);
    assertThat(text).isEqualTo("30.5s since 2030-01-31T12:00:00Z host/1/main since x");
    assertThat(Details.of(text, NOON + 2000))
        .isEqualTo(new Details(made.holder(), Duration.ofSeconds(2), made.remaining()));
  }

  @Test
  void theAgeStaysWhenAValueIsWrittenAgainAndIsNeverNegative() {
    Details later = new Details("me", Duration.ofSeconds(5), Duration.ofDays(2));
    assertThat(later.text(NOON)).isEqualTo("2d since 2030-01-31T11:59:55Z me");
    assertThat(Details.of(later.text(NOON), NOON - 60_000).age()).isZero();
  }

  @Test
  void aValueWithTheLeaseIdComesBack() {
    LeaseId id = new LeaseId(-1, 1);
    Ticket ticket =
        new Ticket(
            "name",
            id,
            LockMode.EXCLUSIVE,
            1,
            1,
            Duration.ofSeconds(30),
            Ticket.Intent.TRY,
            false,
            "host/1/main");
    String text = EntryValue.text(ticket, NOON);
    assertThat(text).isEqualTo(id + " 30s since 2030-01-31T12:00:00Z host/1/main");
    assertThat(EntryValue.of(text, NOON))
        .isEqualTo(new EntryValue(Optional.of(id), Details.of(ticket)));
    assertThat(EntryValue.of("10.0.0.7", NOON))
        .isEqualTo(new EntryValue(Optional.empty(), Details.of("10.0.0.7", NOON)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.7",
        "some text",
        "1x since 2030-01-31T12:00:00Z me",
        "1s since yesterday me",
        "1s since +999999999-12-31T23:59:59Z me"
      })
  void whatOthersHaveWrittenIsTheHolder(String text) {
    assertThat(Details.of(text, NOON)).isEqualTo(new Details(text, Duration.ZERO, Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\nb", "\u0007", "a\uFFFD"})
  void whatIsNotReadableIsNone(String text) {
    assertThat(Details.of(text, NOON)).isEqualTo(Details.NONE);
    assertThat(Details.of("x".repeat(256), NOON)).isEqualTo(Details.NONE);
  }
}
