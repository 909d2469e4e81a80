package io.verbena.proofs.grpc;

import io.verbena.proofs.Figures;
import io.verbena.proofs.Latencies;
import io.verbena.proofs.Program;
import io.verbena.proofs.Running;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The time of a unary call of grpc-netty-shaded with the agent, by proofs/run --latency. The copy of Netty uses channels of java.nio over all carriers. */
class GrpcLatency {

    private static final String NIO = "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true";

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void requests(@TempDir Path directory) throws Exception {
        Latencies times = new Latencies("gRPC unary");
        Figures.interleave(carrier -> {
            try (Running server =
                    new Program(carrier, directory).withAgent().with(NIO).start(Shaded.Service.class.getName())) {
                String port = server.awaitLine("port ").substring("port ".length());
                try (Running client =
                        new Program(carrier, directory).withAgent().with(NIO).start(UnaryCalls.class.getName(), port)) {
                    times.add(carrier, client);
                    client.testimony().requireCarriedBy(carrier, 1, 1);
                }
            }
        });
        times.print();
    }
}
