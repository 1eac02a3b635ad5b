package io.leasehold.examples;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.idempotency.Idempotency;
import io.leasehold.idempotency.IdempotencyStores;
import io.leasehold.idempotency.spi.IdempotencyStore;
import io.leasehold.testkit.FaultProxy;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users and networks do to a form, in a real browser: one order each time. */
class ShopTest {
  private static final String BUTTON = "form button";

  @TempDir static Path folder;
  private static Browser browser;

  private final List<String> orders = new CopyOnWriteArrayList<>();
  private final AtomicInteger claims = new AtomicInteger();
  private final IdempotencyStore store = counting(IdempotencyStores.inMemory());
  private final Idempotency idempotency = Idempotency.builder(store).build();
  private volatile CountDownLatch mayBook = new CountDownLatch(0);
  private Shop shop;
  private FaultProxy proxy;

  @BeforeAll
  static void startBrowser() throws Exception {
    browser = Browser.start(folder);
  }

  @AfterAll
  static void closeBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void start() throws Exception {
    shop = new Shop(0, idempotency, store, new byte[32], this::book);
    proxy = FaultProxy.to("127.0.0.1", shop.port(), Framing.NONE);
  }

  @AfterEach
  void stop() throws Exception {
    mayBook.countDown();
    proxy.close();
    shop.close();
    idempotency.close();
  }

  /** How often a submission has asked for its claim says how many there were. */
  private IdempotencyStore counting(IdempotencyStore store) {
    return (IdempotencyStore)
        Proxy.newProxyInstance(
            ShopTest.class.getClassLoader(),
            new Class<?>[] {IdempotencyStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("claim")) {
                claims.incrementAndGet();
              }
              return method.invoke(store, arguments);
            });
  }

  private String book(String item) {
    orders.add(item);
    try {
      assertThat(mayBook.await(60, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return Integer.toString(orders.size());
  }

  private void openCart() {
    browser.open("http://127.0.0.1:" + proxy.port() + "/");
    awaitTitle("Cart");
  }

  private static void awaitTitle(String title) {
    await()
        .pollInterval(Duration.ofMillis(50))
        .until(
            () ->
                browser.title().equals(title)
                    && "complete".equals(browser.run("return document.readyState")));
  }

  private void assertOneOrder() {
    awaitTitle("Order 1");
    assertThat(browser.url()).endsWith("/orders/1");
    assertThat(orders).containsExactly("book");
  }

  @Test
  void aDoubleClick() {
    openCart();
    browser.click(BUTTON, 2);
    assertOneOrder();
    assertThat(claims).as("submissions that the script let through").hasValue(1);
  }

  @Test
  void aDoubleClickWhereTheScriptDoesNotRun() {
    openCart();
    browser.run("document.forms[0].addEventListener('submit', e => e.stopPropagation())");
    browser.click(BUTTON, 2);
    assertOneOrder();
  }

  @Test
  void theBackButton() {
    openCart();
    browser.click(BUTTON, 1);
    awaitTitle("Order 1");
    browser.back();
    awaitTitle("Cart");
    browser.click(BUTTON, 1);
    await().until(() -> claims.get() == 2);
    assertOneOrder();
  }

  @Test
  void aReload() {
    openCart();
    browser.click(BUTTON, 1);
    awaitTitle("Order 1");
    browser.run("document.title = 'before the reload'");
    browser.reload();
    assertOneOrder();
  }

  @Test
  void twoTabs() {
    openCart();
    String first = browser.tab();
    browser.newTab();
    openCart();
    browser.click(BUTTON, 1);
    awaitTitle("Order 1");
    browser.switchTo(first);
    browser.click(BUTTON, 1);
    await().until(() -> claims.get() == 2);
    assertOneOrder();
  }

  @Test
  void twoTabsAtOnce() {
    openCart();
    String first = browser.tab();
    String second = browser.newTab();
    openCart();
    mayBook = new CountDownLatch(1);
    browser.click(BUTTON, 1);
    await().until(() -> orders.size() == 1);
    browser.switchTo(first);
    browser.click(BUTTON, 1);
    await().until(() -> claims.get() > 1);
    mayBook.countDown();
    assertOneOrder();
    browser.switchTo(second);
    assertOneOrder();
  }

  @Test
  void theNetworkIsCutBeforeTheAnswer() {
    openCart();
    proxy.stall(Direction.TO_CLIENT);
    browser.click(BUTTON, 1);
    await().until(() -> orders.size() == 1);
    proxy.drop(Direction.TO_CLIENT);
    proxy.refuse();
    proxy.cutAll();
    await().until(() -> !List.of("Cart", "Order 1").contains(browser.title()));
    proxy.heal();
    browser.reload(); // sends the form again
    assertOneOrder();
    assertThat(claims).hasValueGreaterThan(1);
  }

  private static ConditionFactory await() {
    return Awaitility.await().atMost(Duration.ofMinutes(1));
  }
}
