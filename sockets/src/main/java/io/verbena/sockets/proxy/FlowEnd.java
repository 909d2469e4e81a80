package io.verbena.sockets.proxy;

import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/** The end of a flow that a stream calls. It keeps a failure apart from those of the stream. */
final class FlowEnd implements ByteSource, WritableByteChannel {

    private final SocketChannel channel;
    private Optional<IOException> failure = Optional.empty();
    private boolean used;
    private boolean incomplete;

    FlowEnd(SocketChannel channel) {
        this.channel = channel;
    }

    /** A move begins. */
    void begin() {
        used = false;
        incomplete = false;
    }

    /** Whether the stream has called it: it had bytes or space. */
    boolean used() {
        return used;
    }

    /** Whether the channel had no space for all bytes of the stream. */
    boolean incomplete() {
        return incomplete;
    }

    /** What the channel has thrown. */
    Optional<IOException> failure() {
        return failure;
    }

    @Override
    public int read(ByteBuffer target) {
        used = true;
        try {
            return channel.read(target);
        } catch (IOException e) {
            failure = Optional.of(e);
            return 0;
        }
    }

    @Override
    public int write(ByteBuffer source) {
        used = true;
        try {
            int bytes = channel.write(source);
            incomplete = source.hasRemaining();
            return bytes;
        } catch (IOException e) {
            failure = Optional.of(e);
            return 0;
        }
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
