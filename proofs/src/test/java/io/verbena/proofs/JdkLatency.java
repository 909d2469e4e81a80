package io.verbena.proofs;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of a request over blocking sockets of java.net, by proofs/run --latency. */
class JdkLatency {

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void requests(@TempDir Path directory) throws Exception {
        Latencies times = new Latencies("java.net.Socket");
        Figures.interleave(carrier -> {
            try (Running server = new Program(carrier, directory).withAgent().start(Rpc.Server.class.getName())) {
                String port = server.awaitLine("port ").substring("port ".length());
                try (Running client =
                        new Program(carrier, directory).withAgent().start(Rpc.Client.class.getName(), port)) {
                    times.add(carrier, client);
                    client.testimony().requireCarriedBy(carrier, 1, 1);
                }
            }
        });
        times.print();
    }
}
