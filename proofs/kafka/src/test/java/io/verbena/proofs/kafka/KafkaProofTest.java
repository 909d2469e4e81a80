package io.verbena.proofs.kafka;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A broker with KRaft, a producer and a consumer, each a process. */
class KafkaProofTest {

    private static final int RECORDS = 300_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void recordsThatWereProduced_areConsumedInOrder(Carrier carrier, @TempDir Path directory) throws Exception {
        String records = String.valueOf(Scale.of(RECORDS));
        try (Broker broker = Broker.start(carrier, directory)) {
            try (Running producer = client(carrier, directory, Records.Producer.class, broker, records);
                    Running consumer = client(carrier, directory, Records.Consumer.class, broker, records)) {
                producer.awaitSuccess();
                consumer.awaitSuccess();
                long bytes = (long) Scale.of(RECORDS) * Records.BYTES;
                producer.testimony().requireCarriedBy(carrier, 1, bytes);
                consumer.testimony().requireCarriedBy(carrier, 1, bytes);
                broker.running().testimony().requireCarriedBy(carrier, 2, 2 * bytes);
            }
        }
    }

    static Running client(Carrier carrier, Path directory, Class<?> main, Broker broker, String... numbers)
            throws Exception {
        String[] arguments =
                Stream.concat(Stream.of(broker.address()), Stream.of(numbers)).toArray(String[]::new);
        return new Program(carrier, directory).with("-Xmx512m").start(main.getName(), arguments);
    }
}
