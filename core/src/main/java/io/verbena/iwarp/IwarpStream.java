package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.early.Hole;
import io.verbena.iwarp.early.HoleFigures;
import io.verbena.iwarp.early.Holes;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.TerminateCode;
import io.verbena.work.QueuePairContext;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One connection in RDMA mode: RDMAP over DDP over MPA (RFC 5040, 5041, 5044, 7306) as a pure engine.
 *
 * <pre>{@code
 *      work queue                                  completion queues
 *          |                                              ^
 *       Sender  ---  outstanding requests  --->       Receiver      RDMAP, DDP
 *          |    <---  the peer's requests  ----           ^
 *      FpduFramer                                  FpduReceiver     MPA
 *          |                                              ^
 *     TransmitList                                       Slab
 * }</pre>
 *
 * {@link StreamState} holds what both halves share: whether this side may send, and how the stream ends. FPDUs that arrive out
 * of order are placed at once and delivered later, see {@link Holes}.
 *
 * <p>Over 500 lines: it is the only way into the engine, from each kind of stream and for each kind of work.
 */
public final class IwarpStream {

    private static final ByteBuffer NOWHERE = ByteBuffer.allocate(0);

    private final StreamContext context;
    private final StreamState state;
    private final KeepAlive keepAlive;
    private final WorkQueues queues;
    private final Sender sender;
    private final Receiver receiver;
    private final FpduReceiver fpdus;
    private final SegmentSorter segments;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;

    private final boolean rtrIsWrite;
    private final boolean rtrAwaited;
    private final boolean mayProbe;
    private DirectPath directPath = DirectPath.NONE;
    private boolean disconnecting;
    private boolean peerEnded;
    private boolean broken;
    private boolean peerClosed;
    private boolean peerExited;
    private boolean shutDown;

    /**
     * A stream whose start-up is complete.
     *
     * @param settings as negotiated
     * @param queuePair queues and memory of the queue pair
     * @param random source of the STag for Read sinks
     */
    public IwarpStream(StreamSettings settings, QueuePairContext queuePair, RandomSource random) {
        this(settings, queuePair, random, Optional.empty());
    }

    /**
     * The same, of a connection that may survive its transport: the stream continues what earlier ones have not
     * completed.
     */
    public IwarpStream(
            StreamSettings settings,
            QueuePairContext queuePair,
            RandomSource random,
            Optional<SurvivingWork> surviving) {
        this(settings, queuePair, random, surviving, sink -> sink);
    }

    /** With a wrapper around the receiving half, for tests. */
    IwarpStream(
            StreamSettings settings, QueuePairContext queuePair, RandomSource random, UnaryOperator<UlpduSink> around) {
        this(settings, queuePair, random, Optional.empty(), around);
    }

    private IwarpStream(
            StreamSettings settings,
            QueuePairContext queuePair,
            RandomSource random,
            Optional<SurvivingWork> surviving,
            UnaryOperator<UlpduSink> around) {
        context = StreamContext.of(settings, queuePair, random.nextInt(), surviving);
        state = context.state();
        keepAlive = context.keepAlive();
        queues = queuePair.queues();
        inbound = context.inbound();
        outstanding = context.outstanding();
        rtrIsWrite = settings.rtr().equals(Optional.of(RtrKind.WRITE));
        rtrAwaited = !settings.initiator() && settings.rtr().isPresent();
        mayProbe = settings.outboundReads() > 0;
        sender = new Sender(context);
        receiver = new Receiver(context, sender);
        UlpduSink sink = around.apply(receiver);
        fpdus = new FpduReceiver(settings, state, sink, queuePair.earlyMemory());
        segments = new SegmentSorter(settings, state, fpdus, sink);
    }

    /** The sides access memory of each other without the engine of its owner from now on, if they can. */
    public void direct(DirectPath path) {
        directPath = path;
        sender.direct(path);
    }

    /** Short frames may be sent outside of a turn from now on. */
    public void frames(FramePath path) {
        sender.frames(path);
    }

    /** What the peer may do on this stream, as bits; the rights of regions limit it further. */
    public int peerRightBits() {
        return (state.peerMayWrite() ? 1 << AccessRight.REMOTE_WRITE.ordinal() : 0)
                | (state.peerMayRead() ? 1 << AccessRight.REMOTE_READ.ordinal() : 0)
                | (state.peerMayDoAtomics() ? 1 << AccessRight.REMOTE_ATOMIC.ordinal() : 0);
    }

    // Transmission.

    /**
     * Adds FPDUs to an empty list until {@code byteBudget} is reached or nothing is left to send. FPDUs of an earlier list that
     * were not reported as transmitted are added again. Local work (invalidate, bind, delay) is executed here in its order.
     */
    public void fillTransmit(TransmitList list, int byteBudget, long nowNs) {
        if (!shutDown) {
            sender.fill(list, byteBudget, nowNs);
        }
    }

    /**
     * Executes and completes a request outside of the send queue, if nothing precedes it. Returns false if nothing has happened.
     */
    public boolean execute(Wqe posted) {
        return !shutDown && !disconnecting && !peerEnded && sender.execute(posted);
    }

    /** The operations that {@link #execute} may execute, a bit for each. */
    public int executed() {
        return sender.executed();
    }

    /** The bytes that the last {@link #fillTransmit} has copied from or to memory of the peer, and not to the list. */
    public int takeDirectBytes() {
        return sender.takeDirectBytes();
    }

    /**
     * The first {@code units} units of the list have left.
     *
     * @param tail whether the caller holds the rest of the last of them, whose work then does not complete before
     *     {@link #onTailLeft}
     */
    public void onTransmitted(TransmitList list, int units, boolean tail, long nowNs) {
        sender.onTransmitted(list, units, tail, nowNs);
        if (peerEnded && outstanding.count() > 0) {
            state.connectionLost(
                    Ending.Kind.BAD_CLOSE, "The peer closed the connection before this side's Reads and atomics.");
        }
    }

    /**
     * The stream lent payload of the list that {@link #onTransmitted} reports next: its work completes when the loan is
     * returned.
     */
    public void onLent(long loan) {
        sender.onLent(loan);
    }

    /** The peer has returned all loans up to this one. */
    public void onReturned(long loan) {
        sender.onReturned(loan);
    }

    /** Loans were withdrawn: the peer does not use what it copies from now on. */
    public void onWithdrawn() {
        sender.onWithdrawn();
    }

    /** Whether the peer may still copy payload from memory of this side, which must not be flushed before. */
    public boolean lends() {
        return sender.lends();
    }

    /** The rest of the unit that left in part has left. */
    public void onTailLeft(long nowNs) {
        if (context.surviving().isPresent()) {
            // The stream was full and is not any more: the peer takes bytes, although it may have nothing to say yet.
            keepAlive.onReceived(nowNs);
        }
        sender.onTailLeft(nowNs);
    }

    // Reception.

    /**
     * Takes the next bytes of the stream.
     *
     * @return the offset of the first byte that was not taken: {@code to}, or less when memory is not available now ({@link
     *     #suspended}). The caller keeps the rest and passes it again after {@link #resume}
     */
    public int onBytes(Slab slab, int from, int to, long nowNs) {
        keepAlive.onReceived(nowNs);
        return fpdus.onBytes(slab, from, to);
    }

    /**
     * Takes the next message, whose bytes are in {@code message}, in one step.
     *
     * @return false if that is not possible: then {@link #expand} and {@link #onBytes} follow, with the same outcome
     */
    public boolean takeShort(ShortMessage message, int bytes) {
        if (state.ended() || !state.received() || !fpdus.between()) {
            return false;
        }
        int count = bytes - ShortMessage.HEADER;
        if (!receiver.takeShort(message, count)) {
            return false;
        }
        keepAlive.onHeard();
        fpdus.passed(FpduHeader.fpduLength(message.opcode().headerLength() + count));
        return true;
    }

    /**
     * Writes the FPDU that a message stands for as the next one. Returns its length; 0 if it stands for none, which
     * ends the stream.
     */
    public int expand(ShortMessage message, int bytes, Slab target) {
        int length = message.expand(bytes, receiver.nextSend(), target.segment());
        if (length == 0) {
            state.violation(TerminateCode.MPA_FPDU_START, CompletionStatus.PROTOCOL);
        }
        return length;
    }

    /**
     * Takes a segment of a TCP that delivers segments out of order. {@link #takenFrom} and {@link #takenTo} report the range
     * that was taken: bytes in order, bytes that were taken before, and after a hole one run of FPDUs if checksums were
     * agreed. The rest must be passed again.
     *
     * @param streamOffset position of the segment in the stream of RDMA mode, markers included; 0 is the first byte of the
     *     first FPDU
     */
    public void onSegment(long streamOffset, Slab slab, int from, int to, long nowNs) {
        keepAlive.onReceived(nowNs);
        segments.onSegment(streamOffset, slab, from, to);
    }

    /** First stream offset that the last {@link #onSegment} took. */
    public long takenFrom() {
        return segments.takenFrom();
    }

    /** Stream offset after the bytes that the last {@link #onSegment} took; {@link #takenFrom} if it took none. */
    public long takenTo() {
        return segments.takenTo();
    }

    /**
     * Moves to the next range that was taken as a guess and is not any more, because the guess was wrong or could not be
     * confirmed. Returns false if there is none. The caller collects these ranges after each {@link #onSegment}.
     */
    public boolean nextWithdrawn() {
        return fpdus.early().guesses.nextWithdrawn();
    }

    /** First stream offset of the range of the last {@link #nextWithdrawn}. */
    public long withdrawnFrom() {
        return fpdus.early().guesses.withdrawnFrom();
    }

    /** Stream offset after the range of the last {@link #nextWithdrawn}. */
    public long withdrawnTo() {
        return fpdus.early().guesses.withdrawnTo();
    }

    /**
     * Stream offset of the first missing byte. When a hole closes, it advances past the early FPDUs after the hole.
     */
    public long nextOffset() {
        return fpdus.nextOffset();
    }

    /** Stream offset of the first byte that was not taken, starting at {@code offset}, which is {@link #nextOffset} or more. */
    public long firstMissing(long offset) {
        return fpdus.early().holes.firstMissing(offset);
    }

    /** Number of holes. */
    public int holes() {
        return fpdus.early().holes.count();
    }

    /** A hole, in the order of the stream, starting with 0. It is valid until the next segment. */
    public Hole hole(int index) {
        return fpdus.early().holes.hole(index);
    }

    /** Bytes of FPDUs that are here only in part, after holes. */
    public int scrapBytes() {
        return fpdus.early().scraps.usedBytes();
    }

    /** Figures about what was received after holes. */
    public HoleFigures holeFigures() {
        return fpdus.early().figures;
    }

    /** The buffer to which the next bytes of the stream may be read directly, or an empty one. It is valid for one use. */
    public ByteBuffer receiveTarget() {
        return state.ended() ? NOWHERE : fpdus.target();
    }

    /** Memory address of the most recent {@link #receiveTarget()} that was not empty. */
    public long receiveTargetAddress() {
        return fpdus.targetAddress();
    }

    /**
     * How many bytes to read elsewhere after {@code direct} bytes of {@link #receiveTarget()}, if one system call reads both.
     */
    public int receiveAhead(int direct) {
        return fpdus.ahead(direct);
    }

    /** This many bytes were read into {@link #receiveTarget()}. */
    public void onFilled(int bytes, long nowNs) {
        keepAlive.onReceived(nowNs);
        fpdus.onFilled(bytes);
    }

    /** A turn has read the stream, and {@code more} can be read: bytes are counted, and the peer may wait for that. */
    public void onRead(boolean more, long nowNs) {
        sender.onRead(more, nowNs);
    }

    /** At the end: whether it is that of the peer's process, after everything that it has sent. */
    public boolean peerExited() {
        return peerExited;
    }

    /** The end of the stream, which follows, is not one that the peer made: its process has ended. */
    public void onAbandoned() {
        state.farewells().onAbandoned();
    }

    /** The peer has ended its direction (FIN). */
    public void onEndOfStream(long nowNs) {
        peerEnded = true;
        if (state.ended()) {
            return;
        }
        if (fpdus.insideFpdu() || receiver.insideMessage()) {
            state.connectionLost(Ending.Kind.BAD_CLOSE, "The peer closed the connection in the middle of a message.");
        } else if (outstanding.count() > 0) {
            state.connectionLost(
                    Ending.Kind.BAD_CLOSE, "The peer closed the connection and left Reads or atomics unanswered.");
        } else if (!state.maySend() && !sender.drained()) {
            state.connectionLost(
                    Ending.Kind.BAD_CLOSE, "The peer closed the connection before this side was allowed to send.");
        } else if (state.farewells().farewellMissing() || rtrAwaited && !state.maySend()) {
            peerExited = state.farewells().farewellMissing();
            // RFC 6581 section 9.2 [7]: a side that agreed to send an RTR frame sends it before it closes.
            state.connectionLost(
                    Ending.Kind.BAD_CLOSE,
                    "The peer's stream ended without a farewell: the peer's process ended, or the peer dropped the"
                            + " connection without closing it.");
        } else {
            // RFC 5041 section 6.2.1 [3]: a half-close is reported and sending continues; then this direction ends too.
            state.onPeerEnded();
            sender.onPeerEnded();
            state.farewells().onClosing();
            peerClosed = true;
            settle();
        }
    }

    /** The TCP connection was reset or failed. */
    public void onBroken(String sentence, long nowNs) {
        end(Ending.Kind.BROKEN, sentence, peerConfirms());
    }

    /** Whether the peer knows that this side has closed, if it has: it does not return. */
    private boolean peerConfirms() {
        return peerClosed || state.farewells().peerConfirms();
    }

    /** The transport has ended. {@code over}: whether that ends a connection that both sides have closed. */
    private void end(Ending.Kind kind, String sentence, boolean over) {
        broken = true;
        if (over && bothComplete()) {
            state.graceful();
        } else {
            state.connectionLost(kind, sentence);
        }
    }

    /** The peer does not respond any more. */
    public void onSilent(String sentence, long nowNs) {
        end(Ending.Kind.LOST, sentence, peerConfirms());
    }

    /** The peer does not complete a close in time. */
    public void onCloseTimeout(String sentence, long nowNs) {
        end(Ending.Kind.LOST, sentence, true);
    }

    /**
     * Starts to check that the peer is alive. If nothing is received for half the bound, a Read of length zero is sent as a
     * probe; if nothing is received for the whole bound, the peer is lost. Has no effect if no outbound Reads were agreed.
     *
     * @param boundNs 0 for no check
     */
    public void keepAlive(long boundNs, long nowNs) {
        keepAlive.start(mayProbe ? boundNs : 0, nowNs);
    }

    /** Short messages arrive from now on. */
    public void shortMessages(long nowNs) {
        keepAlive.hearsWithoutTime(nowNs);
    }

    /**
     * Watches for a silence while work is under way or the peer has sent something, which is shorter than the one that
     * ends the stream: {@link #suspected}. The peer is probed in the middle of it. After {@link #keepAlive}.
     *
     * @param boundNs 0 for no such watch
     */
    public void suspectAfter(long boundNs, long nowNs) {
        keepAlive.suspectAfter(mayProbe ? boundNs : 0, nowNs);
    }

    /** Whether such a silence lasts. */
    public boolean suspected() {
        return keepAlive.suspected() && !state.ended();
    }

    /**
     * Switches farewells on, before the first FPDU of either side: they are agreed with a peer that supports them, whose FIN
     * without a farewell is then an error.
     */
    public void farewells() {
        state.farewells().begin(rtrIsWrite, context.surviving().isPresent());
    }

    /** Whether either half waits for memory. */
    public boolean suspended() {
        return fpdus.waiting() || sender.memoryAwaited();
    }

    /** The FIN of this side was sent: nothing is sent any more. */
    public void onShutdown() {
        shutDown = true;
        settle();
    }

    /** Memory may be available now. */
    public void resume() {
        sender.onMemory();
        fpdus.retry();
    }

    // Commands.

    /** Closes gracefully when all posted work has left and is complete. */
    public void disconnect(long nowNs) {
        disconnecting = true;
        state.farewells().onClosing();
        settle();
    }

    /** Ends the stream at once, for a reason of the application. */
    public void abort(String sentence) {
        if (context.surviving().isPresent()) {
            state.abortedForGood(sentence);
        } else {
            state.aborted(sentence);
        }
    }

    /** Registered memory ceased to exist while it was being sent or received into. */
    public void onMemoryLost(String sentence) {
        context.buffers().probeViewed();
        state.memoryLost(sentence);
    }

    /** Restricts what the peer may do on this stream, in addition to the rights of the regions. The default is no restriction. */
    public void peerRights(Set<AccessRight> rights) {
        state.peerRights(
                rights.contains(AccessRight.REMOTE_WRITE),
                rights.contains(AccessRight.REMOTE_READ),
                rights.contains(AccessRight.REMOTE_ATOMIC));
        directPath.revoke();
    }

    // State, to be polled after each call.

    /** Whether {@link #fillTransmit} has something to do now. */
    public boolean hasTransmitWork(long nowNs) {
        return !shutDown && sender.hasWork(nowNs);
    }

    /** Whether to send the FIN now: everything has left, including a Terminate message if there is one. */
    public boolean shutdownDue() {
        if (shutDown) {
            return false;
        }
        if (state.ended()) {
            // A FIN before the reset would look like a graceful close to the peer.
            boolean abrupt = state.ending().orElseThrow().abrupt();
            return !abrupt && (!state.terminateDue() || sender.terminateSent());
        }
        return complete() && (peerEnded || !state.farewells().awaitsPeer());
    }

    /** Whether the peer closes the connection, and has not ended its direction for that reason. */
    public boolean peerCloses() {
        return state.farewells().peerCloses();
    }

    /**
     * Whether the sides of a connection that survives have completed all work and close it: the peer has said so, and
     * this side has nothing to tell it but the same.
     */
    public boolean bothComplete() {
        return context.surviving().isPresent()
                && (peerClosed || state.farewells().peerComplete())
                && (sender.mayEnd() || sender.farewellDue())
                && inbound.mayStayUnanswered();
    }

    /** Whether this side closes the connection and has completed its work, and waits for the peer to do the same. */
    public boolean awaitsPeer() {
        return complete() && state.farewells().awaitsPeer() && !shutDown && !state.ended();
    }

    /** Whether the connection is being closed, and this side has completed its work and said so. */
    public boolean complete() {
        return (disconnecting || peerClosed || peerCloses()) && sender.mayEnd();
    }

    /** Whether only the farewell must be sent before the FIN. */
    public boolean farewellDue() {
        return !shutDown && !state.ended() && sender.farewellDue();
    }

    /** Ends the stream when both directions have ended: gracefully, unless a request of the peer stays unanswered. */
    private void settle() {
        if (!peerEnded || state.ended() || !shutDown) {
            return;
        }
        if (inbound.mayStayUnanswered()) {
            state.graceful();
        } else {
            state.connectionLost(Ending.Kind.BAD_CLOSE, "The peer requested data after this side had closed.");
        }
    }

    /**
     * Why the stream ends; empty until then. After that received bytes are ignored; call {@link #flush} until it returns true.
     */
    public Optional<Ending> ending() {
        return state.ending();
    }

    /** Whether both directions have ended, so that the TCP connection can be closed. */
    public boolean finished() {
        return broken
                || state.ended() && state.ending().orElseThrow().kind() == Ending.Kind.ABORTED
                || peerEnded && shutDown && state.ended();
    }

    /**
     * Whether the stream has ended because of its transport only, before the peer has closed: another one can
     * continue what it has not
     * completed, and close.
     */
    public boolean survivable() {
        return context.surviving().isPresent()
                && !peerClosed
                && state.ending().map(Ending::ofTransport).orElse(false);
    }

    /** Another stream continues what this one has not completed. */
    public void replace(String sentence) {
        state.connectionLost(Ending.Kind.LOST, sentence);
        release();
    }

    /**
     * After the end: completes all pending work, the failed work with its status, the rest flushed.
     *
     * @return false when a CQ is full and the method must be called again
     */
    public boolean flush() {
        release();
        return queues.flush(state.ending().map(Ending::status).orElse(CompletionStatus.FLUSHED));
    }

    private void release() {
        context.oneShot().end();
        inbound.endOneShot(context.oneShot());
        fpdus.early().release();
    }

    /** When to call {@link #onDeadline}; {@link Times#NEVER} for never. */
    public long nextDeadlineNs() {
        return Times.earlier(Times.earlier(sender.nextDeadlineNs(), state.nudgeDeadlineNs()), keepAliveDeadlineNs());
    }

    /** The part of {@link #nextDeadlineNs} that does not depend on whether anything can be sent. */
    public long keepAliveDeadlineNs() {
        return keepAlive.nextDeadlineNs();
    }

    /** A deadline has passed; {@link #hasTransmitWork} may be true now. */
    public void onDeadline(long nowNs) {
        if (keepAlive.onDeadline(nowNs, suspended())) {
            onSilent("The peer has vanished: nothing was received from it within the keep-alive bound.", nowNs);
        }
    }

    /** Digest of all state, for trace hashes and exploration. */
    public long stateDigest() {
        long d = sender.stateDigest(1);
        d = receiver.stateDigest(d);
        d = fpdus.stateDigest(d);
        d = inbound.stateDigest(d);
        d = outstanding.stateDigest(d);
        d = keepAlive.stateDigest(state.stateDigest(d));
        return Digest.mix(d, Digest.flags(disconnecting, peerEnded, broken, peerClosed, shutDown, peerExited));
    }
}
