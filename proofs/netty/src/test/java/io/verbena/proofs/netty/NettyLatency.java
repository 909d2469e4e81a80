package io.verbena.proofs.netty;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Latencies;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of a request between two Netty programs, by proofs/run --latency. */
class NettyLatency {

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void requests(@TempDir Path directory) throws Exception {
        Latencies times = new Latencies("Netty");
        Figures.interleave(carrier -> {
            try (Running server = new Program(carrier, directory).start(NettyEcho.Server.class.getName())) {
                String port = server.awaitLine("port ").substring("port ".length());
                try (Running client = new Program(carrier, directory).start(NettyEcho.Client.class.getName(), port)) {
                    times.add(carrier, client);
                    client.testimony().requireCarriedBy(carrier, 1, 1);
                }
            }
        });
        times.print();
    }
}
