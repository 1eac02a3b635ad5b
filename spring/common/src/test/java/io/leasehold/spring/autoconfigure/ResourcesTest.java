package io.leasehold.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What tools read of the jar: the metadata of the properties, the hints for native images. */
class ResourcesTest {
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

  @Test
  void everyPropertyIsDescribedWithItsType() throws Exception {
    JsonNode metadata;
    try (InputStream in = ResourcesTest.class.getResourceAsStream(METADATA)) {
      metadata = new ObjectMapper().readTree(in);
    }
    List<String> described = new ArrayList<>();
    metadata
        .get("properties")
        .forEach(
            each -> {
              assertThat(each.get("description").asText()).isNotEmpty();
              described.add(each.get("name").asText() + " " + each.get("type").asText());
            });
    assertThat(described)
        .containsExactlyElementsOf(
            Stream.of(LeaseholdProperties.class, IdempotencyProperties.class)
                .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                .map(ResourcesTest::shown)
                .toList());
  }

  private static String shown(RecordComponent component) {
    String name =
        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    String type = component.getGenericType().getTypeName();
    String prefix =
        component.getDeclaringRecord().getAnnotation(ConfigurationProperties.class).value();
    return prefix + "." + name + " " + (type.equals("boolean") ? "java.lang.Boolean" : type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io/leasehold/jdbc/schema/postgresql.sql",
        "io/leasehold/redis/attempt.lua",
        "io/leasehold/idempotency/schema/postgresql.sql",
        "io/leasehold/idempotency/redis/claim.lua",
        "META-INF/services/io.leasehold.spi.StoreProvider"
      })
  void aNativeImageContainsWhatTheStoresRead(String resource) {
    assertThat(ResourcesTest.class.getClassLoader().getResource(resource)).isNotNull();
    RuntimeHints hints = new RuntimeHints();
    new LeaseholdRuntimeHints().registerHints(hints, null);
    assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(hints);
  }
}
