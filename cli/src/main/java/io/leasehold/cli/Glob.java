package io.leasehold.cli;

/**
 * Matches a whole name against a pattern in which {@code *} is any text and {@code ?} any one
 * character.
 */
record Glob(String pattern) {
  boolean matches(String name) {
    int[] p = pattern.codePoints().toArray();
    int[] n = name.codePoints().toArray();
    int at = 0;
    int star = -1;
    int starAt = 0;
    int i = 0;
    while (at < n.length) {
      if (i < p.length && p[i] == '*') {
        star = i++;
        starAt = at;
      } else if (i < p.length && (p[i] == '?' || p[i] == n[at])) {
        i++;
        at++;
      } else if (star >= 0) {
        // What the last star swallowed was too little: one character more
        i = star + 1;
        at = ++starAt;
      } else {
        return false;
      }
    }
    while (i < p.length && p[i] == '*') {
      i++;
    }
    return i == p.length;
  }
}
