package io.leasehold.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Finding;
import io.leasehold.Finding.Level;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of a version. */
class DiagnosisTest {
  @ParameterizedTest
  @CsvSource({"3.4.28, true, true", "3.4.29, false, true", "3.5.10, true, false"})
  void whatAVersionHasNotMended(String version, boolean standingLeader, boolean clock) {
    List<Finding> findings = Diagnosis.server(version).toList();
    assertThat(findings).extracting(Finding::level).containsExactly(Level.WARNING);
    String detail = findings.get(0).detail();
    assertThat(detail).startsWith("etcd " + version + ": ").endsWith("use 3.5.11 or later");
    assertThat(detail.contains("a leader that stood still")).isEqualTo(standingLeader);
    assertThat(detail.contains("is set back")).isEqualTo(clock);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.5.11", "3.6.0"})
  void aVersionThatHasMendedAllIsFine(String version) {
    assertThat(Diagnosis.server(version))
        .containsExactly(new Finding(Level.OK, "server", "etcd " + version));
  }
}
