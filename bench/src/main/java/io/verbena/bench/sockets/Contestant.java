package io.verbena.bench.sockets;

import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;

/** A provider of channels. */
enum Contestant {
    JDK,
    SHM,
    /** Shared memory as rings, without an RNIC. */
    RING,
    IWARP;

    private final SelectorProvider provider = make(SocketsOptions.defaults());
    private final SelectorProvider patient = make(patientOptions());

    /** The provider; its RNIC is opened when it is first needed. */
    SelectorProvider provider() {
        return provider;
    }

    /** Whether a channel is carried by what the name says. */
    boolean carries(SocketChannel channel) {
        return this == JDK || VerbenaSelectorProvider.transport(channel) != SocketTransport.TCP;
    }

    /** A provider that does not use TCP because a peer answers late. */
    SelectorProvider patient() {
        return patient;
    }

    private static SocketsOptions patientOptions() {
        Duration patience = Duration.ofSeconds(20);
        SocketsOptions options = SocketsOptions.defaults();
        return options.withPatience(patience).withStreams(options.streams().withConnectTimeout(patience));
    }

    private SelectorProvider make(SocketsOptions of) {
        SocketsOptions options = of.withSilence(Duration.ofSeconds(1));
        return switch (this) {
            case JDK -> SelectorProvider.provider();
            case SHM ->
                VerbenaSelectorProvider.of(options.withProvider("shm")
                        .withStreams(options.streams().withRings(false)));
            case RING ->
                VerbenaSelectorProvider.of(options.withProvider("shm")
                        .withStreams(options.streams().withRings(true)));
            case IWARP ->
                VerbenaSelectorProvider.of(options.withProvider("iwarp").withRdma("*"));
        };
    }
}
