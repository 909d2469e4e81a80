package io.verbena.rnic.iwarp;

import io.verbena.base.Slab;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.IwarpStream;

/**
 * The receiving direction of a connection in RDMA mode, from its stream to its {@link IwarpStream}. There is one
 * implementation for each shape of stream. Bytes that the IwarpStream cannot process now, because memory is not
 * available, are held.
 */
abstract class Reception {

    private final RnicEngine engine;
    private final ConnectionStream channel;
    private final IwarpStream rdma;

    private Slab held;
    private int heldFrom;
    private int heldTo;

    Reception(RnicEngine engine, ConnectionStream channel, IwarpStream rdma) {
        this.engine = engine;
        this.channel = channel;
        this.rdma = rdma;
        held = engine.noSlab();
    }

    final RnicEngine engine() {
        return engine;
    }

    final ConnectionStream channel() {
        return channel;
    }

    final IwarpStream rdma() {
        return rdma;
    }

    /** Begins with bytes {@code from} to {@code to} of a slab, which were read together with the last start-up frame. */
    void begin(Slab slab, int from, int to, long nowNs) {
        if (from < to) {
            take(slab, from, to, nowNs);
        }
    }

    /** Messages in short form precede bytes, or follow them, from now on. */
    void messages(ShortChannel taken) {
        throw new AssertionError("a stream of segments has no messages in short form");
    }

    /** Tries again what was not possible because memory was not available. Precedes {@link #receive} in each service. */
    void resume(long nowNs) {
        if (heldFrom < heldTo) {
            heldFrom = rdma.onBytes(held, heldFrom, heldTo, nowNs);
            if (heldFrom == heldTo) {
                dropHeld();
                channel.wantReadable(true);
            }
        }
    }

    /** Whether nothing can be received before memory is available. */
    boolean blocked() {
        return heldFrom < heldTo;
    }

    /**
     * Receives within a budget. Returns the number of bytes; 0 if none are available or the stream broke; {@link
     * io.verbena.port.ByteStream#END} once, when the peer has ended its direction.
     */
    abstract int receive(int byteBudget, long nowNs);

    /** Passes bytes to the stream; bytes that it cannot process now are held. */
    final void take(Slab slab, int from, int to, long nowNs) {
        int stop = rdma.onBytes(slab, from, to, nowNs);
        if (stop == to) {
            return;
        }
        held = engine.pool().take(to - stop);
        held.segment().asSlice(0, to - stop).copyFrom(slab.segment().asSlice(stop, to - stop));
        heldFrom = 0;
        heldTo = to - stop;
        channel.wantReadable(false);
    }

    /** A hash of all state that determines further behaviour. */
    long stateDigest() {
        return (long) heldTo - heldFrom;
    }

    final void dropHeld() {
        heldFrom = 0;
        heldTo = 0;
        if (held != engine.noSlab()) {
            engine.pool().give(held);
            held = engine.noSlab();
        }
    }
}
