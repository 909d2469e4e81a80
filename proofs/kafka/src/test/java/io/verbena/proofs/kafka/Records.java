package io.verbena.proofs.kafka;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Records with a number and bytes that follow from it. */
final class Records {

    /** Size of a value. */
    static final int BYTES = 1_000;

    private static final String TOPIC = "proof";

    private Records() {}

    private static byte[] value(int number) {
        byte[] value = new byte[BYTES];
        new Random(number).nextBytes(value);
        ByteBuffer.wrap(value).putInt(number);
        return value;
    }

    private static void print(int records, long startNs) {
        System.out.printf("%d records, ns: %d%n", records, System.nanoTime() - startNs);
    }

    /** The parts in which the records are sent and read, one after the other: a number that may follow the other arguments. */
    private static int parts(String[] arguments) {
        return number(arguments, 2, 1);
    }

    private static int number(String[] arguments, int index, int otherwise) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : otherwise;
    }

    /** A line that says how many connections of the client have ended, for whatever reason. */
    private static void printEnded(Map<MetricName, ? extends Metric> metrics) {
        for (Map.Entry<MetricName, ? extends Metric> each : metrics.entrySet()) {
            if (each.getKey().name().equals("connection-close-total")) {
                System.out.println("connections that have ended: "
                        + ((Number) each.getValue().metricValue()).longValue());
            }
        }
    }

    /**
     * Arguments: the broker, the number of records of a part, the number of parts, whether it waits for the end of its
     * input after the first one (1 or 0), and how often a request that fails may be repeated.
     */
    static final class Producer {

        private Producer() {}

        public static void main(String[] arguments) {
            int retries = number(arguments, 4, Integer.MAX_VALUE);
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers",
                    arguments[0],
                    "acks",
                    "all",
                    "linger.ms",
                    5,
                    "batch.size",
                    65_536,
                    "retries",
                    retries,
                    "enable.idempotence",
                    retries > 0,
                    "key.serializer",
                    ByteArraySerializer.class,
                    "value.serializer",
                    ByteArraySerializer.class);
            int records = Integer.parseInt(arguments[1]);
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
                producer.partitionsFor(TOPIC);
                for (int part = 0; part < parts(arguments); part++) {
                    long startNs = System.nanoTime();
                    for (int i = part * records; i < (part + 1) * records; i++) {
                        producer.send(new ProducerRecord<>(TOPIC, value(i)), (_, failure) -> exit(failure));
                    }
                    producer.flush();
                    print(records, startNs);
                    if (part == 0 && number(arguments, 3, 0) == 1) {
                        awaitEndOfInput();
                    }
                }
                printEnded(producer.metrics());
            }
        }

        private static void awaitEndOfInput() {
            try {
                System.in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void exit(@org.jspecify.annotations.Nullable Exception failure) {
            if (failure != null) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        }
    }

    /** Arguments: the broker, the number of records of a part, and the number of parts. */
    static final class Consumer {

        private static final Duration PATIENCE = Duration.ofSeconds(60);

        private Consumer() {}

        public static void main(String[] arguments) {
            Map<String, Object> settings = Map.of(
                    "bootstrap.servers",
                    arguments[0],
                    "group.id",
                    "proof",
                    "auto.offset.reset",
                    "earliest",
                    "metadata.max.age.ms",
                    1_000,
                    "key.deserializer",
                    ByteArrayDeserializer.class,
                    "value.deserializer",
                    ByteArrayDeserializer.class);
            int records = Integer.parseInt(arguments[1]);
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
                consumer.subscribe(List.of(TOPIC));
                consume(consumer, records, parts(arguments));
                printEnded(consumer.metrics());
            }
        }

        private static void consume(KafkaConsumer<byte[], byte[]> consumer, int records, int parts) {
            int next = 0;
            long startNs = 0;
            long lastNs = System.nanoTime();
            while (next < records * parts) {
                ConsumerRecords<byte[], byte[]> some = consumer.poll(Duration.ofSeconds(1));
                long nowNs = System.nanoTime();
                if (some.isEmpty() && nowNs - lastNs > PATIENCE.toNanos()) {
                    throw new AssertionError("no record after " + next + " within " + PATIENCE);
                }
                if (!some.isEmpty()) {
                    startNs = next == 0 ? nowNs : startNs;
                    lastNs = nowNs;
                }
                for (ConsumerRecord<byte[], byte[]> record : some) {
                    if (!Arrays.equals(record.value(), value(next))) {
                        throw new AssertionError("record " + next + " has other bytes at offset " + record.offset());
                    }
                    next++;
                    if (next % records == 0) {
                        print(records, startNs);
                        startNs = System.nanoTime();
                    }
                }
            }
        }
    }
}
