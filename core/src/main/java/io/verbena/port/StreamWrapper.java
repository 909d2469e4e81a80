package io.verbena.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;

/** A stream around another one: passes everything on. Subclasses change what they are there for. See {@link LoopWrapper}. */
public abstract class StreamWrapper implements ByteStream {

    private final ByteStream inner;

    protected StreamWrapper(ByteStream inner) {
        this.inner = inner;
    }

    /** The stream inside. */
    public final ByteStream inner() {
        return inner;
    }

    /** What is attached to the inner stream in place of the owner's events. */
    protected StreamEvents attached(LoopWrapper loop, StreamEvents events) {
        return events;
    }

    /** The stream was detached from its loop. */
    protected void detached() {}

    /** The inner stream is its owner's again; this wrapper is not used any more. */
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
