package io.leasehold.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.servers.Programs;
import io.leasehold.testkit.InMemoryServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard, the alerts and the pages name the meters that exist. */
class MonitoringTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern SERIES = Pattern.compile("\\bleasehold_\\w+");
  private static final Pattern METER = Pattern.compile("`(leasehold\\.[a-z]+)`");
  private static final Pattern ALERT = Pattern.compile("(?m)^ *- alert: (\\w+)$");

  private static String text(String file) throws IOException {
    return Files.readString(DOCS.resolve(file));
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.groupCount() == 0 ? match.group() : match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What Prometheus scrapes of a client that was used once. */
  private static PrometheusMeterRegistry used() throws InterruptedException {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (LockClient client = Leasehold.builder(new InMemoryServer()).build()) {
      new LockMetrics(client).bindTo(registry);
      client.lock("n").withLock(lease -> {});
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> registry.get("leasehold.hold").timer().count() == 1);
      assertThat(registry.scrape()).contains("leasehold_held");
    }
    return registry;
  }

  private static Set<String> series() throws InterruptedException {
    Set<String> series = found(SERIES, used().scrape());
    assertThat(series).hasSizeGreaterThan(10);
    return series;
  }

  @Test
  void everySeriesOfTheDashboardExistsAndEveryOneIsThere() throws Exception {
    JsonNode dashboard = new ObjectMapper().readTree(text("monitoring/grafana-dashboard.json"));
    List<String> expressions = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      assertThat(panel.get("description").asText()).isNotEmpty();
      panel.get("targets").forEach(target -> expressions.add(target.get("expr").asText()));
    }
    dashboard
        .get("templating")
        .get("list")
        .forEach(variable -> expressions.add(variable.get("query").asText()));
    Set<String> named = found(SERIES, String.join("\n", expressions));
    Set<String> series = series();
    assertThat(series).containsAll(named);
    for (String meter : meters()) {
      assertThat(named).anyMatch(name -> name.startsWith(meter.replace('.', '_')));
    }
  }

  @Test
  void everySeriesOfTheAlertsExistsAndOperationsSaysWhatToDo() throws Exception {
    String rules = text("monitoring/prometheus-alerts.yml");
    assertThat(series()).containsAll(found(SERIES, rules));
    Set<String> alerts = found(ALERT, rules);
    assertThat(alerts).isNotEmpty();
    String operations = text("operations.md");
    String section =
        operations.substring(operations.indexOf("## Alerts"), operations.indexOf("## Events"));
    assertThat(found(Pattern.compile("(?m)^\\| `(Leasehold\\w+)` \\|"), section)).isEqualTo(alerts);
  }

  @Test
  void thePageHasEveryMeterAndNoOther() throws Exception {
    String page = text("monitoring.md");
    String table = page.substring(page.indexOf("## Meters"), page.indexOf("## Dashboard"));
    assertThat(found(METER, table)).isEqualTo(meters());
  }

  private static Set<String> meters() throws InterruptedException {
    return used().getMeters().stream()
        .map(meter -> meter.getId().getName())
        .filter(name -> name.startsWith("leasehold."))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void prometheusUnderstandsTheRules() throws Exception {
    Path rules = DOCS.resolve("monitoring").resolve("prometheus-alerts.yml");
    Process promtool =
        new ProcessBuilder(
                Programs.server("prometheus-2.42").toString(), "check", "rules", rules.toString())
            .redirectErrorStream(true)
            .start();
    String says = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(promtool.waitFor()).as(says).isZero();
    int all = found(ALERT, Files.readString(rules)).size();
    assertThat(says).contains("SUCCESS: " + all + " rules found");
  }
}
