package io.verbena.proofs.netty;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Results;
import io.verbena.sockets.nio.SocketsOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of Netty's transports: those that pass over the provider of the JDK pass over ours, in the same run. */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class NettySuiteProofTest {

    private static final String CLASSES = Boolean.getBoolean("verbena.proofs.short")
            ? "io\\.netty\\.testsuite\\.transport\\.socket\\."
                    + "(SocketHalfClosed|SocketShutdownOutputBySelf|SocketRst|SocketFileRegion|SocketGatheringWrite|SocketConnect)Test"
            : "io\\.netty\\.testsuite\\.transport\\.socket\\."
                    + "(Socket|ServerSocket|Composite|WriteBefore|Traffic|Datagram).*Test";

    private static final List<String> OPTIONS = List.of(
            "-Xmx1g",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.net.preferIPv4Stack=false",
            "-D" + SocketsOptions.PATIENCE
                    + "=2000"); // 20 of its clients connect to a java.net.ServerSocket, and wait that long

    /** Of the connections both of whose ends are ours. */
    private static final int LEAST_PERCENT = 90;

    private static final List<String> EXCLUDED = List.of(
            // Its server is a java.net.ServerSocket, which no provider of channels reaches: a server that must not be
            // listed.
            "SocketShutdownOutputBySelfTest]/[method:testShutdownOutput(");

    @ParameterizedTest
    @MethodSource("io.verbena.proofs.Carrier#chosen")
    void testsOfNetty_passAsOverTheProviderOfTheJdk(Carrier carrier, @TempDir Path directory) throws Exception {
        Results jdk = Results.of(Carrier.PLAIN, directory, OPTIONS, "netty-testsuite-", CLASSES);
        Results ours = Results.of(carrier, directory, OPTIONS, "netty-testsuite-", CLASSES);
        ours.requireAllOf(jdk, EXCLUDED);
        ours.testimony().requireCarriedBy(carrier, 1, 1);
        ours.ends().requireByRdma(carrier, LEAST_PERCENT);
    }
}
