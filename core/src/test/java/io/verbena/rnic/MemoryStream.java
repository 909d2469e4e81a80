package io.verbena.rnic;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** One end of a stream in memory. {@link #poll} reports readiness as long as it persists. */
final class MemoryStream implements ByteStream {

    private final MemoryPipe in;
    private final MemoryPipe out;
    private final SocketAddress local;
    private final SocketAddress remote;
    private Optional<StreamEvents> events = Optional.empty();
    private boolean wantsReadable = true;
    private boolean wantsWritable;
    private boolean closed;
    private boolean closedAbortively;
    private boolean reset;
    private Optional<MemoryStream> peer = Optional.empty();
    private int maxBytesPerCall = Integer.MAX_VALUE;
    private Runnable atUse = () -> {};

    MemoryStream(MemoryPipe in, MemoryPipe out, SocketAddress local, SocketAddress remote) {
        this.in = in;
        this.out = out;
        this.local = local;
        this.remote = remote;
    }

    /** Limits each read and write to this number of bytes. */
    void tear(int bytes) {
        maxBytesPerCall = bytes;
    }

    /** Sets a callback that runs whenever the stream is read or written. */
    void atUse(Runnable what) {
        atUse = what;
    }

    /** Breaks the stream: the next use throws. */
    void reset() {
        reset = true;
    }

    /** The other end, for resets. */
    void peer(MemoryStream other) {
        peer = Optional.of(other);
    }

    MemoryPipe out() {
        return out;
    }

    MemoryPipe in() {
        return in;
    }

    boolean closed() {
        return closed;
    }

    boolean closedAbortively() {
        return closedAbortively;
    }

    void events(Optional<StreamEvents> newEvents) {
        events = newEvents;
    }

    /** Reports readiness; returns whether there was any. */
    boolean poll() {
        if (events.isEmpty() || closed) {
            return false;
        }
        boolean readable = wantsReadable && (in.size() > 0 || in.ended() || reset);
        if (readable) {
            events.get().onReadable();
        }
        boolean writable = wantsWritable && (out.space() > 0 || reset);
        if (writable) {
            events.get().onWritable();
        }
        return readable || writable;
    }

    private void check() throws IOException {
        atUse.run();
        if (closed) {
            throw new IOException("the stream is closed");
        }
        if (reset) {
            throw new IOException("connection reset by peer");
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        check();
        if (in.size() == 0) {
            return in.ended() ? END : 0;
        }
        int count = Math.min(Math.min(target.remaining(), in.size()), maxBytesPerCall);
        for (int i = 0; i < count; i++) {
            target.put(in.take());
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        check();
        int count = Math.min(Math.min(source.remaining(), out.space()), maxBytesPerCall);
        for (int i = 0; i < count; i++) {
            out.put(source.get());
        }
        return count;
    }

    @Override
    public void wantWritable(boolean requested) {
        wantsWritable = requested;
    }

    @Override
    public void wantReadable(boolean requested) {
        wantsReadable = requested;
    }

    @Override
    public void shutdownOutput() throws IOException {
        check();
        out.end();
    }

    @Override
    public void close(boolean abortive) {
        closed = true;
        closedAbortively |= abortive;
        out.end();
        if (abortive) {
            peer.ifPresent(MemoryStream::reset);
        }
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remote;
    }
}
