package io.leasehold.examples;

import com.rabbitmq.client.Channel;
import io.leasehold.idempotency.Fingerprint;
import io.leasehold.idempotency.IdempotentOperation;
import io.leasehold.idempotency.Key;
import io.leasehold.idempotency.UnknownOutcomeException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Messages that are delivered again and dealt with once, as docs/idempotency.md shows it. */
public final class Consumers {
  private Consumers() {}

  /** What is done for a message. */
  public interface Shop {
    /** Ships an order, and remembers the claim's token. */
    String ship(String order, long fence);
  }

  /** A message of JMS, by a session in CLIENT_ACKNOWLEDGE. */
  public static void jms(
      Session session, MessageConsumer queue, IdempotentOperation<String> shipping, Shop shop)
      throws JMSException {
    Message message = queue.receive();
    String order = message.getBody(String.class);
    Key key = Key.of("orders", message.getJMSMessageID());
    try {
      shipping.execute(key, Fingerprint.of(order), claim -> shop.ship(order, claim.token()));
      message.acknowledge();
    } catch (RuntimeException e) {
      // It comes again, as often as the broker is set to; then it is a dead letter
      session.recover();
    }
  }

  /** Messages of RabbitMQ, whose publisher has set their ids. */
  public static void rabbitMq(Channel channel, IdempotentOperation<String> shipping, Shop shop)
      throws IOException {
    channel.basicConsume(
        "orders",
        false,
        (tag, message) -> {
          String order = new String(message.getBody(), StandardCharsets.UTF_8);
          Key key = Key.of("orders", message.getProperties().getMessageId());
          long delivery = message.getEnvelope().getDeliveryTag();
          try {
            shipping.execute(key, Fingerprint.of(order), claim -> shop.ship(order, claim.token()));
            channel.basicAck(delivery, false);
          } catch (RuntimeException e) {
            // What is unknown is a dead letter, for an operator; the rest comes again
            channel.basicNack(delivery, false, !(e instanceof UnknownOutcomeException));
          }
        },
        tag -> {});
  }

  /** Messages of Kafka, by a consumer with enable.auto.commit=false. */
  public static void kafka(
      Consumer<String, String> consumer, IdempotentOperation<String> shipping, Shop shop) {
    for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofSeconds(1))) {
      String order = message.value();
      Key key = Key.of(message.topic(), message.partition() + "@" + message.offset());
      // What this throws ends the consumer; the next one begins with the message that failed
      shipping.execute(key, Fingerprint.of(order), claim -> shop.ship(order, claim.token()));
      TopicPartition partition = new TopicPartition(message.topic(), message.partition());
      consumer.commitSync(Map.of(partition, new OffsetAndMetadata(message.offset() + 1)));
    }
  }
}
