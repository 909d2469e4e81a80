package io.verbena.proofs.zookeeper;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.FreePort;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import io.verbena.proofs.Scale;
import java.io.IOException;
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
        Server server = Server.start(carrier, directory);
        try (Running running = server.running();
                Running clients = new Program(carrier, directory)
                        .start(Clients.class.getName(), server.address(), String.valueOf(Scale.of(NODES)))) {
            clients.awaitSuccess();
            clients.testimony().requireCarriedBy(carrier, 2, Scale.of(NODES) * 300L);
            running.testimony().requireCarriedBy(carrier, 2, Scale.of(NODES) * 300L);
        }
    }

    /** A server that was started. Clients connect again until it listens. */
    record Server(Running running, String address) {

        static Server start(Carrier carrier, Path directory) throws IOException {
            int port = FreePort.find();
            Path file = directory.resolve("zoo.cfg");
            Files.writeString(file, """
                    dataDir=%s
                    clientPort=%d
                    clientPortAddress=127.0.0.1
                    admin.enableServer=false
                    """.formatted(directory.resolve("data"), port));
            Running running = new Program(carrier, directory)
                    .start("org.apache.zookeeper.server.ZooKeeperServerMain", file.toString());
            return new Server(running, "127.0.0.1:" + port);
        }
    }
}
