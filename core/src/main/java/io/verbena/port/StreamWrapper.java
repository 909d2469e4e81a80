package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A stream that forwards everything to another one. Subclasses override what they change. See {@link LoopWrapper}. */
public abstract class StreamWrapper implements ByteStream {

    private final ByteStream inner;

    protected StreamWrapper(ByteStream inner) {
        this.inner = inner;
    }

    /** The inner stream. */
    public final ByteStream inner() {
        return inner;
    }

    /** The events to attach to the inner stream instead of the owner's events. */
    protected StreamEvents attached(LoopWrapper loop, StreamEvents events) {
        return events;
    }

    /** Called when the stream has been detached from its loop. */
    protected void detached() {}

    /** Called when the inner stream belongs to its owner again; this wrapper is not used any more. */
    protected void handedBack() {}

    @Override
    public int read(ByteBuffer target) throws IOException {
        return inner.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return inner.write(source);
    }

    @Override
    public void wantWritable(boolean wanted) {
        inner.wantWritable(wanted);
    }

    @Override
    public void wantReadable(boolean wanted) {
        inner.wantReadable(wanted);
    }

    @Override
    public void keepAlive(long boundNs) {
        inner.keepAlive(boundNs);
    }

    @Override
    public void resetIfKilled(boolean reset) {
        inner.resetIfKilled(reset);
    }

    @Override
    public boolean acknowledged() {
        return inner.acknowledged();
    }

    @Override
    public Optional<CarrierFigures> figures() {
        return inner.figures();
    }

    @Override
    public boolean throughMemory() {
        return inner.throughMemory();
    }

    @Override
    public String refusal() {
        return inner.refusal();
    }

    @Override
    public boolean abandoned() {
        return inner.abandoned();
    }

    @Override
    public void shutdownOutput() throws IOException {
        inner.shutdownOutput();
    }

    @Override
    public void close(boolean abortive) {
        inner.close(abortive);
    }

    @Override
    public SocketAddress localAddress() {
        return inner.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return inner.remoteAddress();
    }
}
