package io.leasehold.benchmarks.runner;

/** The server of a run, or as many as it takes. */
public interface Server extends AutoCloseable {
  /** What it says of itself. */
  String version();

  /** Where everybody connects. */
  String url();

  /** Where one process is alone, and nothing is left of those before. */
  String quietUrl();

  /** What is asked of the server during some work. Other clients using it meanwhile count too. */
  Counts count(Work work) throws InterruptedException;

  /** Ends it. */
  @Override
  void close();

  /** What may be done while the server counts. */
  interface Work {
    /** Does it. */
    void run() throws InterruptedException;
  }
}
