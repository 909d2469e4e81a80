package io.verbena.proofs;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The HTTP server and the HTTP client of the JDK. */
class JdkHttpProofTest {

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void requestsOfAllSizes_areEchoed(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running server = new Program(carrier, directory).start(HttpEcho.Server.class.getName())) {
            String port = server.awaitLine("port ").substring("port ".length());
            try (Running client = new Program(carrier, directory)
                    .start(HttpEcho.Client.class.getName(), port, String.valueOf(Scale.of(1_000)))) {
                long bytes = Long.parseLong(client.awaitSuccess().getLast().substring("echoed ".length()));
                client.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
                server.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
            }
        }
    }
}
