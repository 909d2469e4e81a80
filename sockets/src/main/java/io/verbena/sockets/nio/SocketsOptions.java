package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.Peers;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.SurvivalOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link VerbenaSelectorProvider} reaches and accepts peers.
 *
 * @param rdma peers to reach by RDMA; all others are reached by plain TCP, except those on this host that share memory
 * @param provider the provider of the RNIC: {@code auto}, {@code iwarp} without shared memory, {@code shm} without iWARP,
 *     or {@code roce} without both
 * @param device the IP address of this machine that the RNIC has with the provider {@code roce}; empty for the one that its first
 *     use needs
 * @param accept peers that may use RDMA to connect to this process; all others are connected by TCP
 * @param streams sizes of buffers and time limits
 * @param limits how long the set-up waits for peers
 */
public record SocketsOptions(
        List<PeerPattern> rdma,
        String provider,
        String device,
        List<PeerPattern> accept,
        StreamOptions streams,
        SetUpLimits limits) {

    /**
     * How long the set-up waits for peers.
     *
     * @param silence time after which an accepted peer that has sent nothing is handed to the program
     * @param patience time within which a peer that was silent before must have answered whether it uses RDMA; others have longer, see {@link Peers#patience}
     */
    public record SetUpLimits(Duration silence, Duration patience) {
        private static final Duration LONGEST = Duration.ofDays(365);

        static final SetUpLimits DEFAULTS = new SetUpLimits(Duration.ofMillis(20), Duration.ofMillis(50));

        /** Times are limited to what a nanosecond clock can count: 0 to a year. */
        public SetUpLimits {
            silence = bounded(silence);
            patience = bounded(patience);
        }

        private static Duration bounded(Duration time) {
            if (time.isNegative()) {
                return Duration.ZERO;
            }
            return time.compareTo(LONGEST) > 0 ? LONGEST : time;
        }
    }

    /** What the names of the properties begin with. */
    public static final String PREFIX = "io.verbena.sockets.";

    /** Property: peers to reach by RDMA, separated by commas. */
    public static final String RDMA = "io.verbena.sockets.rdma";

    /** Property: the provider. */
    public static final String PROVIDER = "io.verbena.sockets.provider";

    /** Property: the IP address of the RNIC; provider {@code roce}. */
    public static final String DEVICE = "io.verbena.sockets.device";

    /** Property: size up to which the send and the receive buffer of a connection grow, in bytes. */
    public static final String BUFFER = "io.verbena.sockets.buffer";

    /** Property: peers that may use RDMA to connect to this process, separated by commas; {@code none} for none of them. */
    public static final String ACCEPT = "io.verbena.sockets.accept";

    /** Property: milliseconds within which a peer must have answered whether it uses RDMA; after that a connection is plain TCP. */
    public static final String PATIENCE = "io.verbena.sockets.patience";

    /** Property: seconds within which RDMA must be set up after the peer has agreed. */
    public static final String SETUP = "io.verbena.sockets.setup";

    /** Property: seconds for which a peer over RoCE may be silent; see {@link StreamOptions#patience()}. */
    public static final String TIMEOUT = "io.verbena.sockets.timeout";

    /** Property: seconds for which the end of the JVM waits at most until the peers have what was written. */
    public static final String EXIT = "io.verbena.sockets.exit";

    /** Property: {@code false} if channels between programs of this host are not to be rings in shared memory; see {@link StreamOptions#withRings}. */
    public static final String RING = "io.verbena.sockets.ring";

    /** Property: whether streams over iWARP survive their TCP connection; see {@link StreamOptions#surviving}. */
    public static final String SURVIVE = "io.verbena.sockets.survive";

    /** Property of the JVM's provider: {@code false} hides its figures from other processes of the user. */
    public static final String FIGURES = "io.verbena.sockets.figures";

    /** Property of the agent: {@code false} leaves {@code java.net.Socket} and {@code ServerSocket} to the JDK. */
    public static final String SOCKETS = "io.verbena.sockets.sockets";

    private static final List<String> PROVIDERS = List.of("auto", "iwarp", "shm", "roce");

    public SocketsOptions {
        rdma = List.copyOf(rdma);
        accept = List.copyOf(accept);
        if (!PROVIDERS.contains(provider)) {
            throw new IllegalArgumentException("The provider of sockets must be one of " + PROVIDERS + ", not \""
                    + provider + "\"; see the property " + PROVIDER + ".");
        }
        if (!device.isEmpty() && !isAddress(device)) {
            throw new IllegalArgumentException("The device of sockets must be an IP address of this machine, not \""
                    + device + "\"; see the property " + DEVICE + ".");
        }
    }

    private static boolean isAddress(String text) {
        try {
            return !InetAddress.ofLiteral(text).isAnyLocalAddress();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /** No peers to reach by RDMA, RDMA accepted, the provider {@code auto}, 20 ms of silence, 50 ms of patience, 2 s to set up RDMA. */
    public static SocketsOptions defaults() {
        return new SocketsOptions(
                List.of(),
                "auto",
                "",
                List.of(PeerPattern.of("*")),
                StreamOptions.defaults().withConnectTimeout(Duration.ofSeconds(2)),
                SetUpLimits.DEFAULTS);
    }

    /** The defaults, changed by the system properties. */
    public static SocketsOptions fromProperties() {
        return from(System::getProperty);
    }

    /** The defaults, changed by these properties. */
    public static SocketsOptions of(Map<String, String> properties) {
        return from(properties::get);
    }

    /** The defaults, changed by the properties that {@code property} returns; null for those that are not set. */
    static SocketsOptions from(Function<String, @Nullable String> property) {
        SocketsOptions options = defaults();
        String rdma = property.apply(RDMA);
        if (rdma != null) {
            options = options.withRdma(rdma.split(","));
        }
        String provider = property.apply(PROVIDER);
        if (provider != null) {
            options = options.withProvider(provider);
        }
        String device = property.apply(DEVICE);
        if (device != null) {
            options = options.withDevice(device);
        }
        String buffer = property.apply(BUFFER);
        if (buffer != null) {
            options = options.withStreams(options.streams.withMostBufferBytes(whole(BUFFER, buffer, "bytes")));
        }
        String accept = property.apply(ACCEPT);
        if (accept != null) {
            options = options.withAccept(accept.equals("none") ? new String[0] : accept.split(","));
        }
        String patience = property.apply(PATIENCE);
        if (patience != null) {
            options = options.withPatience(Duration.ofMillis(whole(PATIENCE, patience, "milliseconds")));
        }
        String setup = property.apply(SETUP);
        if (setup != null) {
            options = options.withStreams(
                    options.streams.withConnectTimeout(Duration.ofSeconds(whole(SETUP, setup, "seconds"))));
        }
        String timeout = property.apply(TIMEOUT);
        if (timeout != null) {
            options = options.withStreams(
                    options.streams.withPatience(Duration.ofSeconds(whole(TIMEOUT, timeout, "seconds"))));
        }
        String exit = property.apply(EXIT);
        if (exit != null) {
            options = options.withStreams(
                    options.streams.withExitTimeout(Duration.ofSeconds(whole(EXIT, exit, "seconds"))));
        }
        String ring = property.apply(RING);
        if (ring != null) {
            options = options.withStreams(options.streams.withRings(flag(RING, ring)));
        }
        String survive = property.apply(SURVIVE);
        if (survive != null && flag(SURVIVE, survive)) {
            options = options.withStreams(
                    options.streams.withSurvival(SurvivalOptions.over().withStandby()));
        }
        return options;
    }

    private static boolean flag(String property, String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("The property " + property + " is true or false, not \"" + text + "\".");
        }
        return text.equals("true");
    }

    private static int whole(String property, String text, String unit) {
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException(
                    "The property " + property + " is a number of " + unit + ", not \"" + text + "\".");
        }
        return Integer.parseInt(text);
    }

    /** With these patterns of peers to reach by RDMA; see {@link PeerPattern}. */
    public SocketsOptions withRdma(String... patterns) {
        return new SocketsOptions(list(patterns), provider, device, accept, streams, limits);
    }

    /** With these patterns of peers that may use RDMA to connect to this process; none without a pattern. */
    public SocketsOptions withAccept(String... patterns) {
        return new SocketsOptions(rdma, provider, device, list(patterns), streams, limits);
    }

    private static List<PeerPattern> list(String... patterns) {
        return Arrays.stream(patterns)
                .filter(text -> !text.isBlank())
                .map(PeerPattern::of)
                .toList();
    }

    public SocketsOptions withProvider(String value) {
        return new SocketsOptions(rdma, value, device, accept, streams, limits);
    }

    public SocketsOptions withDevice(String value) {
        return new SocketsOptions(rdma, provider, value, accept, streams, limits);
    }

    public SocketsOptions withStreams(StreamOptions value) {
        return new SocketsOptions(rdma, provider, device, accept, value, limits);
    }

    public SocketsOptions withSilence(Duration value) {
        return new SocketsOptions(rdma, provider, device, accept, streams, new SetUpLimits(value, limits.patience));
    }

    public SocketsOptions withPatience(Duration value) {
        return new SocketsOptions(rdma, provider, device, accept, streams, new SetUpLimits(limits.silence, value));
    }

    Duration silence() {
        return limits.silence;
    }

    Duration patience() {
        return limits.patience;
    }

    /** Whether peers on this host find each other by themselves and share memory. */
    boolean sharesMemory() {
        return provider.equals("auto") || provider.equals("shm");
    }

    /** Whether peers on this host that accept it are reached by rings. */
    boolean rings() {
        return streams.extensions().rings();
    }

    /** Whether the RNIC has an IP address and connections of its own, beside those of TCP. */
    boolean overRoce() {
        return provider.equals("roce");
    }

    /** Whether peers on other hosts can be reached by RDMA, and the list contains this one. */
    boolean lists(InetSocketAddress peer) {
        return !provider.equals("shm") && rdma.stream().anyMatch(pattern -> pattern.matches(peer));
    }

    /** The other addresses of a peer in the list. */
    List<SocketAddress> others(InetSocketAddress peer) {
        return rdma.stream()
                .filter(pattern -> pattern.matches(peer))
                .flatMap(pattern -> pattern.others(peer).stream())
                .distinct()
                .limit(SurvivalOptions.MOST_ADDRESSES)
                .toList();
    }

    /** Whether this peer may use RDMA to connect to this process. Its port means nothing. */
    boolean accepts(InetSocketAddress peer) {
        return accept.stream().anyMatch(pattern -> pattern.matches(peer));
    }
}
