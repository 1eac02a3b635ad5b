package io.leasehold.testkit.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Seeded randomness. */
final class Dice {
  private final SplittableRandom random;

  Dice(long seed) {
    this.random = new SplittableRandom(seed);
  }

  private Dice(SplittableRandom random) {
    this.random = random;
  }

  /** Dice that roll independently of these. */
  Dice split() {
    return new Dice(random.split());
  }

  boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** Both included. */
  long between(long least, long most) {
    return least >= most ? least : random.nextLong(least, most + 1);
  }

  int between(int least, int most) {
    return least >= most ? least : random.nextInt(least, most + 1);
  }

  /** Both included; each order of magnitude is as likely as the others. */
  long spread(long least, long most) {
    double low = StrictMath.log((double) Math.max(1, least));
    double high = StrictMath.log((double) Math.max(1, most));
    return Math.max(
        least, Math.min(most, (long) StrictMath.exp(low + (high - low) * random.nextDouble())));
  }

  <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  long bits() {
    return random.nextLong();
  }
}
