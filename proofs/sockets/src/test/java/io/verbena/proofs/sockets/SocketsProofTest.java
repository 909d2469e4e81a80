package io.verbena.proofs.sockets;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A database server with its driver, and JMX over RMI: both ends use {@code java.net.Socket}. */
class SocketsProofTest {

    private static final int ROWS = 50_000;
    private static final int CALLS = 10_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void databaseServer_rowsAreReadAsWritten(Carrier carrier, @TempDir Path directory) throws Exception {
        try (Running server = new Program(carrier, directory)
                .withAgent()
                .with("-Dh2.bindAddress=127.0.0.1")
                .start(
                        "org.h2.tools.Server",
                        "-tcp",
                        "-tcpPort",
                        "0",
                        "-ifNotExists",
                        "-baseDir",
                        directory.toString())) {
            String port = server.awaitLine("TCP server running at").replaceAll(".*:([0-9]+) .*", "$1");
            try (Running client = new Program(carrier, directory)
                    .withAgent()
                    .start(
                            Rows.class.getName(),
                            "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:proof",
                            String.valueOf(Scale.of(ROWS)))) {
                compare(carrier, client, server);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void managementOverRmi_everyAnswerIsThatOfItsCall(Carrier carrier, @TempDir Path directory) throws Exception {
        String host = "-Djava.rmi.server.hostname=127.0.0.1";
        try (Running server =
                new Program(carrier, directory).withAgent().with(host).start(Management.Server.class.getName())) {
            String address = server.awaitLine("address ").substring("address ".length());
            try (Running client = new Program(carrier, directory)
                    .withAgent()
                    .with(host)
                    .start(Management.Client.class.getName(), address, String.valueOf(Scale.of(CALLS)))) {
                compare(carrier, client, server);
            }
        }
    }

    private static void compare(Carrier carrier, Running client, Running server) throws Exception {
        long bytes = Long.parseLong(client.awaitSuccess().getLast().substring("compared ".length()));
        client.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
        server.testimony().requireCarriedBy(carrier, 1, 2 * bytes);
    }
}
