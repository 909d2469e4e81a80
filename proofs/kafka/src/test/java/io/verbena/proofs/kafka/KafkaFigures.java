package io.verbena.proofs.kafka;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The times to produce and then to consume, by proofs/run --figures. */
class KafkaFigures {

    private static final String RECORDS = "300000";

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void produceAndConsume(@TempDir Path directory) throws Exception {
        Figures produce = new Figures("Kafka, produce 300 MB");
        Figures consume = new Figures("Kafka, consume 300 MB");
        Figures.interleave(carrier -> {
            Path own = Files.createTempDirectory(directory, carrier.name());
            try (Broker broker = Broker.start(carrier, own)) {
                try (Running producer = KafkaProofTest.client(carrier, own, Records.Producer.class, broker, RECORDS)) {
                    produce.add(carrier, producer.awaitSuccess().getLast());
                }
                try (Running consumer = KafkaProofTest.client(carrier, own, Records.Consumer.class, broker, RECORDS)) {
                    consume.add(carrier, consumer.awaitSuccess().getLast());
                }
            }
        });
        produce.print();
        consume.print();
    }
}
