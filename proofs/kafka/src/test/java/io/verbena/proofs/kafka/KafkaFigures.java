package io.verbena.proofs.kafka;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Figures;
import io.verbena.proofs.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The times to produce and then to consume, by proofs/run --figures. All processes are new in each round; so the first part contains
 * the work of their compilers, and the second one shows what follows.
 */
class KafkaFigures {

    private static final String RECORDS = "300000";
    private static final String[] PARTS = {"first", "second"};

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void produceAndConsume(@TempDir Path directory) throws Exception {
        Figures[] produce = figures("produce");
        Figures[] consume = figures("consume");
        Figures.interleave(carrier -> {
            Path own = Files.createTempDirectory(directory, carrier.name());
            try (Broker broker = Broker.start(carrier, own)) {
                run(carrier, own, Records.Producer.class, broker, produce);
                run(carrier, own, Records.Consumer.class, broker, consume);
            }
        });
        Stream.of(produce, consume).flatMap(Arrays::stream).forEach(Figures::print);
    }

    private static Figures[] figures(String what) {
        return Arrays.stream(PARTS)
                .map(part -> new Figures("Kafka, " + what + ", " + part + " 300 MB"))
                .toArray(Figures[]::new);
    }

    private static void run(Carrier carrier, Path directory, Class<?> main, Broker broker, Figures[] figures)
            throws Exception {
        try (Running client =
                KafkaProofTest.client(carrier, directory, main, broker, RECORDS, String.valueOf(PARTS.length))) {
            List<String> times = client.awaitSuccess().stream()
                    .filter(line -> line.contains("records, ns: "))
                    .toList();
            for (int part = 0; part < PARTS.length; part++) {
                figures[part].add(carrier, times.get(part));
            }
        }
    }
}
