package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.StreamSettings;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.port.ByteStream;
import io.verbena.rnic.RnicContext;
import io.verbena.rnic.SoftConnection;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A connection in RDMA mode: moves bytes between its stream and its {@link IwarpStream}, a budget a turn each way, and sees
 * it to its end.
 *
 * <pre>
 *   stream --read--> target or slab --> IwarpStream --> completions --> events
 *   stream <-write-- tail, then list <-- IwarpStream <-- work queue
 * </pre>
 */
final class RdmaStage extends Stage {

    /** From here on it pays to read payload where it belongs instead of copying it there. */
    private static final int DIRECT_BYTES = 4096;

    /** Once one direction has ended: how long the other may take, counted from the last byte that moved. */
    private static final long CLOSE_NS = 5_000_000_000L;

    /** How long a stream lingers after an error, so that a Terminate message arrives. */
    private static final long LINGER_NS = 1_000_000_000L;

    /** When something that could not be done is tried again. */
    private static final long RETRY_NS = 1_000_000L;

    private final RnicEngine engine;
    private final SoftConnection connection;
    private final ConnectionStream channel;
    private final IwarpStream rdma;

    private Slab held;
    private int heldFrom;
    private int heldTo;

    private long closeByNs = Times.NEVER;
    private boolean outputEnded;
    private boolean peerEnded;
    private boolean faultTold;
    private boolean overflowTold;
    private boolean endingTold;
    private boolean flushed;
    private boolean over;

    private RdmaStage(ConnectionSetUp setUp, ConnectionStream channel, Negotiated negotiated) {
        super(setUp.queuePair());
        engine = setUp.queuePair().engine();
        connection = setUp.connection();
        this.channel = channel;
        held = engine.noSlab();
        RnicContext context = queuePair().context();
        rdma = new IwarpStream(
                StreamSettings.of(negotiated, context.options().maxFpduPayloadBytes()),
                queuePair().work(),
                engine.random());
    }

    /** RDMA mode begins; bytes {@code from} to {@code to} of a slab are its first ones. */
    static void start(
            ConnectionSetUp setUp,
            ConnectionStream channel,
            Negotiated negotiated,
            Slab slab,
            int from,
            int to,
            long nowNs) {
        RdmaStage stage = new RdmaStage(setUp, channel, negotiated);
        setUp.queuePair().begin(stage);
        channel.keepAlive(setUp.keepAliveNs());
        stage.rdma.farewells();
        stage.rdma.keepAlive(setUp.keepAliveNs(), nowNs);
        if (negotiated.initiator()) {
            stage.connection.privateData(negotiated.peerPrivateData().toArray());
        }
        stage.queuePair().established(stage, negotiated);
        if (from < to) {
            // FPDUs that came in one piece with the Reply.
            stage.take(slab, from, to, nowNs);
        }
        stage.ready();
    }

    /** The stream, for flushing what it leaves. */
    IwarpStream rdma() {
        return rdma;
    }

    @Override
    void service(long nowNs) {
        if (over) {
            return;
        }
        if (rdma.suspended()) {
            rdma.resume();
        }
        // What was posted does not wait for a look at the stream, which mostly brings nothing; answers go out behind
        // that.
        int left = transmit(RnicEngine.BYTE_BUDGET, nowNs);
        receive(nowNs);
        transmit(left, nowNs);
        conclude(nowNs);
    }

    // Up.

    private void receive(long nowNs) {
        if (!takeHeld(nowNs)) {
            return;
        }
        int left = RnicEngine.BYTE_BUDGET;
        while (channel.readable()) {
            if (left <= 0) {
                ready();
                return;
            }
            int count = read(left, nowNs);
            if (count == ByteStream.END) {
                onEndOfStream(nowNs);
                return;
            }
            left -= count;
            if (count == 0 || heldFrom < heldTo) {
                return;
            }
            progressed(nowNs);
            if (channel.cameShort()) {
                if (channel.readable()) {
                    // Probably all; answers go out before it is looked again.
                    ready();
                }
                return;
            }
        }
    }

    /** One call: payload that is expected is read where it belongs, everything else into the slab. */
    private int read(int byteBudget, long nowNs) {
        ByteBuffer target = rdma.receiveTarget();
        int direct = target.remaining() >= DIRECT_BYTES ? target.remaining() : 0;
        Slab slab = engine.receiveSlab();
        int room = Math.clamp(byteBudget - direct, 0, slab.capacity());
        ByteBuffer rest = slab.range(0, channel.gathers() ? Math.min(room, rdma.receiveAhead(direct)) : room);
        int count = direct > 0
                ? channel.read(target, rdma.receiveTargetAddress(), rest, slab.address())
                : channel.read(rest, slab.address());
        int filled = Math.clamp(count, 0, direct);
        if (filled > 0) {
            rdma.onFilled(filled, nowNs);
        }
        if (count > filled) {
            take(slab, 0, count - filled, nowNs);
        }
        return count;
    }

    /** Gives bytes to the stream; what it cannot take now is held. */
    private void take(Slab slab, int from, int to, long nowNs) {
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

    /** Gives again what was kept; false when it cannot be taken now either. */
    private boolean takeHeld(long nowNs) {
        if (heldFrom == heldTo) {
            return true;
        }
        heldFrom = rdma.onBytes(held, heldFrom, heldTo, nowNs);
        if (heldFrom < heldTo) {
            return false;
        }
        dropHeld();
        channel.wantReadable(true);
        return true;
    }

    private void dropHeld() {
        heldFrom = 0;
        heldTo = 0;
        if (held != engine.noSlab()) {
            engine.pool().give(held);
            held = engine.noSlab();
        }
    }

    private void onEndOfStream(long nowNs) {
        rdma.onEndOfStream(nowNs);
        if (!endingTold && rdma.ending().map(e -> !e.failed()).orElse(true)) {
            queuePair().closeBegan(ConnectionEvent.PEER_ENDED);
        }
        peerEnded = true;
        progressed(nowNs);
    }

    /** Bytes moved: what is left of a graceful close has its time again. */
    private void progressed(long nowNs) {
        if ((outputEnded || peerEnded) && !endingTold) {
            closeByNs = Times.after(nowNs, CLOSE_NS);
        }
    }

    // Down.

    /** Sends within a budget; returns what is left of it. */
    private int transmit(int byteBudget, long nowNs) {
        int left = byteBudget;
        if (!channel.drained()) {
            if (!channel.writeTail()) {
                return left;
            }
            rdma.onTailLeft(nowNs);
            progressed(nowNs);
        }
        TransmitList list = engine.transmitList();
        while (channel.writable() && rdma.hasTransmitWork(nowNs)) {
            if (left <= 0) {
                ready();
                return left;
            }
            list.reset();
            list.gathered(channel.gathers());
            rdma.fillTransmit(list, left, nowNs);
            int bytes = list.bytes();
            if (bytes == 0) {
                // Local work only, or memory is awaited.
                return left;
            }
            int units = channel.write(list);
            rdma.onTransmitted(list, units, !channel.drained(), nowNs);
            if (units > 0) {
                progressed(nowNs);
            }
            left -= bytes;
        }
        return left;
    }

    // Ends.

    private void conclude(long nowNs) {
        tellFaults(nowNs);
        endOutput(nowNs);
        Optional<Ending> ending = rdma.ending();
        if (ending.isPresent() && !endingTold) {
            onEnding(ending.get(), nowNs);
        }
        if (endingTold && !flushed) {
            flushed = queuePair().flushed();
        }
        queuePair().completed();
        if (endingTold && mayFinish(nowNs)) {
            finish(ending.orElseThrow());
            return;
        }
        long next = Times.earlier(streamDeadlineNs(nowNs), closeByNs);
        if (rdma.suspended()) {
            engine.awaitMemory(queuePair());
            next = Times.earlier(next, Times.after(nowNs, RETRY_NS));
        }
        deadline(next);
        if (endingTold && channel.writable() && rdma.hasTransmitWork(nowNs)) {
            // A Terminate message.
            ready();
        }
    }

    private void endOutput(long nowNs) {
        if (!outputEnded && channel.drained() && rdma.shutdownDue()) {
            outputEnded = true;
            channel.shutdownOutput();
            rdma.onShutdown();
            progressed(nowNs);
        } else if (closeByNs == Times.NEVER && rdma.farewellDue()) {
            // A stream that does not even take the farewell does not keep a close from ending.
            closeByNs = nowNs + CLOSE_NS;
        }
    }

    /** When the stream wants to be served; what it could not do just now waits for room, and does not spin. */
    private long streamDeadlineNs(long nowNs) {
        long next = rdma.nextDeadlineNs();
        if (!Times.due(next, nowNs)) {
            return next;
        }
        return channel.writable() ? Times.after(nowNs, RETRY_NS) : Times.NEVER;
    }

    private void tellFaults(long nowNs) {
        if (!faultTold && !channel.fault().isEmpty()) {
            faultTold = true;
            if (channel.memoryFault()) {
                rdma.onMemoryLost(channel.fault());
            }
            if (channel.peerSilent()) {
                rdma.onSilent("The peer has vanished: " + channel.fault(), nowNs);
            } else {
                rdma.onBroken(channel.fault(), nowNs);
            }
        }
        if (!overflowTold && queuePair().queues().overflowed()) {
            overflowTold = true;
            queuePair().overflowed();
            rdma.abort("A completion queue of this queue pair overflowed.");
        }
    }

    private void onEnding(Ending ending, long nowNs) {
        endingTold = true;
        ending.termination().ifPresent(connection::termination);
        queuePair().onEnding(ending);
        closeByNs = Times.after(nowNs, LINGER_NS);
        // What the peer still sends is taken and ignored, so that its last word is not lost to a reset.
        channel.wantReadable(true);
    }

    private boolean mayFinish(long nowNs) {
        return faultTold || rdma.finished() && channel.drained() || Times.due(closeByNs, nowNs);
    }

    private void finish(Ending ending) {
        boolean orderly = rdma.finished() && !faultTold && !ending.abrupt();
        leave(!orderly);
        queuePair()
                .streamClosed(this, ending.failed() ? ending.sentence() : "The connection was closed in good order.");
    }

    private void leave(boolean abortive) {
        over = true;
        queuePair().end(this);
        dropHeld();
        channel.close(abortive);
    }

    @Override
    void onDeadline(long nowNs) {
        if (Times.due(rdma.nextDeadlineNs(), nowNs)) {
            rdma.onDeadline(nowNs);
        }
        if (!endingTold && Times.due(closeByNs, nowNs)) {
            closeByNs = Times.NEVER;
            rdma.onSilent(
                    peerEnded
                            ? "The peer closed its side and did not take what was left for it."
                            : "The peer did not close its side in time.",
                    nowNs);
        }
    }

    @Override
    void abort(String sentence, long nowNs) {
        rdma.abort(sentence);
        conclude(nowNs);
    }

    @Override
    void disconnect(long nowNs) {
        if (!endingTold) {
            queuePair().closeBegan(ConnectionEvent.DISCONNECT);
            rdma.disconnect(nowNs);
            ready();
        }
    }

    @Override
    void onBug(String sentence, long nowNs) {
        if (over) {
            return;
        }
        rdma.abort(sentence);
        leave(true);
        queuePair().onStreamBug(this, sentence);
    }

    @Override
    long stateDigest() {
        long flags = (outputEnded ? 1 : 0)
                | (faultTold ? 2 : 0)
                | (endingTold ? 4 : 0)
                | (flushed ? 8 : 0)
                | (peerEnded ? 16 : 0)
                | (overflowTold ? 32 : 0);
        long digest = Digest.mix(Digest.mix(rdma.stateDigest(), flags), closeByNs);
        return Digest.mix(Digest.mix(digest, channel.stateDigest()), heldTo - heldFrom);
    }
}
