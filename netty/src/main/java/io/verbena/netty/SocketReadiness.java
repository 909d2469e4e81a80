package io.verbena.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.verbena.sockets.stream.StreamSocket;
import java.util.stream.IntStream;

/**
 * What a channel waits for, and what it is ready for.
 *
 * @param bits bits of {@link StreamSocket}
 */
record SocketReadiness(int bits) implements IoOps, IoEvent {

    private static final int COUNT =
            Integer.highestOneBit(StreamSocket.READABLE | StreamSocket.WRITABLE | StreamSocket.CONNECTED) << 1;

    /** One object for each combination, so that an event allocates nothing. */
    private static final SocketReadiness[] ALL =
            IntStream.range(0, COUNT).mapToObj(SocketReadiness::new).toArray(SocketReadiness[]::new);

    static SocketReadiness of(int bits) {
        return ALL[bits];
    }

    boolean has(int bit) {
        return (bits & bit) != 0;
    }
}
