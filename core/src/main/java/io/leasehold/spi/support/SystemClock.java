package io.leasehold.spi.support;

/** The clocks of the Java virtual machine. No other class reads them. */
public final class SystemClock implements Clock {
  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }
}
