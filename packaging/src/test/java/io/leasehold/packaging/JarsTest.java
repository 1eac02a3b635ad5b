package io.leasehold.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in the jars that are published, and in the one that is run. */
class JarsTest {
  private static Path jar(String module, String kind) throws IOException {
    try (var files = Files.list(Packages.built(module))) {
      List<Path> jars =
          files
              .filter(
                  f ->
                      f.getFileName()
                          .toString()
                          .matches("leasehold-[a-z0-9-]+-[0-9.]+(-SNAPSHOT)?" + kind + "\\.jar"))
              .toList();
      assertThat(jars).as("%s%s", module, kind).hasSize(1);
      return jars.get(0);
    }
  }

  private static String text(ZipFile jar, String entry) throws IOException {
    assertThat(jar.getEntry(entry)).as("%s in %s", entry, jar.getName()).isNotNull();
    return new String(
        jar.getInputStream(jar.getEntry(entry)).readAllBytes(), StandardCharsets.UTF_8);
  }

  private static List<String> names(ZipFile jar) {
    return jar.stream().map(entry -> entry.getName()).toList();
  }

  @ParameterizedTest
  @MethodSource("io.leasehold.packaging.Packages#published")
  void aPublishedModuleHasSourcesDocumentationAndTheLicence(String module) throws IOException {
    String licence = Files.readString(Packages.root().resolve("LICENSE"));
    try (ZipFile classes = new ZipFile(jar(module, "").toFile());
        ZipFile sources = new ZipFile(jar(module, "-sources").toFile());
        ZipFile javadoc = new ZipFile(jar(module, "-javadoc").toFile())) {
      for (ZipFile jar : List.of(classes, sources, javadoc)) {
        assertThat(text(jar, "META-INF/LICENSE")).as(jar.getName()).isEqualTo(licence);
      }
      List<String> source =
          names(sources).stream()
              .filter(n -> n.matches(".*\\.(java|kt)") && !n.endsWith("-info.java"))
              .toList();
      assertThat(source).isNotEmpty();
      assertThat(names(classes))
          .containsAll(source.stream().map(n -> n.replaceAll("(java|kt)$", "class")).toList());
      assertThat(names(javadoc)).contains("index.html");
      assertThat(names(javadoc))
          .anyMatch(n -> n.matches("([.a-z0-9]+/)?io/leasehold/(.*/)?[A-Z]\\w+\\.html"));
    }
  }

  @Test
  void theVersionsOfAllPublishedModulesAreInTheBom() throws IOException {
    List<String> published = Packages.published().stream().map(Packages::artifact).toList();
    assertThat(published)
        .contains("leasehold-core", "leasehold-kotlin", "leasehold-spring-boot4-starter");
    String bom = Files.readString(Packages.root().resolve("bom/pom.xml"));
    assertThat(Packages.all("<artifactId>(leasehold-.*)</artifactId>", bom))
        .filteredOn(name -> !name.equals("leasehold-bom"))
        .containsExactlyInAnyOrderElementsOf(published);
  }

  @Test
  void theRunnableJarHasEveryStoreEveryDriverAndTheLicence() throws IOException {
    try (ZipFile jar = new ZipFile(Packages.built("packaging").resolve("leasehold.jar").toFile())) {
      assertThat(text(jar, "META-INF/LICENSE"))
          .contains(Files.readString(Packages.root().resolve("LICENSE")).strip());
      assertThat(text(jar, "META-INF/MANIFEST.MF"))
          .contains("Main-Class: io.leasehold.cli.Main", "Multi-Release: true");
      assertThat(text(jar, "META-INF/services/java.sql.Driver"))
          .contains("sqlite", "postgresql", "mysql", "mariadb", "h2");
      assertThat(names(jar))
          .as("signatures, which what is merged would break; what builds the package")
          .noneMatch(n -> n.matches("META-INF/[^/]+\\.(SF|RSA|DSA)"))
          .doesNotContain("io/leasehold/cli/ManPage.class");
      for (String module :
          List.of(
              "core",
              "stores/jdbc",
              "stores/redis",
              "stores/sessions",
              "stores/zookeeper",
              "stores/etcd",
              "stores/consul",
              "stores/memcached",
              "cli")) {
        try (ZipFile part = new ZipFile(jar(module, "").toFile())) {
          assertThat(names(jar))
              .containsAll(names(part).stream().filter(n -> n.endsWith(".class")).toList());
          for (String service : names(part)) {
            if (service.matches("META-INF/services/.+")) {
              assertThat(text(jar, service)).contains(text(part, service).strip());
            }
          }
        }
      }
    }
  }
}
