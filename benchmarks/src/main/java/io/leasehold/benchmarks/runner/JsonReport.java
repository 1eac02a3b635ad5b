package io.leasehold.benchmarks.runner;

import com.google.gson.GsonBuilder;
import io.leasehold.benchmarks.Figure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The reports for programs.
 *
 * @param reports of each server
 */
public record JsonReport(List<Report> reports) {
  /** An array with an object for each. */
  public String write() {
    return new GsonBuilder()
            .setPrettyPrinting()
            .disableHtmlEscaping()
            .create()
            .toJson(reports.stream().map(JsonReport::all).toList())
        + "\n";
  }

  private static Map<String, Object> all(Report report) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("machine", report.machine());
    all.put("scenarios", report.sections().stream().map(JsonReport::section).toList());
    all.put("exclusion", report.exclusions());
    all.put("failures", report.failures());
    return all;
  }

  private static Map<String, Object> section(Report.Section section) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("scenario", section.scenario().name());
    all.put("title", section.scenario().title());
    List<Map<String, Object>> measured =
        section.lines().stream()
            .flatMap(
                line ->
                    line.figures().entrySet().stream()
                        .map(
                            entry -> {
                              Map<String, Object> figure = figure(entry.getValue());
                              figure.put("what", line.measure().name());
                              figure.put("contender", entry.getKey().title());
                              return figure;
                            }))
            .toList();
    all.put("measured", measured);
    all.put("targets", section.targets().stream().map(JsonReport::figure).toList());
    return all;
  }

  private static Map<String, Object> figure(Figure figure) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("what", figure.what());
    all.put("unit", figure.unit());
    all.put("median", figure.value());
    all.put("samples", figure.samples());
    all.put("must", figure.must());
    all.put("aim", figure.aimed());
    all.put("verdict", figure.verdict());
    all.values().removeIf(""::equals);
    return all;
  }
}
