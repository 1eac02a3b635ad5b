package io.leasehold.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.sessions.Entry;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What nodes are called. */
class TreeTest {
  private static final String ID = "0123456789abcdef0123456789abcdef";

  private final Tree tree = Tree.of("", Optional.empty(), Layout.OWN);

  @Test
  void aNameIsOneElementOfAPathAndComesBack() {
    for (String name :
        List.of("a", ".", "..", ".sessions", "a/b", "%2E", "ü \uD83D\uDD12+*~", "a.b")) {
      String node = tree.name(name).substring("/leasehold/".length());
      assertThat(node).doesNotContain("/").doesNotStartWith(".").isNotEqualTo(".sessions");
      assertThat(Tree.names(List.of(node, ".sessions"))).containsExactly(name);
    }
  }

  /** The counter of a parent has 32 bits, and goes on with negative numbers. */
  @Test
  void theOrderGoesOnWhereTheCounterWrapsAround() {
    List<String> children =
        List.of(
            "x-" + ID + "--2147483648",
            "s-" + ID + "-2147483647",
            "p2.5-" + ID + "--2147483647",
            "x-" + ID + "-2147483646");
    assertThat(tree.entries("a", children))
        .extracting(Entry::key)
        .extracting(key -> key.substring(key.length() - 11))
        .containsExactly("-2147483646", "-2147483647", "-2147483648", "-2147483647");
  }

  @Test
  void whatIsNotOursIsNoEntry() {
    assertThat(tree.entries("a", List.of("lock-0000000001", "x-" + ID, "y-" + ID + "-0000000001")))
        .isEmpty();
  }
}
