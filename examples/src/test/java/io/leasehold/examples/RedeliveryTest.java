package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.leasehold.examples.ConsumerProcess.Stop;
import jakarta.jms.Connection;
import jakarta.jms.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.Queue;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A broker delivers again what a killed process did not acknowledge, and it is done once. */
class RedeliveryTest {
  @TempDir Path dir;

  private final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
  private String url = "";

  @BeforeEach
  void start() throws Exception {
    broker.setConfiguration(
        new ConfigurationImpl()
            .setPersistenceEnabled(false)
            .setSecurityEnabled(false)
            .addAcceptorConfiguration("tcp", "tcp://127.0.0.1:0"));
    broker.start();
    int port = broker.getActiveMQServer().getRemotingService().getAcceptor("tcp").getActualPort();
    url = "tcp://127.0.0.1:" + port;
  }

  @AfterEach
  void stop() throws Exception {
    broker.stop();
  }

  @ParameterizedTest
  @EnumSource(names = "NEVER", mode = Mode.EXCLUDE)
  void aMessageOfAKilledConsumerHasOneEffect(Stop stop) throws Exception {
    String store = "file:" + dir.resolve("once.db");
    Path effects = dir.resolve("effects");
    send("order 77");
    Queue queue = broker.getActiveMQServer().locateQueue("orders");
    try (ConsumerProcess first = ConsumerProcess.start(store, url, effects, stop)) {
      assertThat(first.line()).isEqualTo("stopped");
    }
    assertThat(queue.getMessagesAcknowledged()).isZero();
    try (ConsumerProcess second = ConsumerProcess.start(store, url, effects, Stop.NEVER)) {
      assertThat(second.line()).isEqualTo("done");
      // The client does not wait for the broker to take its acknowledgement
      await().atMost(Duration.ofMinutes(1)).until(() -> queue.getMessageCount() == 0);
    }
    assertThat(queue.getMessagesAcknowledged()).isEqualTo(1);
    assertThat(Files.readAllLines(effects)).containsExactly("order 77");
  }

  private void send(String order) throws Exception {
    try (ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(url);
        Connection connection = factory.createConnection();
        Session session = connection.createSession()) {
      session.createProducer(session.createQueue("orders")).send(session.createTextMessage(order));
    }
  }
}
