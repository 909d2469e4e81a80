package io.verbena.proofs;

import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import io.verbena.verbs.TransportType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** What carries the connections of the programs. */
public enum Carrier {
    /** The provider of the JDK, for comparison. */
    PLAIN(EnumSet.noneOf(TransportType.class)),
    IWARP(EnumSet.of(TransportType.IWARP)),
    /** Servers have the address 127.0.0.1, and each other process takes a loopback address that is free. */
    ROCE(EnumSet.of(TransportType.ROCE_V2)),
    /** Nothing is stated: on one host these are rings in shared memory. */
    AUTO(EnumSet.of(TransportType.SHARED_MEMORY)),
    /** Shared memory without rings: streams of an RNIC. */
    STREAM(EnumSet.of(TransportType.SHARED_MEMORY));

    /** Property: the carriers to prove, separated by commas. */
    private static final String CHOSEN = "verbena.proofs.carriers";

    /** A proof wants RDMA for every connection, also on a machine that is so busy that a program would rather have TCP at once. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Set<TransportType> transports;

    Carrier(Set<TransportType> transports) {
        this.transports = transports;
    }

    /** The carriers to prove; {@link #IWARP} and {@link #AUTO} if nothing else is said. */
    public static Stream<Carrier> chosen() {
        return Arrays.stream(System.getProperty(CHOSEN, "iwarp,auto").split(","))
                .map(name -> valueOf(name.strip().toUpperCase(Locale.ROOT)));
    }

    /** Transports that a connection may have. */
    public Set<TransportType> transports() {
        return EnumSet.copyOf(transports);
    }

    /** The options of a provider that a program passes on as an object; not for {@link #PLAIN}. */
    public SocketsOptions options() {
        SocketsOptions patient = SocketsOptions.defaults().withPatience(PATIENCE);
        if (this == STREAM) {
            return patient.withStreams(patient.streams().withRings(false));
        }
        return this == AUTO ? patient : patient.withRdma("*").withProvider(providerName());
    }

    private String providerName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The options of a JVM whose channels this carries, as the documentation states them. */
    public List<String> jvmOptions() {
        List<String> options = new ArrayList<>(List.of("-Dio.netty.transport.noNative=true"));
        if (this != PLAIN) {
            options.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
            options.add("-Djava.nio.channels.spi.SelectorProvider=" + VerbenaSelectorProvider.class.getName());
            options.add("-D" + SocketsOptions.PATIENCE + "=" + PATIENCE.toMillis());
            options.add("-D" + SocketsOptions.SETUP + "=" + PATIENCE.toSeconds());
        }
        if (this == STREAM) {
            options.add("-D" + SocketsOptions.RING + "=false");
        }
        if (this == IWARP || this == ROCE) {
            options.add("-D" + SocketsOptions.RDMA + "=*");
            options.add("-D" + SocketsOptions.PROVIDER + "=" + providerName());
        }
        return options;
    }
}
