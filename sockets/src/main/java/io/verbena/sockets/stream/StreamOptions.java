package io.verbena.sockets.stream;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.SurvivalOptions;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * How the sockets of a {@link StreamNetwork} work.
 *
 * @param mostBufferBytes size up to which the send and the receive buffer of a socket grow; they begin with about 1 KiB
 * @param mostBytes memory of all buffers that have grown; sockets keep their small buffers when it is used up
 * @param connectTimeout maximum time until a connection is established
 * @param patience maximum time for which a peer may be silent while it is to acknowledge something, where no system reports that its
 *     process has ended: over RoCE, and while the end of a connection waits for the end of its other side
 * @param exitTimeout maximum time for which the end of the JVM waits until the peers have what was written
 * @param extensions what two Verbenas use beyond the protocol of librdmacm
 */
public record StreamOptions(
        int mostBufferBytes,
        long mostBytes,
        Duration connectTimeout,
        Duration patience,
        Duration exitTimeout,
        Extensions extensions) {

    /**
     * What two Verbenas use beyond the protocol of librdmacm.
     *
     * @param immediate whether immediate data are offered over iWARP; librdmacm ignores the offer
     * @param rings whether channels of this host are rings in shared memory, without an RNIC, if the peer accepts that, too
     * @param survival how a socket survives the end of its transport, see {@link StreamOptions#surviving}; empty
     *     if that ends the socket
     */
    public record Extensions(boolean immediate, boolean rings, Optional<SurvivalOptions> survival) {}

    private static final int LEAST_BUFFER_BYTES = 4096;
    private static final int PATIENCE = 5;
    private static final Duration LONGEST = Duration.ofDays(1);

    public StreamOptions {
        if (mostBufferBytes < LEAST_BUFFER_BYTES || mostBufferBytes > 1 << 28) {
            throw new IllegalArgumentException("mostBufferBytes must be 4096 to 268435456, not " + mostBufferBytes);
        }
        requireTime("connectTimeout", connectTimeout);
        requireTime("patience", patience);
        requireTime("exitTimeout", exitTimeout);
        if (mostBytes < 0) {
            throw new IllegalArgumentException("mostBytes must be 0 or more, not " + mostBytes);
        }
    }

    private static void requireTime(String name, Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be more than 0 and at most a day, not " + time);
        }
    }

    /** Buffers of up to 512 KiB, 1 GiB in all, 10 s to connect, 15 minutes of silence, which is what TCP permits, 5 s to exit. */
    public static StreamOptions defaults() {
        return new StreamOptions(
                512 << 10,
                1L << 30,
                Duration.ofSeconds(10),
                Duration.ofMinutes(15),
                Duration.ofSeconds(5),
                new Extensions(true, true, Optional.empty()));
    }

    /**
     * Maximum time until a connection is established that a peer has requested. It is longer than that of the peer: if this side gave up
     * first, the peer would believe that the connection is established.
     */
    public Duration answerTimeout() {
        return connectTimeout.multipliedBy(PATIENCE);
    }

    public StreamOptions withMostBufferBytes(int value) {
        return new StreamOptions(value, mostBytes, connectTimeout, patience, exitTimeout, extensions);
    }

    public StreamOptions withMostBytes(long value) {
        return new StreamOptions(mostBufferBytes, value, connectTimeout, patience, exitTimeout, extensions);
    }

    public StreamOptions withConnectTimeout(Duration value) {
        return new StreamOptions(mostBufferBytes, mostBytes, value, patience, exitTimeout, extensions);
    }

    public StreamOptions withPatience(Duration value) {
        return new StreamOptions(mostBufferBytes, mostBytes, connectTimeout, value, exitTimeout, extensions);
    }

    public StreamOptions withExitTimeout(Duration value) {
        return new StreamOptions(mostBufferBytes, mostBytes, connectTimeout, patience, value, extensions);
    }

    /** With immediate data over iWARP or not. */
    public StreamOptions withExtensions(boolean value) {
        return with(new Extensions(value, extensions.rings, extensions.survival));
    }

    /** With rings or not. */
    public StreamOptions withRings(boolean value) {
        return with(new Extensions(extensions.immediate, value, extensions.survival));
    }

    /**
     * iWARP and shared memory: sockets survive the end of their transport, if both sides ask for it; see {@link
     * ConnectionOptions#surviving}. A peer that is not a Verbena, such as librdmacm, refuses the connection of a side
     * that asks for it. A peer whose process has been killed is noticed after 10 s over TCP, and not at once; see
     * {@link SurvivalOptions#exitPatience}.
     *
     * @param others further addresses of the peer, for the side that connects
     */
    public StreamOptions surviving(SocketAddress... others) {
        return withSurvival(SurvivalOptions.over(others));
    }

    /** The same, with these options. */
    public StreamOptions withSurvival(SurvivalOptions value) {
        return with(new Extensions(extensions.immediate, extensions.rings, Optional.of(value)));
    }

    private StreamOptions with(Extensions value) {
        return new StreamOptions(mostBufferBytes, mostBytes, connectTimeout, patience, exitTimeout, value);
    }
}
