package io.verbena.proofs.zookeeper;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Latencies;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of getData, by proofs/run --latency. */
class ZooKeeperLatency {

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void getData(@TempDir Path directory) throws Exception {
        Latencies times = new Latencies("ZooKeeper getData");
        Figures.interleave(carrier -> {
            Path own = Files.createTempDirectory(directory, carrier.name());
            ZooKeeperProofTest.Server server = ZooKeeperProofTest.Server.start(carrier, own);
            try (Running _ = server.running();
                    Running client = new Program(carrier, own).start(Reads.class.getName(), server.address())) {
                times.add(carrier, client);
                client.testimony().requireCarriedBy(carrier, 1, 1);
            }
        });
        times.print();
    }
}
