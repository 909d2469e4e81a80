package io.verbena.proofs.kafka;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Latencies;
import io.verbena.proofs.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time until a record is acknowledged, with one in flight, by proofs/run --latency. */
class KafkaLatency {

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void acknowledgedRecords(@TempDir Path directory) throws Exception {
        Latencies times = new Latencies("Kafka, acks=all");
        Figures.interleave(carrier -> {
            Path own = Files.createTempDirectory(directory, carrier.name());
            try (Broker broker = Broker.start(carrier, own);
                    Running client = KafkaProofTest.client(carrier, own, OneInFlight.class, broker)) {
                times.add(carrier, client);
                client.testimony().requireCarriedBy(carrier, 1, 1);
            }
        });
        times.print();
    }
}
