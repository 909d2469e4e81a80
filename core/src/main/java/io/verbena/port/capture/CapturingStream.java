package io.verbena.port.capture;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamWrapper;
import io.verbena.wire.TcpTrace;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Captures the bytes of a stream: sent bytes when the stream accepts them, received bytes when they are read, and both
 * ends of the connection, by FIN or by reset. Created by {@link CapturingLoop}.
 */
public sealed class CapturingStream extends StreamWrapper permits CapturingSegmentStream {

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

    final Capture.Recording recording() {
        return recording;
    }

    /** The side of the peer. */
    final TcpTrace.Side far() {
        return far;
    }

    @Override
    protected void handedBack() {
        recording.end();
    }

    /** A call of the stream inside. */
    @FunctionalInterface
    interface Call {
        int move() throws IOException;
    }

    /** Makes a call that transfers bytes; if the stream breaks, the capture shows a reset. */
    final int moved(Call call) throws IOException {
        try {
            return call.move();
        } catch (IOException e) {
            recording.rst(far);
            throw e;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int start = target.position();
        return received(target, start, moved(() -> inner().read(target)));
    }

    @Override
    public int read(ByteBuffer target, long address) throws IOException {
        int start = target.position();
        return received(target, start, moved(() -> inner().read(target, address)));
    }

    @Override
    public int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        int firstStart = first.position();
        int secondStart = second.position();
        int room = first.remaining();
        int count = moved(() -> inner().read(first, firstAddress, second, secondAddress));
        received(first, firstStart, Math.min(count, room));
        if (count > room) {
            received(second, secondStart, count - room);
        }
        return count;
    }

    private int received(ByteBuffer target, int start, int count) {
        if (count > 0) {
            recording.data(far, target, start, count);
        } else if (count == END) {
            onFarEnd();
        }
        return count;
    }

    final void onFarEnd() {
        if (!farEnded) {
            farEnded = true;
            recording.fin(far);
        }
    }

    @Override
    public boolean shortReadIsAll() {
        return inner().shortReadIsAll();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int start = source.position();
        return sent(source, start, moved(() -> inner().write(source)));
    }

    @Override
    public int write(ByteBuffer source, long address) throws IOException {
        int start = source.position();
        return sent(source, start, moved(() -> inner().write(source, address)));
    }

    private int sent(ByteBuffer source, int start, int count) {
        if (count > 0) {
            recording.data(near, source, start, count);
        }
        return count;
    }

    @Override
    public boolean gathers() {
        return inner().gathers();
    }

    @Override
    public int write(TransmitList list) throws IOException {
        int count = moved(() -> inner().write(list));
        if (count > 0) {
            recording.data(near, list, count);
        }
        return count;
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
