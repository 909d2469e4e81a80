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
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.Figures;
import io.verbena.verbs.IwarpOptions;
import io.verbena.verbs.QueuePair;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * A connection in RDMA mode: moves bytes between its stream and its {@link IwarpStream}, within a budget per turn and
 * direction, and ends the connection.
 *
 * <pre>
 *   stream --> Reception --> IwarpStream --> completions --> events
 *   stream <-write-- tail, then list <-- IwarpStream <-- work queue
 * </pre>
 */
final class RdmaStage extends Stage {

    /** After one direction has ended: maximum time for the other to end, measured from the last byte transferred. */
    private static final long CLOSE_NS = 5_000_000_000L;

    /** Time that a stream lingers after an error for the peer to close it too. */
    private static final long LINGER_NS = 1_000_000_000L;

    /**
     * A stream lingers longer, up to this time, until the TCP of the peer has acknowledged the Terminate message: closing it would
     * discard a message that TCP still repeats. Covers six losses of it in a row with the usual timeouts.
     */
    private static final long LONGEST_LINGER_NS = 15_000_000_000L;

    private static final long LINGER_CHECK_NS = 100_000_000L;

    /** Time for the peer to copy what was lent to it, before the work that is flushed. */
    private static final long RETURN_NS = 100_000_000L;

    /** Interval of retries. */
    private static final long RETRY_NS = 1_000_000L;

    private final RnicEngine engine;
    private final SoftConnection connection;
    private final long keepAliveNs;
    private final ConnectionStream channel;
    private final IwarpStream rdma;
    private final Reception reception;
    private Optional<DirectChannel> direct = Optional.empty();

    private long closeByNs = Times.NEVER;
    private long lingerByNs = Times.NEVER;
    private long returnByNs = Times.NEVER;
    private boolean outputEnded;
    private boolean peerEnded;
    private boolean aborted;
    private boolean limiting;
    private boolean faultReported;
    private boolean overflowReported;
    private boolean endingReported;
    private boolean flushed;
    private boolean over;

    /** A stage that begins with {@link #start}. */
    RdmaStage(ConnectionSetUp setUp, ConnectionStream channel, Negotiated negotiated) {
        super(setUp.queuePair());
        engine = setUp.queuePair().engine();
        connection = setUp.connection();
        keepAliveNs = setUp.keepAliveNs();
        this.channel = channel;
        RnicContext context = queuePair().context();
        IwarpOptions options = context.options().iwarp();
        rdma = new IwarpStream(
                StreamSettings.of(negotiated, options.maxFpduPayloadBytes(), channel.segmentBytes())
                        .withGuesses(options.guesses()),
                queuePair().workContext(),
                engine.random());
        reception = channel.deliversSegments()
                ? new SegmentReception(engine, channel, rdma)
                : new ByteReception(engine, channel, rdma);
    }

    /** Begins RDMA mode. Bytes {@code from} to {@code to} of a slab are the first ones received. */
    void start(Negotiated negotiated, Slab slab, int from, int to, long nowNs) {
        queuePair().begin(this);
        channel.keepAlive(keepAliveNs);
        channel.lend();
        rdma.farewells();
        rdma.keepAlive(keepAliveNs, nowNs);
        if (negotiated.initiator()) {
            connection.privateData(negotiated.peerPrivateData().toArray());
        }
        queuePair().established(this, negotiated);
        // After the rights of the peer were set, which revokes what was granted before.
        direct = DirectChannel.begin(
                channel.peerMemory(),
                rdma,
                queuePair().context(),
                queuePair().workContext().domain());
        // FPDUs may have arrived together with the Reply.
        reception.begin(slab, from, to, nowNs);
        ready();
    }

    /** The stream, for flushing its remaining work. */
    IwarpStream rdma() {
        return rdma;
    }

    /** Adds what is known about the path to the peer. Any thread. */
    void describePath(Figures.Builder figures) {
        channel.figures().ifPresent(path -> PathReport.add(figures, path, rdma));
    }

    @Override
    void service(long nowNs) {
        if (over) {
            return;
        }
        if (rdma.suspended()) {
            rdma.resume();
        }
        takeReturns(nowNs);
        if (direct.isPresent()) {
            direct.get().request();
        }
        // Posted work is sent before the stream is read, which often has no bytes. Responses are sent after the read.
        int left = transmit(RnicEngine.BYTE_BUDGET, nowNs);
        receive(nowNs);
        if (direct.isPresent() && !reception.blocked() && !rdma.suspended()) {
            direct.get().processed();
        }
        transmit(left, nowNs);
        conclude(nowNs);
    }

    // Receiving.

    private void receive(long nowNs) {
        reception.resume(nowNs);
        int left = RnicEngine.BYTE_BUDGET;
        while (!reception.blocked() && channel.readable()) {
            if (left <= 0) {
                ready();
                return;
            }
            int count = reception.receive(left, nowNs);
            if (count == ByteStream.END) {
                onEndOfStream(nowNs);
                return;
            }
            left -= count;
            if (count == 0 || reception.blocked()) {
                return;
            }
            progressed(nowNs);
            if (channel.shortRead()) {
                if (channel.readable()) {
                    // Probably all bytes were read. Send responses before reading again.
                    ready();
                }
                return;
            }
        }
    }

    private void onEndOfStream(long nowNs) {
        if (channel.abandoned()) {
            rdma.onAbandoned();
        }
        rdma.onEndOfStream(nowNs);
        if (!endingReported && rdma.ending().map(e -> !e.failed()).orElse(true)) {
            queuePair().closeBegan(ConnectionEvent.PEER_ENDED);
        }
        peerEnded = true;
        progressed(nowNs);
    }

    /** Extends the deadline of a graceful close after bytes were transferred. */
    private void progressed(long nowNs) {
        if ((outputEnded || peerEnded) && !endingReported) {
            closeByNs = Times.after(nowNs, CLOSE_NS);
        }
    }

    // Sending.

    /** Sends within a budget; returns the rest of the budget. */
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
            int direct = rdma.takeDirectBytes();
            left -= direct;
            if (bytes == 0 && direct > 0) {
                progressed(nowNs);
                continue;
            }
            if (bytes == 0) {
                // Only local work was done, or memory is being fetched.
                return left;
            }
            int units = channel.write(list);
            if (channel.lentMore()) {
                rdma.onLent(channel.lent());
            }
            rdma.onTransmitted(list, units, !channel.drained(), nowNs);
            if (units > 0) {
                progressed(nowNs);
            }
            left -= bytes;
        }
        return left;
    }

    // Loans.

    private void takeReturns(long nowNs) {
        if (rdma.lends()) {
            rdma.onReturned(channel.returned());
            if (!rdma.lends()) {
                progressed(nowNs);
            }
        }
    }

    /**
     * Whether work may be flushed: the peer has copied what was lent to it, or does not use it. A peer that is to receive a
     * Terminate message has some time to copy what precedes that message.
     */
    private boolean loansOver(Ending ending, long nowNs) {
        if (!rdma.lends()) {
            return true;
        }
        if (aborted || faultReported || ending.kind() != Ending.Kind.TERMINATED_BY_US || Times.due(returnByNs, nowNs)) {
            channel.withdraw();
            rdma.onWithdrawn();
            return true;
        }
        if (returnByNs == Times.NEVER) {
            returnByNs = Times.after(nowNs, RETURN_NS);
        }
        return false;
    }

    /** Whether work may be flushed, as far as the peer is concerned: it accesses no memory of this side directly any more. */
    private boolean grantsOver() {
        return direct.isEmpty() || direct.get().ended();
    }

    @Override
    boolean limitPeer(Set<AccessRight> rights) {
        rdma.peerRights(rights);
        limiting = peerUsesOldRights();
        ready();
        return !limiting;
    }

    private boolean peerUsesOldRights() {
        return direct.isPresent() && !direct.get().left();
    }

    @Override
    int writeNow(ByteSource source, int most, long address, int key) throws IOException {
        if (over || direct.isEmpty() || rdma.ending().isPresent()) {
            return QueuePair.IMPOSSIBLE;
        }
        int written = direct.get().write(source, most, address, key);
        if (written == QueuePair.IMPOSSIBLE) {
            ready(); // the grant is requested in a turn
        }
        return written;
    }

    // Ends.

    private void conclude(long nowNs) {
        reportFaults(nowNs);
        endOutput(nowNs);
        Optional<Ending> ending = rdma.ending();
        boolean peerInside = false;
        if (ending.isPresent() && !endingReported) {
            peerInside = !grantsOver();
            if (loansOver(ending.get(), nowNs) && !peerInside) {
                onEnding(ending.get(), nowNs);
            }
        }
        if (limiting && !peerUsesOldRights()) {
            limiting = false;
            queuePair().limited();
        }
        if (endingReported && !flushed) {
            flushed = queuePair().flushOrRetry();
        }
        queuePair().settle();
        if (endingReported) {
            queuePair().flushed();
        }
        if (endingReported && mayFinish(nowNs)) {
            finish(ending.orElseThrow());
            return;
        }
        long next = Times.earlier(
                streamDeadlineNs(nowNs), endingReported ? closeByNs : Times.earlier(closeByNs, returnByNs));
        if (peerInside || limiting) {
            next = Times.earlier(next, Times.after(nowNs, RETRY_NS));
        }
        if (rdma.suspended()) {
            engine.awaitMemory(queuePair());
            next = Times.earlier(next, Times.after(nowNs, RETRY_NS));
        }
        deadline(next);
        if (endingReported && channel.writable() && rdma.hasTransmitWork(nowNs)) {
            // A Terminate message is pending.
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
            // A stream that does not accept the farewell must not delay the close.
            closeByNs = Times.after(nowNs, CLOSE_NS);
        }
    }

    /**
     * The time at which the stream is to be served. Work that could not be sent waits for writability and is not
     * retried in a loop. The keep-alive continues: a peer that has stopped never makes its stream writable.
     */
    private long streamDeadlineNs(long nowNs) {
        long next = rdma.nextDeadlineNs();
        if (!Times.due(next, nowNs)) {
            return next;
        }
        return channel.writable() ? Times.after(nowNs, RETRY_NS) : rdma.keepAliveDeadlineNs();
    }

    private void reportFaults(long nowNs) {
        if (!faultReported && !channel.fault().isEmpty()) {
            faultReported = true;
            if (channel.memoryFault()) {
                rdma.onMemoryLost(channel.fault());
            }
            if (channel.peerSilent()) {
                rdma.onSilent("The peer has vanished: " + channel.fault(), nowNs);
            } else {
                rdma.onBroken(channel.fault(), nowNs);
            }
        }
        if (!overflowReported && queuePair().queues().overflowed()) {
            overflowReported = true;
            queuePair().reportOverflow();
            rdma.abort("A completion queue of this queue pair overflowed.");
        }
    }

    private void onEnding(Ending ending, long nowNs) {
        endingReported = true;
        ending.termination().ifPresent(connection::termination);
        queuePair().onEnding(ending);
        closeByNs = Times.after(nowNs, LINGER_NS);
        lingerByNs = Times.after(nowNs, ending.abrupt() ? LINGER_NS : LONGEST_LINGER_NS);
        // Bytes of the peer are read and discarded, so that the last message sent to it is not lost to a reset.
        channel.wantReadable(true);
    }

    private boolean mayFinish(long nowNs) {
        return faultReported || rdma.finished() && channel.drained() || lingered(nowNs);
    }

    private boolean lingered(long nowNs) {
        if (!Times.due(closeByNs, nowNs)) {
            return false;
        }
        if (Times.due(lingerByNs, nowNs) || channel.acknowledged()) {
            return true;
        }
        closeByNs = Times.after(nowNs, LINGER_CHECK_NS);
        return false;
    }

    private void finish(Ending ending) {
        boolean orderly = rdma.finished() && !faultReported && !ending.abrupt();
        leave(!orderly);
        queuePair().streamClosed(this, ending.failed() ? ending.sentence() : "The connection was closed gracefully.");
    }

    private void leave(boolean abortive) {
        over = true;
        queuePair().end(this);
        reception.dropHeld();
        channel.close(abortive);
    }

    @Override
    void onDeadline(long nowNs) {
        if (Times.due(rdma.nextDeadlineNs(), nowNs)) {
            rdma.onDeadline(nowNs);
        }
        if (!endingReported && Times.due(closeByNs, nowNs)) {
            if (rdma.suspended()) {
                // This side waits for memory and does not serve the stream; the peer is not late.
                closeByNs = Times.after(nowNs, CLOSE_NS);
                return;
            }
            closeByNs = Times.NEVER;
            rdma.onSilent(
                    peerEnded
                            ? "The peer closed its side and did not accept the remaining data in time."
                            : "The peer did not close its side in time.",
                    nowNs);
        }
    }

    @Override
    boolean abort(String sentence, long nowNs) {
        aborted = true;
        rdma.abort(sentence);
        conclude(nowNs);
        return endingReported;
    }

    @Override
    void disconnect(long nowNs) {
        if (!endingReported) {
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
        over = true;
        // Each step is executed whatever the bug has left of the state: the first one takes back what the peer may
        // access.
        try {
            channel.close(true);
        } finally {
            try {
                reception.dropHeld();
                rdma.abort(sentence);
            } finally {
                queuePair().onStreamBug(this, sentence);
            }
        }
    }

    @Override
    boolean peerLeft() {
        return direct.isEmpty() || direct.get().left();
    }

    @Override
    long stateDigest() {
        long flags = Digest.flags(outputEnded, faultReported, endingReported, flushed, peerEnded, overflowReported);
        long digest = Digest.mix(Digest.mix(Digest.mix(rdma.stateDigest(), flags), closeByNs), lingerByNs);
        return Digest.mix(Digest.mix(digest, channel.stateDigest()), reception.stateDigest());
    }
}
