package io.leasehold.spring.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A process with 64 threads that add to one account, as often as it is told. */
public final class BankProcess {
  static final int THREADS = 64;

  private BankProcess() {}

  /**
   * Runs it.
   *
   * @param arguments how often each thread adds, then properties
   */
  public static void main(String[] arguments) {
    int times = Integer.parseInt(arguments[0]);
    String[] properties = new String[arguments.length - 1];
    System.arraycopy(arguments, 1, properties, 0, properties.length);
    EndToEndContract.contexts(properties)
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              System.out.println("ready");
              if (System.in.read() < 0) {
                return;
              }
              ExecutorService threads = Executors.newFixedThreadPool(THREADS);
              List<CompletableFuture<Void>> all = new ArrayList<>();
              for (int i = 0; i < THREADS * times; i++) {
                all.add(CompletableFuture.runAsync(() -> bank.add(1, null), threads));
              }
              all.forEach(CompletableFuture::join);
              threads.shutdown();
              System.out.println("done");
            });
  }
}
