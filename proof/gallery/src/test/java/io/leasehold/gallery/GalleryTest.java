package io.leasehold.gallery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/**
 * Each broken lock breaks, Leasehold does not, and docs/gallery shows what happened. Fails if a
 * server cannot be had only where servers are required; else those entries are aborted.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // a first run fetches the servers
class GalleryTest {
  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final boolean WRITES = Boolean.getBoolean("leasehold.docs.write");
  private static final String OUT_OF_DATE =
      " is not what a run draws; make it anew: mvn -pl proof/gallery -am test -Dtest=GalleryTest"
          + " -Dleasehold.docs.write=true -Dsurefire.failIfNoSpecifiedTests=false";

  /** What the engine logs of lost leases is part of the plays; kept, or its level is forgotten. */
  private static final Logger LOG = Logger.getLogger("io.leasehold");

  private final Servers servers = new Servers();
  private final Map<String, Recording> broken = new HashMap<>();

  @BeforeAll
  void silence() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  void closeServers() {
    servers.close();
  }

  @TestFactory
  Stream<DynamicTest> everyEntryIsPlayedAndThePagesShowIt() {
    Stream<DynamicTest> plays =
        Catalog.exhibits().stream()
            .map(each -> DynamicTest.dynamicTest(each.id() + " " + each.title(), () -> play(each)));
    Stream<DynamicTest> pages =
        Stream.of("gallery.md", "gallery.zh-CN.md")
            .map(DOCS::resolve)
            .map(page -> DynamicTest.dynamicTest(page.toString(), () -> requireCurrent(page)));
    return Stream.concat(plays, pages);
  }

  private void play(Exhibit exhibit) throws Exception {
    Recording wild = exhibit.playBroken(servers);
    assertThat(wild.harms()).as("what the broken lock does").contains(exhibit.harm());
    Recording leasehold = exhibit.playLeasehold(servers);
    assertThat(leasehold.harms()).as("what Leasehold does").isEmpty();
    assertThat(leasehold.verdict()).isNotEmpty();
    broken.put(exhibit.id(), wild);
    Path picture = DOCS.resolve("gallery").resolve(exhibit.id() + ".svg");
    String drawn = SvgTimeline.of(exhibit, wild, leasehold);
    if (WRITES) {
      Files.createDirectories(DOCS.resolve("gallery"));
      Files.writeString(picture, drawn);
    }
    assertThat(Files.exists(picture) ? Files.readString(picture) : "")
        .as(picture + OUT_OF_DATE)
        .isEqualTo(drawn);
  }

  private void requireCurrent(Path page) throws IOException {
    assumeTrue(broken.size() == Catalog.exhibits().size(), "not all entries were played");
    String text = Files.readString(page);
    for (Exhibit each : Catalog.exhibits()) {
      assertThat(text)
          .as("the picture of " + each.id())
          .contains("(gallery/" + each.id() + ".svg)");
    }
    String made = new GalleryPage(broken).filledIn(text);
    if (WRITES) {
      Files.writeString(page, made);
    }
    assertThat(Files.readString(page)).as(page + OUT_OF_DATE).isEqualTo(made);
  }

  @Test
  void aLockThatDoesNotBreakIsSeen() throws Exception {
    Exhibit swapped =
        new Exhibit(
            "0",
            "the two exchanged",
            Harm.TWO_HOLDERS,
            ReleaseScenes::onLeaseholdLate,
            ReleaseScenes::plainDelete);
    assertThat(swapped.broke(swapped.playBroken(servers))).isFalse();
    assertThat(Exhibit.held(swapped.playLeasehold(servers))).isFalse();
  }

  @Test
  void numbersAreUniqueAndFound() {
    List<String> ids = Catalog.exhibits().stream().map(Exhibit::id).toList();
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(Catalog.find("4")).hasSize(5);
    assertThat(Catalog.find("4a")).hasSize(1);
    assertThat(Catalog.find("0")).isEmpty();
  }
}
