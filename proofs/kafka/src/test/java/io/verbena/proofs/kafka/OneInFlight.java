package io.verbena.proofs.kafka;

import io.verbena.proofs.Requests;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Measures records that are acknowledged before the next one is sent. Argument: the broker. */
final class OneInFlight {

    private static final String TOPIC = "one";
    private static final int RECORD_BYTES = 256;

    private OneInFlight() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                arguments[0],
                "acks",
                "all",
                "linger.ms",
                0,
                "key.serializer",
                ByteArraySerializer.class,
                "value.serializer",
                ByteArraySerializer.class);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            producer.partitionsFor(TOPIC);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(TOPIC, new byte[RECORD_BYTES]);
            Requests.measure(() -> producer.send(record).get());
        }
    }
}
