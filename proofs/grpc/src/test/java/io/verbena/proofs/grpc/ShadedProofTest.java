package io.verbena.proofs.grpc;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import io.verbena.sockets.agent.AgentJar;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** grpc-netty-shaded, unmodified, in two JVMs with the agent, which switches its native transport off. */
class ShadedProofTest {

    private static final int CALLS = 10_000;

    private static Program program(Carrier carrier, Path directory) throws IOException {
        Program program = new Program(carrier, directory);
        return carrier == Carrier.PLAIN ? program : program.with("-javaagent:" + AgentJar.make(_ -> {}));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void calls_everyAnswerIsThatOfItsRequest(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running server = program(carrier, directory).start(Shaded.Service.class.getName())) {
            String port = server.awaitLine("port ").substring("port ".length());
            try (Running client = program(carrier, directory)
                    .start(Shaded.Caller.class.getName(), port, String.valueOf(Scale.of(CALLS)))) {
                long bytes = Long.parseLong(client.awaitSuccess().getLast().substring("compared ".length()));
                client.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
                server.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
            }
        }
    }
}
