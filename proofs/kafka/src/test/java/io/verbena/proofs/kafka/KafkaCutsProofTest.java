package io.verbena.proofs.kafka;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.sockets.nio.SocketsOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A producer and a consumer whose TCP connections to the broker are reset all the time, with the option {@code survive}
 * in all three. The producer repeats no request, so that each connection that it lost would be an exception of it.
 */
class KafkaCutsProofTest {

    private static final int RECORDS = 300_000;
    private static final int PARTS = 30;
    private static final long BYTES_PER_CUT = 1_500_000;
    private static final int FEWEST_CUTS = 20;

    /** The option of the broker and of its clients. */
    private static final String SURVIVE = "-D" + SocketsOptions.SURVIVE + "=true";

    @Test
    void connectionsAreReset_theProducerAndTheConsumerSeeNothing(@TempDir Path directory) throws Exception {
        int port = FreePort.find();
        try (CuttingForwarder path = new CuttingForwarder("127.0.0.1", new InetSocketAddress("127.0.0.1", port));
                Broker broker = Broker.start(
                        Carrier.IWARP, directory, port, path.address().getPort(), SURVIVE)) {
            String records = String.valueOf(Scale.of(RECORDS) / PARTS);
            try (Running producer = start(directory, Records.Producer.class, broker, records, 1, 0);
                    Running consumer = start(directory, Records.Consumer.class, broker, records)) {
                producer.awaitLine("records, ns");
                consumer.awaitLine("records, ns");
                path.cutEvery(BYTES_PER_CUT);
                producer.endInput(); // it has waited for that
                requireNoEnd(producer);
                requireNoEnd(consumer);
                if (path.cuts() < FEWEST_CUTS) {
                    throw new AssertionError("only " + path.cuts() + " cuts");
                }
                System.out.println("Kafka: " + path.cuts() + " cuts, " + path.accepted() + " TCP connections");
                long bytes = (long) Scale.of(RECORDS) * Records.BYTES;
                producer.testimony().requireCarriedBy(Carrier.IWARP, 1, bytes);
                consumer.testimony().requireCarriedBy(Carrier.IWARP, 1, bytes);
            }
        }
    }

    private static Running start(Path directory, Class<?> main, Broker broker, String records, Object... further)
            throws Exception {
        List<String> arguments = new ArrayList<>(List.of(broker.address(), records, String.valueOf(PARTS)));
        Arrays.stream(further).map(String::valueOf).forEach(arguments::add);
        return new Program(Carrier.IWARP, directory)
                .with("-Xmx512m", SURVIVE)
                .start(main.getName(), arguments.toArray(String[]::new));
    }

    /** Kafka counts the connections that a client closes or loses. */
    private static void requireNoEnd(Running client) throws InterruptedException {
        if (!client.awaitSuccess().contains("connections that have ended: 0")) {
            throw new AssertionError("a connection has ended: " + client);
        }
    }
}
