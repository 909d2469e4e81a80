package io.verbena.proofs.grpc;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** grpc-netty-shaded, unmodified, in two JVMs with the agent, which switches its native transport off. */
class ShadedProofTest {

    private static final int CALLS = 10_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void calls_everyAnswerIsThatOfItsRequest(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running server = new Program(carrier, directory).withAgent().start(Shaded.Service.class.getName())) {
            String port = server.awaitLine("port ").substring("port ".length());
            try (Running client = new Program(carrier, directory)
                    .withAgent()
                    .start(Shaded.Caller.class.getName(), port, String.valueOf(Scale.of(CALLS)))) {
                long bytes = Long.parseLong(client.awaitSuccess().getLast().substring("compared ".length()));
                client.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
                server.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
            }
        }
    }
}
