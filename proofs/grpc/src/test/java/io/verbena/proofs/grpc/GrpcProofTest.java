package io.verbena.proofs.grpc;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.proofs.Testimony;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * gRPC with the channels and the event loops of Verbena, in two JVMs whose provider is that of the JDK: every answer is that of its own
 * request, over one connection.
 */
class GrpcProofTest {

    private static final int CALLS = 100_000;

    static List<Carrier> carriers() {
        return Carrier.chosen().filter(carrier -> carrier != Carrier.PLAIN).toList();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void calls_everyAnswerIsThatOfItsRequest(Carrier carrier, @TempDir Path directory) throws Exception {
        String provider = carrier.name().toLowerCase(Locale.ROOT);
        Program program = new Program(Carrier.PLAIN, directory).with("--sun-misc-unsafe-memory-access=allow");
        try (Running server = program.start(ReverseServer.class.getName(), provider)) {
            String port = server.awaitLine("port ").substring("port ".length());
            try (Running client =
                    program.start(ReverseClient.class.getName(), provider, port, String.valueOf(Scale.of(CALLS)))) {
                List<String> output = client.awaitSuccess();
                long bytes = Long.parseLong(lines(output, "answered ").getFirst());
                Testimony.of(lines(output, VerbenaLoops.CARRIED)).requireCarriedBy(carrier, 1, 2 * bytes);
                server.endInput();
                Testimony.of(lines(server.awaitSuccess(), VerbenaLoops.CARRIED))
                        .requireCarriedBy(carrier, 1, 2 * bytes);
            }
        }
    }

    /** The lines that begin so, without that. */
    private static List<String> lines(List<String> output, String beginning) {
        return output.stream()
                .filter(line -> line.startsWith(beginning))
                .map(line -> line.substring(beginning.length()))
                .toList();
    }
}
