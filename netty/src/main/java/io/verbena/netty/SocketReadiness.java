package io.verbena.netty;

import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.verbena.sockets.stream.StreamSocket;
import java.util.stream.IntStream;

/**
 * What a channel waits for, and what it is ready for.
 *
 * @param bits bits of {@link StreamSocket}, and {@link #ENDED}
 */
record SocketReadiness(int bits) implements IoOps, IoEvent {

    /** Ready: only the end of the stream or an error is left to read. A channel waits for it also while the program does not read. */
    static final int ENDED =
            Integer.highestOneBit(StreamSocket.READABLE | StreamSocket.WRITABLE | StreamSocket.CONNECTED) << 1;

    /** One object for each combination, so that an event allocates nothing. */
    private static final SocketReadiness[] ALL =
            IntStream.range(0, ENDED << 1).mapToObj(SocketReadiness::new).toArray(SocketReadiness[]::new);

    static SocketReadiness of(int bits) {
        return ALL[bits];
    }

    boolean has(int bit) {
        return (bits & bit) != 0;
    }
}
