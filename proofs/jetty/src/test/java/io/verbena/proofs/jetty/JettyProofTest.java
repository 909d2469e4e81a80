package io.verbena.proofs.jetty;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jetty, and the HTTP client of the JDK with connections that are kept. */
class JettyProofTest {

    private static final int REQUESTS = 10_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void requestsOverKeptConnections_areEchoed(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running server = new Program(carrier, directory).start(Echo.Server.class.getName())) {
            String port = server.awaitLine("port ").substring("port ".length());
            try (Running client = new Program(carrier, directory)
                    .start(Echo.Client.class.getName(), port, String.valueOf(Scale.of(REQUESTS)))) {
                long bytes = Long.parseLong(client.awaitSuccess().getLast().substring("echoed ".length()));
                client.testimony().requireCarriedBy(carrier, Echo.Client.THREADS, 2 * bytes);
                server.testimony().requireCarriedBy(carrier, Echo.Client.THREADS, 2 * bytes);
            }
        }
    }
}
