package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.StreamSettings;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.port.ByteStream;
import io.verbena.queue.Wqe;
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
 * direction. {@link EndingStage} ends it, and moves bytes by the methods of this stage until then.
 *
 * <pre>
 *   stream --> Reception --> IwarpStream --> completions --> events
 *   stream &lt;-write-- tail, then list &lt;-- IwarpStream &lt;-- work queue
 * </pre>
 *
 * <p>Over 500 lines: it is all that serves a stream in a turn, and what other threads ask of it between turns.
 */
final class RdmaStage extends Stage {

    /** Interval of retries. */
    static final long RETRY_NS = 1_000_000L;

    private final RnicEngine engine;
    private final SoftConnection connection;
    private final long keepAliveNs;

    /** After one direction has ended: maximum time for the other to end, measured from the last byte transferred. */
    private final long closeNs;

    private final ConnectionStream channel;
    private final IwarpStream rdma;
    private final Reception reception;
    private final Optional<Continuation> survivor;
    private Optional<DirectChannel> direct = Optional.empty();
    private Optional<ShortChannel> messages = Optional.empty();

    private long closeByNs = Times.NEVER;
    private boolean outputEnded;
    private boolean peerEnded;

    private boolean peerCloseReported;
    private boolean faultReported;
    private boolean overflowReported;
    private boolean closedTooLate;

    /** A stage that begins with {@link #start}. */
    RdmaStage(ConnectionSetUp setUp, ConnectionStream channel, Negotiated negotiated, Optional<Continuation> survivor) {
        super(setUp.queuePair());
        engine = setUp.queuePair().engine();
        connection = setUp.connection();
        long silenceNs = setUp.silenceNs(survivor.isPresent());
        keepAliveNs = survivor.isPresent() ? survivor.get().silenceNs(silenceNs) : silenceNs;
        this.channel = channel;
        this.survivor = survivor;
        RnicContext context = queuePair().context();
        IwarpOptions options = context.options().iwarp();
        closeNs = Times.nanos(options.closeTimeout());
        rdma = new IwarpStream(
                StreamSettings.of(negotiated, options.maxFpduPayloadBytes(), channel.segmentBytes())
                        .withGuesses(options.guesses()),
                queuePair().workContext(),
                engine.random(),
                survivor.map(Continuation::work));
        reception = channel.deliversSegments()
                ? new SegmentReception(engine, channel, rdma)
                : new ByteReception(engine, channel, rdma);
    }

    /** Begins RDMA mode. Bytes {@code from} to {@code to} of a slab are the first ones received. */
    void start(Negotiated negotiated, Slab slab, int from, int to, long nowNs) {
        queuePair().begin(this);
        if (keepAliveNs > 0) {
            channel.keepAlive(keepAliveNs); // otherwise a stream that was taken over keeps the option of its program
        }
        rdma.farewells();
        rdma.keepAlive(keepAliveNs, nowNs);
        survivor.ifPresent(it -> rdma.suspectAfter(it.standbyNs(), nowNs));
        queuePair().established(this, negotiated);
        if (survivor.isEmpty()) {
            beginDirect();
        }
        // FPDUs may have arrived together with the Reply.
        reception.begin(slab, from, to, nowNs);
        messages = channel.messages(rdma);
        if (messages.isPresent()) {
            reception.messages(messages.get());
            messages.get().begin(this::takeMessages);
            rdma.shortMessages(nowNs);
        }
        ready();
        survivor.ifPresent(it -> it.carried(true, nowNs));
    }

    /** Work bypasses engines from now on. That of a connection that survives does not: engines count it. */
    private void beginDirect() {
        // After the rights of the peer were set, which revokes what was granted before.
        direct = DirectChannel.begin(channel.peerMemory(), rdma, queuePair());
        channel.lend();
        channel.frames().ifPresent(rdma::frames);
        queuePair().executePosts(rdma.executed());
    }

    /** The stream, for flushing its remaining work. */
    IwarpStream rdma() {
        return rdma;
    }

    ConnectionStream channel() {
        return channel;
    }

    /** Direct access of the sides to memory of each other, if they have it. */
    Optional<DirectChannel> direct() {
        return direct;
    }

    @Override
    void describePath(Figures.Builder figures) {
        channel.figures().ifPresent(path -> PathReport.add(figures, path, rdma));
    }

    @Override
    void service(long nowNs) {
        move(nowNs);
        conclude(nowNs);
    }

    /** Moves bytes in both directions, within the budgets of a turn. */
    void move(long nowNs) {
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
            direct.get().reportProcessed();
        }
        rdma.onRead(channel.readable(), nowNs);
        transmit(left, nowNs);
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

    /** Messages in short form have arrived: each is placed and completed at once, if nothing has to be waited for. */
    private int takeMessages() {
        if (outputEnded || peerEnded || reception.blocked() || rdma.suspended() || !engine.beginArrival()) {
            return 0;
        }
        int taken = 0;
        try {
            taken = messages.orElseThrow().take();
            if (direct.isPresent() && taken > 0) {
                direct.get().reportProcessed();
            }
            queuePair().settle();
        } catch (Throwable e) {
            queuePair().bug("taking a message", e);
        } finally {
            engine.endArrival();
        }
        return taken;
    }

    private void onEndOfStream(long nowNs) {
        if (channel.abandoned()) {
            rdma.onAbandoned();
        }
        rdma.onEndOfStream(nowNs);
        if (rdma.ending().map(e -> !e.failed()).orElse(true)) {
            reportPeerClose();
        }
        peerEnded = true;
        progressed(nowNs);
    }

    private void reportPeerClose() {
        if (!peerCloseReported) {
            peerCloseReported = true;
            queuePair().closeBegan(ConnectionEvent.PEER_ENDED);
        }
    }

    /** Extends the deadline of a graceful close after bytes were transferred. */
    private void progressed(long nowNs) {
        if (outputEnded || peerEnded || rdma.awaitsPeer()) {
            closeByNs = Times.after(nowNs, closeNs);
        }
    }

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
            if (channel.noteLent()) {
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

    private void takeReturns(long nowNs) {
        if (rdma.lends()) {
            rdma.onReturned(channel.returned());
            if (!rdma.lends()) {
                progressed(nowNs);
            }
        }
    }

    @Override
    boolean limitPeer(Set<AccessRight> rights) {
        rdma.peerRights(rights);
        ready();
        return peerLeft();
    }

    @Override
    boolean peerLeft() {
        return direct.isEmpty() || direct.get().left();
    }

    @Override
    int writeNow(ByteSource source, int most, long address, int key) throws IOException {
        if (direct.isEmpty() || rdma.ending().isPresent()) {
            return QueuePair.IMPOSSIBLE;
        }
        int written = direct.get().write(source, most, address, key);
        if (written == QueuePair.IMPOSSIBLE) {
            ready(); // the grant is requested in a turn
        }
        return written;
    }

    @Override
    boolean execute(Wqe posted) {
        return channel.writable() && !outputEnded && !peerEnded && rdma.execute(posted);
    }

    @Override
    void resetIfKilled(boolean reset) {
        channel.resetIfKilled(reset);
    }

    // Ends.

    private void conclude(long nowNs) {
        settleStream(nowNs);
        if (rdma.ending().isPresent()) {
            // Through shared memory the end of a process is certain, and it does not come back.
            boolean gone = rdma.peerExited() && channel.throughMemory();
            if (survivor.isPresent() && rdma.survivable() && !closedTooLate && !gone) {
                boolean exited = rdma.peerExited() || channel.peerReset();
                CloseProgress progress = CloseProgress.of(rdma.complete(), rdma.bothComplete());
                survivor.get().streamEnded(rdma.ending().get(), exited, progress, nowNs);
            } else {
                end().conclude(nowNs);
            }
            return;
        }
        queuePair().reportLimited(this);
        queuePair().settle();
        await(nowNs, closeByNs);
    }

    /** Makes the stage that ends the connection the current one. */
    private EndingStage end() {
        queuePair().endSurvival();
        EndingStage next = new EndingStage(this, connection);
        queuePair().follow(next);
        return next;
    }

    /** Passes on faults of the stream and of the completion queues, and ends the output when that is due. */
    void settleStream(long nowNs) {
        if (rdma.peerCloses() && rdma.ending().isEmpty()) {
            reportPeerClose();
        }
        reportFaults(nowNs);
        endOutput(nowNs);
    }

    /** Waits for events of the stream, at most until a time. */
    void await(long nowNs, long untilNs) {
        long next = Times.earlier(streamDeadlineNs(nowNs), untilNs);
        if (queuePair().access().is(PeerAccess.State.LIMITING)) {
            next = Times.earlier(next, Times.after(nowNs, RETRY_NS));
        }
        if (rdma.suspended()) {
            engine.awaitMemory(queuePair());
            next = Times.earlier(next, Times.after(nowNs, RETRY_NS));
        }
        deadline(next);
    }

    private void endOutput(long nowNs) {
        if (!outputEnded && channel.drained() && rdma.shutdownDue()) {
            outputEnded = true;
            channel.shutdownOutput();
            rdma.onShutdown();
            progressed(nowNs);
        } else if (closeByNs == Times.NEVER && (rdma.farewellDue() || rdma.awaitsPeer())) {
            // Neither a stream that does not accept the farewell nor a peer that has none delays the close without end.
            closeByNs = Times.after(nowNs, closeNs);
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
        boolean moreToRead = channel.readable() && !reception.blocked(); // before a write failed
        if (!faultReported && !channel.fault().isEmpty() && !moreToRead) {
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

    /** Whether the stream has failed. */
    boolean broken() {
        return faultReported;
    }

    /** Whether this side has ended its direction, and the peer has everything, as far as the stream can find out. */
    boolean delivered() {
        return outputEnded && channel.acknowledged();
    }

    /** When the peer must have accepted the remaining data and ended its direction; {@link Times#NEVER} while none has ended. */
    long closeByNs() {
        return closeByNs;
    }

    @Override
    void onDeadline(long nowNs) {
        onStreamDeadline(nowNs);
        if (Times.due(closeByNs, nowNs)) {
            if (rdma.suspended()) {
                // This side waits for memory and does not serve the stream; the peer is not late.
                closeByNs = Times.after(nowNs, closeNs);
                return;
            }
            closeByNs = Times.NEVER;
            closedTooLate = true;
            rdma.onCloseTimeout(
                    peerEnded
                            ? "The peer closed its side and did not accept the remaining data in time."
                            : "The peer did not close its side in time.",
                    nowNs);
        }
    }

    void onStreamDeadline(long nowNs) {
        if (Times.due(rdma.nextDeadlineNs(), nowNs)) {
            rdma.onDeadline(nowNs);
            if (rdma.suspected()) {
                survivor.ifPresent(it -> it.onSilence(nowNs));
            }
        }
    }

    /** Whether the peer was silent for so long that another address may be better. */
    boolean silent() {
        return rdma.suspected();
    }

    @Override
    boolean abort(String sentence, long nowNs) {
        return end().abort(sentence, nowNs);
    }

    @Override
    void disconnect(long nowNs) {
        queuePair().closeBegan(ConnectionEvent.DISCONNECT);
        rdma.disconnect(nowNs);
        ready();
    }

    @Override
    void fence(String sentence) {
        rdma.replace(sentence);
        close(true);
        queuePair().end(this);
    }

    /** Closes the stream. */
    void close(boolean abortive) {
        reception.dropHeld();
        channel.close(abortive);
    }

    @Override
    void onBug(String sentence, long nowNs) {
        onBug(this, sentence);
    }

    /** Releases all resources after a bug in this stage or the one that follows it. */
    void onBug(Stage current, String sentence) {
        // Each step is executed whatever the bug has left of the state: the first one takes back the peer's access.
        try {
            channel.close(true);
        } finally {
            try {
                reception.dropHeld();
                rdma.abort(sentence);
            } finally {
                queuePair().onStreamBug(current, sentence);
            }
        }
    }

    @Override
    long stateDigest() {
        return Digest.mix(streamDigest(), closeByNs);
    }

    /** A hash of the state that determines how bytes are moved. */
    long streamDigest() {
        long flags =
                Digest.flags(outputEnded, peerEnded, peerCloseReported, faultReported, overflowReported, closedTooLate);
        long digest = Digest.mix(Digest.mix(rdma.stateDigest(), flags), channel.stateDigest());
        digest = Digest.mix(digest, reception.stateDigest());
        return direct.isPresent() ? Digest.mix(digest, direct.get().stateDigest()) : digest;
    }
}
