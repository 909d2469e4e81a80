package io.verbena.host;

import io.verbena.fixture.StreamEnd;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection in a test: reads what comes, echoes it if told so, and remembers what happened. Its own
 * events.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // only the engine's thread changes it
public final class StreamProbe extends StreamEnd {

    private final boolean echo;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);
    public volatile @Nullable String failure;
    public volatile boolean refused;
    public volatile boolean ended;
    public volatile boolean broken;
    public volatile long received;
    public volatile int readableReports;
    public volatile int writableReports;
    public volatile long checksum;

    public StreamProbe(StreamLoop loop, boolean echo) {
        super(loop);
        this.echo = echo;
    }

    /** A listener whose connections belong to this probe. */
    public StreamLoop.Acceptor listen() throws IOException {
        return loop().listen(loopback(0), 16, this::onConnected);
    }

    public static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void onConnectFailed(boolean nobodyThere, String sentence) {
        refused = nobodyThere;
        failure = sentence;
    }

    @Override
    public void onReadable() {
        readableReports++;
        read(stream());
    }

    private void read(ByteStream from) {
        try {
            int count;
            while ((count = from.read(buffer.clear())) > 0) {
                take(count);
                if (echo) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        from.write(buffer);
                    }
                }
            }
            if (count == ByteStream.END) {
                ended = true;
                from.wantReadable(false);
            }
        } catch (IOException e) {
            broken = true;
            from.close(true);
        }
    }

    private void take(int count) {
        long sum = checksum;
        for (int i = 0; i < count; i++) {
            sum = mix(sum, buffer.get(i));
        }
        checksum = sum;
        received += count;
    }

    public static long mix(long checksum, byte next) {
        return checksum * 31 + next;
    }

    @Override
    public void onWritable() {
        writableReports++;
        stream().wantWritable(false);
    }

    /** Sends bytes that count up, all at once. */
    public void send(int bytes) {
        try {
            ByteBuffer out = ByteBuffer.allocateDirect(bytes);
            for (int i = 0; i < bytes; i++) {
                out.put(i, (byte) i);
            }
            while (out.hasRemaining()) {
                stream().write(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
