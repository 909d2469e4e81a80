package io.verbena.host;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An end of a connection that does not allocate: eight bytes per message, echoed or counted. */
final class EchoEnd implements StreamEvents, StreamLoop.ConnectEvents {

    private final StreamLoop loop;
    private final boolean echo;
    private final ByteBuffer in = ByteBuffer.allocateDirect(4096);
    private final ByteBuffer out = ByteBuffer.allocateDirect(8);
    private final long inAddress = MemorySegment.ofBuffer(in).address();
    private final long outAddress = MemorySegment.ofBuffer(out).address();
    private @Nullable ByteStream stream;
    private long received;

    EchoEnd(StreamLoop loop, boolean echo) {
        this.loop = loop;
        this.echo = echo;
    }

    boolean connected() {
        return stream != null;
    }

    ByteStream stream() {
        ByteStream made = stream;
        if (made == null) {
            throw new AssertionError("not connected");
        }
        return made;
    }

    long received() {
        return received;
    }

    void send() {
        try {
            stream().write(out.clear(), outAddress);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onConnected(ByteStream made) {
        stream = made;
        loop.attach(made, this);
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        throw new AssertionError(sentence);
    }

    @Override
    public void onReadable() {
        try {
            int count;
            while ((count = stream().read(in.clear(), inAddress)) > 0) {
                received += count;
                if (echo) {
                    stream().write(in.flip(), inAddress);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onWritable() {}
}
