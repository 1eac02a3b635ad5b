package io.leasehold.benchmarks.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.benchmarks.Figure;
import io.leasehold.benchmarks.runner.Scenario.Measure;
import java.io.StringReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The picture shows the rates of the run, the higher the further up, and nothing else. */
class PlotTest {
  @Test
  void aLineOfEachContenderGoesThroughItsMedians() throws Exception {
    Measure one = new Measure("1 writer", "/s");
    Measure two = new Measure("2 writers", "/s");
    Report.Section section =
        new Report.Section(
            new Scenario(
                "writers",
                "writers of one row",
                List.of(one, two),
                List.of(Someone.values()),
                (stage, contender, settings) -> Map.of(),
                List.of()),
            List.of(line(one, 1000, 500), line(two, 0, 500), line(new Measure("tries", ""), 7, 9)),
            List.of());
    Document picture =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(Plot.of(section))));
    assertThat(picture.getElementsByTagName("g").getLength()).isEqualTo(2);
    assertThat(path(picture, 0)).isEqualTo("M237.5 70.0L572.5 320.0");
    assertThat(path(picture, 1)).isEqualTo("M237.5 195.0L572.5 195.0");
    assertThat(texts(picture)).contains("1 writer", "2 writers", "A", "B", "1000", "0");
    assertThat(texts(picture)).doesNotContain("tries");
  }

  private static Report.Line line(Measure measure, double first, double second) {
    return new Report.Line(
        measure,
        Map.of(
            Someone.A, Figure.of("A", measure.unit(), List.of(first)),
            Someone.B, Figure.of("B", measure.unit(), List.of(second))));
  }

  private static String path(Document picture, int contender) {
    NodeList children = picture.getElementsByTagName("g").item(contender).getChildNodes();
    for (int i = 0; i < children.getLength(); i++) {
      if (children.item(i).getNodeName().equals("path")) {
        return children.item(i).getAttributes().getNamedItem("d").getNodeValue();
      }
    }
    return "";
  }

  private static List<String> texts(Document picture) {
    NodeList texts = picture.getElementsByTagName("text");
    return java.util.stream.IntStream.range(0, texts.getLength())
        .mapToObj(texts::item)
        .map(Node::getTextContent)
        .toList();
  }

  private enum Someone implements Contender, Library {
    A,
    B;

    @Override
    public Library library() {
      return this;
    }

    @Override
    public String title() {
      return name();
    }

    @Override
    public Class<?> type() {
      return Someone.class;
    }

    @Override
    public boolean isOurs() {
      return true;
    }

    @Override
    public Client connect(String url, Duration ttl) {
      throw new UnsupportedOperationException("takes no part");
    }
  }
}
