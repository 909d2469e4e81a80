package io.verbena.proofs.zookeeper;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server of ZooKeeper and two clients in a process of their own. */
class ZooKeeperProofTest {

    private static final int NODES = 5_000;

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void nodes_areCreatedReadAndWatched(Carrier carrier, @TempDir Path directory) throws Exception {
        int port = FreePort.find();
        Path file = directory.resolve("zoo.cfg");
        Files.writeString(file, """
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                admin.enableServer=false
                """.formatted(directory.resolve("data"), port));
        try (Running server = new Program(carrier, directory)
                        .start("org.apache.zookeeper.server.ZooKeeperServerMain", file.toString());
                Running clients = new Program(carrier, directory)
                        .start(Clients.class.getName(), "127.0.0.1:" + port, String.valueOf(Scale.of(NODES)))) {
            clients.awaitSuccess();
            clients.testimony().requireCarriedBy(carrier, 2, Scale.of(NODES) * 300L);
            server.testimony().requireCarriedBy(carrier, 2, Scale.of(NODES) * 300L);
        }
    }
}
