package io.verbena.port;

import io.verbena.wire.TcpTrace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Writes what goes over a stream into a capture: what was taken by the stream as it was taken, what was received as it was
 * read, both ends of the connection, orderly or by reset. Made by {@link CapturingLoop}.
 */
public final class CapturingStream extends StreamWrapper {

    private final Capture.Recording recording;
    private final TcpTrace.Side near;
    private final TcpTrace.Side far;
    private boolean nearEnded;
    private boolean farEnded;

    CapturingStream(ByteStream inner, Capture.Recording recording, TcpTrace.Side near) {
        super(inner);
        this.recording = recording;
        this.near = near;
        this.far = near == TcpTrace.Side.INITIATOR ? TcpTrace.Side.RESPONDER : TcpTrace.Side.INITIATOR;
    }

    @Override
    protected void handedBack() {
        recording.end();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int start = target.position();
        int count;
        try {
            count = inner().read(target);
        } catch (IOException e) {
            recording.rst(far);
            throw e;
        }
        if (count > 0) {
            recording.data(far, passed(target, start, count));
        } else if (count == END && !farEnded) {
            farEnded = true;
            recording.fin(far);
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int start = source.position();
        int count;
        try {
            count = inner().write(source);
        } catch (IOException e) {
            recording.rst(far);
            throw e;
        }
        if (count > 0) {
            recording.data(near, passed(source, start, count));
        }
        return count;
    }

    private static MemorySegment passed(ByteBuffer buffer, int start, int count) {
        return MemorySegment.ofBuffer(buffer.duplicate().limit(start + count).position(start));
    }

    @Override
    public void shutdownOutput() throws IOException {
        inner().shutdownOutput();
        finish();
    }

    private void finish() {
        if (!nearEnded) {
            nearEnded = true;
            recording.fin(near);
        }
    }

    @Override
    public void close(boolean abortive) {
        inner().close(abortive);
        if (abortive && !(nearEnded && farEnded)) {
            recording.rst(near);
        } else {
            finish();
            recording.end();
        }
    }
}
