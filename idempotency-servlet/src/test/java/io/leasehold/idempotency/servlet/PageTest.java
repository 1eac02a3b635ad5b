package io.leasehold.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** docs/idempotency.md names every setting and every answer of the filter. */
class PageTest {
  private static String page() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();
    return Files.readString(root.resolve("docs/idempotency.md"));
  }

  @Test
  void everySettingIsThere() throws IOException {
    List<String> settings =
        Arrays.stream(IdempotencyFilter.Builder.class.getDeclaredMethods())
            .filter(method -> method.getReturnType() == IdempotencyFilter.Builder.class)
            .map(Method::getName)
            .toList();
    assertThat(settings).hasSize(14);
    assertThat(page()).contains(settings.stream().map(name -> "`" + name + "`").toList());
  }

  @Test
  void everyAnswerIsThere() throws IOException {
    String page = page();
    for (Problem each : Problem.values()) {
      String type = each.name().toLowerCase(Locale.ROOT).replace('_', '-');
      assertThat(page).containsPattern("\\| " + each.status() + "[^|]*\\| `" + type + "` \\|");
    }
  }
}
