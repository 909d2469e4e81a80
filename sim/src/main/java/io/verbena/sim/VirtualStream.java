package io.verbena.sim;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One end of a virtual connection. It behaves like a TCP socket with a selector: readiness is reported repeatedly while
 * it lasts, an error counts as readiness, closing with unread bytes resets the connection, and so does data for a
 * closed end.
 */
class VirtualStream implements ByteStream {

    private static final int FIRST_REPEAT_NS = 5_000;
    private static final int MOST_DOUBLINGS = 8;

    /** Maximum number of consecutive reports of readiness without a reaction. */
    private static final int MOST_REPEATS = 2_000;

    private final Run run;
    private final Link link;
    private final String name;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;

    private @Nullable VirtualPipe in;
    private @Nullable VirtualPipe out;

    private @Nullable VirtualLoop loop;
    private @Nullable StreamEvents events;
    private boolean wantsReadable;
    private boolean wantsWritable;
    private boolean lookScheduled;
    private int repeats;

    private Optional<Breakage> broken = Optional.empty();
    private boolean outputEnded;
    private boolean closed;
    private boolean vanished;

    VirtualStream(Run run, Link link, String name, InetSocketAddress local, InetSocketAddress remote) {
        this.run = run;
        this.link = link;
        this.name = name;
        this.local = local;
        this.remote = remote;
    }

    void pipes(VirtualPipe newIn, VirtualPipe newOut) {
        in = newIn;
        out = newOut;
    }

    VirtualPipe in() {
        return java.util.Objects.requireNonNull(in);
    }

    VirtualPipe out() {
        return java.util.Objects.requireNonNull(out);
    }

    boolean closed() {
        return closed;
    }

    Link link() {
        return link;
    }

    // The loop.

    void attach(VirtualLoop newLoop, StreamEvents newEvents) {
        if (loop != null && loop != newLoop) {
            throw new IllegalStateException(this + " is attached to another engine: detach it there first");
        }
        if (vanished) {
            return;
        }
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
        loop = newLoop;
        events = newEvents;
        wantsReadable = true;
        wantsWritable = false;
        repeats = 0;
        lookSoon(0);
    }

    void detach(VirtualLoop oldLoop) {
        if (loop == oldLoop) {
            loop = null;
            events = null;
        }
    }

    private boolean readable() {
        return broken.isPresent() || toRead();
    }

    /** Whether bytes or the end of the stream are available. */
    boolean toRead() {
        return in().arrived() > 0 || in().ended();
    }

    private boolean writable() {
        return broken.isPresent() || !outputEnded && hasRoom();
    }

    /** Whether a write is useful. */
    boolean hasRoom() {
        return out().room() > 0;
    }

    /** Whether received bytes were not read. */
    boolean unread() {
        return in().arrived() > 0;
    }

    final VirtualStream peer() {
        return link.peerOf(this);
    }

    private boolean toTell() {
        return events != null && (wantsReadable && readable() || wantsWritable && writable());
    }

    /** The state changed: reports readiness after a delay, if it still applies then. */
    void lookSoon(long delayNs) {
        if (!lookScheduled && toTell()) {
            lookScheduled = true;
            run.after(delayNs + run.weather().readinessDelayNs(), this::look);
        }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is still attached to the same owner
    private void look() {
        lookScheduled = false;
        VirtualLoop currentLoop = loop;
        StreamEvents owner = events;
        if (currentLoop == null || owner == null || currentLoop.dead() || !toTell()) {
            return;
        }
        if (++repeats > MOST_REPEATS) {
            run.fail(this + " was reported " + (wantsReadable && readable() ? "readable" : "writable") + " "
                    + MOST_REPEATS + " times without a reaction: a busy loop");
        }
        long againNs = (long) FIRST_REPEAT_NS << Math.min(repeats, MOST_DOUBLINGS);
        currentLoop.driver().enter(() -> {
            if (wantsWritable && writable()) {
                owner.onWritable();
            }
            if (events == owner && wantsReadable && readable()) {
                owner.onReadable();
            }
        });
        lookSoon(againNs);
    }

    // The stream.

    /** Precedes each read. */
    final void beforeRead() throws IOException {
        checkUse();
        repeats = 0;
    }

    final void throwIfBroken() throws IOException {
        if (broken.isPresent()) {
            throw broken.get().onRead();
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        assert target.isDirect() : "reading needs a direct buffer";
        assert target.hasRemaining() : "reading into a full buffer never transfers a byte";
        beforeRead();
        VirtualPipe from = in();
        if (from.arrived() == 0) {
            throwIfBroken();
            return from.ended() ? END : 0;
        }
        int count = from.read(target);
        if (count > 0) {
            link.peerOf(this).lookSoon(run.weather().packetDelayNs());
        }
        lookSoon(0);
        return count;
    }

    /** Precedes each write. */
    final void beforeWrite() throws IOException {
        checkUse();
        repeats = 0;
        if (broken.isPresent()) {
            throw broken.get().onWrite();
        }
        if (outputEnded) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        assert source.isDirect() : "writing needs a direct buffer";
        beforeWrite();
        int count = out().write(source);
        lookSoon(0);
        return count;
    }

    @Override
    public void wantWritable(boolean wanted) {
        wantsWritable = wanted;
        repeats = 0;
        lookSoon(0);
    }

    @Override
    public void wantReadable(boolean wanted) {
        wantsReadable = wanted;
        repeats = 0;
        lookSoon(0);
    }

    @Override
    public void shutdownOutput() throws IOException {
        checkUse();
        if (broken.isPresent()) {
            throw broken.get().onRead();
        }
        if (!outputEnded) {
            outputEnded = true;
            out().end();
        }
    }

    @Override
    public void close(boolean abortive) {
        if (closed) {
            return;
        }
        closed = true;
        loop = null;
        events = null;
        boolean unread = unread();
        if (broken.isPresent()) {
            run.log(() -> name + " closed");
        } else if (abortive || unread) {
            run.log(() -> name + (abortive ? " closed at once: reset" : " closed with unread bytes: reset"));
            link.sendReset(this, abortive);
        } else {
            run.log(() -> name + " closed");
            if (!outputEnded) {
                outputEnded = true;
                out().end();
            }
        }
    }

    private void checkUse() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        assert loop == null || loop.dead() || loop.driver().inside() : this + " is used outside its engine's turn";
    }

    // From the network.

    /** Bytes or the end have arrived. */
    void onArrival() {
        if (closed) {
            // TCP responds to data for a closed socket with a reset.
            if (in().arrived() > 0) {
                link.sendReset(this, false);
            }
            return;
        }
        lookSoon(0);
    }

    /** The connection is broken from here on. */
    void onBroken(Breakage breakage) {
        if (broken.isEmpty()) {
            broken = Optional.of(breakage);
            in().kill(run.weather().resetDropsUnread());
            run.log(() -> name + " broken: " + breakage);
            lookSoon(0);
        }
    }

    /** The RNIC of this end is gone. */
    void vanish() {
        vanished = true;
        closed = true;
        loop = null;
        events = null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public String toString() {
        return "stream " + name;
    }
}
