package io.leasehold.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Where the tables are, and the spelling of statements on them. */
final class Tables {
  /** What their names begin with where nothing else is chosen. */
  static final String DEFAULT = "leasehold";

  /**
   * A name's next fence number. That of the clock, so that it is above all that a server forgot: in
   * a failover, with a dropped table, by a restored backup. Else one more: where the clock was set
   * back, or says that it is after the year 2200, from which no number could rise for long.
   */
  private static final String NEXT =
      "CASE WHEN {now} > fence AND {now} < 7258118400000000 THEN {now} ELSE fence + 1 END";

  /** Parameters that are names of locks. */
  private static final Pattern NAMES = Pattern.compile(":(names?|swept|after)\\b");

  private static final List<String> ALL = List.of("lock", "share", "queue", "meta");

  private final Dialect dialect;
  private final String prefix;

  /**
   * Tables whose names begin with this.
   *
   * @param prefix may name a schema before a dot
   * @throws IllegalArgumentException if it is not letters, digits and underscores
   */
  Tables(Dialect dialect, String prefix) {
    if (!prefix.matches("([\\p{L}_][\\p{L}\\p{N}_$-]{0,62}\\.)?[\\p{L}_][\\p{L}\\p{N}_$]{0,40}")) {
      throw new IllegalArgumentException(
          "the tables' names cannot begin with '"
              + prefix
              + "': table is [schema.]name of letters, digits and _, as in leasehold or app.locks");
    }
    this.dialect = dialect;
    this.prefix = prefix;
  }

  Dialect dialect() {
    return dialect;
  }

  /** What a server can have only one of, for these tables. */
  String prefix() {
    return prefix;
  }

  /** A table's name, quoted. */
  String name(String table) {
    char quote = dialect.quote();
    return Arrays.stream((prefix + "_" + table).split("\\."))
        .map(part -> quote + part + quote)
        .collect(Collectors.joining("."));
  }

  /** A statement as this database understands it. */
  String spelled(String sql) {
    String spelled =
        sql.replace("{next}", NEXT)
            .replace("{now}", dialect.now())
            .replace("{keep}", dialect.keep());
    spelled = NAMES.matcher(spelled).replaceAll(found -> dialect.nameParameter(found.group()));
    for (String table : ALL) {
      spelled = spelled.replace("{" + table + "}", name(table));
    }
    return spelled;
  }

  /** The statements that make the tables. */
  String ddl() {
    String file = "schema/" + dialect.name() + ".sql";
    try (InputStream schema = Tables.class.getResourceAsStream(file)) {
      if (schema == null) {
        throw new IllegalStateException(file + " is missing from the jar");
      }
      String tables = new String(schema.readAllBytes(), StandardCharsets.UTF_8);
      return spelled(tables + "\n" + ServerSchema.FIRST_ROW + ";\n");
    } catch (IOException e) {
      throw new IllegalStateException(file + " cannot be read from the jar", e);
    }
  }
}
