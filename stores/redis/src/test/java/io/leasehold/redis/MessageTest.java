package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.LeaseId;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
  private static final String ID = "0123456789abcdefFEDCBA9876543210";

  @Test
  void whatALockSaysIsRead() {
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
      LeaseId next = new LeaseId(random.nextLong(), random.nextLong());
      long number = random.nextLong() >>> (11 + random.nextInt(53));
      assertThat(parse(id.toString())).isEqualTo(new Message(id, 0, false, List.of()));
      assertThat(parse(id + " " + number + " 1"))
          .isEqualTo(new Message(id, number, true, List.of()));
      assertThat(parse(id + " " + number + " 0 " + next + " " + id))
          .isEqualTo(new Message(id, number, false, List.of(next, id)));
    }
  }

  private static @Nullable Message parse(String text) {
    return Message.parse(Command.bytes(text));
  }

  @Test
  void theDigitsOfAnIdMayBeLarge() {
    assertThat(LeaseId.parse(ID)).isEqualTo(new LeaseId(0x0123456789abcdefL, 0xFEDCBA9876543210L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "hello",
        "g123456789abcdefFEDCBA9876543210",
        "0123456789abcdef FEDCBA987654321",
        "\u01310123456789abcdefFEDCBA987654321",
        "0123456789abcdefFEDCBA98765432101",
        ID + " ",
        ID + " 7",
        ID + " 7 ",
        ID + "  1",
        ID + " -7 1",
        ID + " +7 1",
        ID + " 7x 1",
        ID + " \u0667 1",
        ID + " 9223372036854775808 1",
        ID + " 7 1 x",
        ID + " 7 1 " + ID + " ",
      })
  void whatAnythingElseSaysIsNot(String text) {
    assertThat(parse(text)).isNull();
  }
}
