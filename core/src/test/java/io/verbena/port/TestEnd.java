package io.verbena.port;

import io.verbena.fixture.StreamEnd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An end of a connection in a test: takes what comes, sends what is left as soon as there is room. */
public final class TestEnd extends StreamEnd {

    private final ByteBuffer in = ByteBuffer.allocateDirect(1000);
    private ByteBuffer out = ByteBuffer.allocateDirect(0);
    public final ByteArrayOutputStream received = new ByteArrayOutputStream();
    public final StringBuilder readSizes = new StringBuilder();
    public final StringBuilder writeSizes = new StringBuilder();

    @Nullable
    public IOException failure;

    public boolean ended;

    public TestEnd(StreamLoop loop) {
        super(loop);
    }

    @Override
    public void onReadable() {
        try {
            int count = stream().read(in.clear());
            if (count == ByteStream.END) {
                ended = true;
                stream().wantReadable(false);
            } else if (count > 0) {
                readSizes.append(count).append(' ');
                byte[] bytes = new byte[count];
                in.get(0, bytes);
                received.writeBytes(bytes);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException e) {
        failure = e;
        stream().wantReadable(false);
        stream().wantWritable(false);
    }

    @Override
    public void onWritable() {
        try {
            int count = stream().write(out);
            if (count > 0) {
                writeSizes.append(count).append(' ');
            }
            stream().wantWritable(out.hasRemaining());
        } catch (IOException e) {
            fail(e);
        }
    }

    public void send(byte[] bytes) {
        out = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        onWritable();
    }

    public int unsent() {
        return out.remaining();
    }

    public void shutdownOutput() {
        try {
            stream().shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
