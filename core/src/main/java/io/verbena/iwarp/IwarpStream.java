package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.RegionTable;
import io.verbena.queue.WorkQueues;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.work.KeyWork;
import io.verbena.work.LocalBuffers;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One connection in RDMA mode: RDMAP over DDP over MPA (RFC 5040, 5041, 5044, 7306) as a pure engine.
 *
 * <pre>
 *      work queue                                  completion queues
 *          |                                              ^
 *       Sender  --- what waits for answers --->       Receiver      RDMAP, DDP
 *          |    <-- Reads of the peer, answers --         ^
 *      FpduFramer                                  FpduReceiver     MPA
 *          |                                              ^
 *     TransmitList                                       Slab
 * </pre>
 *
 * {@link Conversation} holds what the halves share: who may speak, and how it ends. What comes before its turn is
 * placed at once and delivered later: {@link EarlyFpdus} tells how.
 */
public final class IwarpStream {

    private static final ByteBuffer NOWHERE = ByteBuffer.allocate(0);

    private final Conversation talk;
    private final KeepAlive keepAlive;
    private final WorkQueues queues;
    private final Sender sender;
    private final Receiver receiver;
    private final FpduReceiver fpdus;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;
    private final KeyUse keys;
    private final LocalBuffers buffers;

    private final boolean rtrIsWrite;
    private final boolean rtrAwaited;
    private final boolean mayProbe;
    private boolean disconnecting;
    private boolean peerEnded;
    private boolean broken;
    private boolean peerAsked;
    private boolean shutDown;

    /**
     * A stream whose start-up is done.
     *
     * @param settings as negotiated
     * @param queues the queue pair's work and where it completes
     * @param regions memory of the RNIC
     * @param check the engine's own access check
     * @param domain number of the queue pair's protection domain
     * @param engine number of the engine
     * @param random for the key of Read sinks
     */
    public IwarpStream(
            StreamSettings settings,
            WorkQueues queues,
            RegionTable regions,
            AccessCheck check,
            int domain,
            int engine,
            RandomSource random) {
        this(settings, queues, regions, check, domain, engine, random, sink -> sink);
    }

    /** With something around the receiving half, for tests. */
    IwarpStream(
            StreamSettings settings,
            WorkQueues queues,
            RegionTable regions,
            AccessCheck check,
            int domain,
            int engine,
            RandomSource random,
            UnaryOperator<UlpduSink> around) {
        this.queues = queues;
        talk = new Conversation(settings.initiator());
        keepAlive = new KeepAlive(talk);
        rtrIsWrite = settings.rtr().equals(Optional.of(RtrKind.WRITE));
        rtrAwaited = !settings.initiator() && settings.rtr().isPresent();
        mayProbe = settings.outboundReads() > 0;
        // A Read as RTR frame is served even when no Reads were agreed.
        inbound = new InboundReads(settings.inboundReads());
        outstanding = new OutstandingReads(settings.outboundReads());
        int readSinkStag = random.nextInt();
        int queuePair = queues.queuePairNumber();
        buffers = new LocalBuffers(regions, check, domain, queuePair, engine);
        keys = new KeyUse(regions, inbound, queuePair);
        sender = new Sender(
                settings,
                talk,
                keepAlive,
                queues,
                regions,
                check,
                domain,
                buffers,
                inbound,
                outstanding,
                readSinkStag,
                keys,
                new KeyWork(regions, engine, domain, queuePair));
        receiver = new Receiver(
                settings,
                talk,
                queues,
                regions,
                check,
                domain,
                buffers,
                inbound,
                outstanding,
                readSinkStag,
                sender,
                keepAlive,
                keys,
                new KeyWork(regions, engine, domain, queuePair));
        fpdus = new FpduReceiver(settings.crc(), settings.receiveMarkers(), talk, around.apply(receiver));
    }

    // Down.

    /**
     * Puts FPDUs into an empty list until {@code byteBudget} is reached or nothing is left. What was filled before and
     * not told as transmitted is filled again. Local work (invalidate, delay) is done here in its turn.
     */
    public void fillTransmit(TransmitList list, int byteBudget, long nowNs) {
        if (!shutDown) {
            sender.fill(list, byteBudget, nowNs);
        }
    }

    /**
     * The first {@code units} units of the list are on their way.
     *
     * @param tail whether the caller keeps the rest of the last of them: its work does not complete before
     *     {@link #onTailLeft}
     */
    public void onTransmitted(TransmitList list, int units, boolean tail, long nowNs) {
        sender.onTransmitted(list, units, tail, nowNs);
        if (peerEnded && outstanding.count() > 0) {
            talk.lost(Ending.Kind.BAD_CLOSE, "The peer closed the connection before this side's Reads and atomics.");
        }
    }

    /** The rest of the unit that was sent in part has left. */
    public void onTailLeft(long nowNs) {
        sender.onTailLeft(nowNs);
    }

    // Up.

    /**
     * Takes the next bytes of the stream.
     *
     * @return where it stopped: {@code to}, or less when memory is not there now ({@link #suspended}); the caller keeps
     *     the rest and gives it again after {@link #resume}
     */
    public int onBytes(Slab slab, int from, int to, long nowNs) {
        keepAlive.heard(nowNs);
        return fpdus.onBytes(slab, from, to);
    }

    /**
     * Takes a segment of a TCP that does not put its segments in order. {@link #takenFrom} and {@link #takenTo} tell
     * what was taken: what stands in order or was here before, and behind a hole one run of whole FPDUs, if checksums
     * were agreed. The rest must come again.
     *
     * @param streamOffset where the segment stands: bytes of RDMA mode, markers included, 0 is the first of the first
     *     FPDU
     */
    public void onSegment(long streamOffset, Slab slab, int from, int to, long nowNs) {
        keepAlive.heard(nowNs);
        fpdus.onSegment(streamOffset, slab, from, to);
    }

    /** First stream offset that the last {@link #onSegment} took. */
    public long takenFrom() {
        return fpdus.takenFrom();
    }

    /** Stream offset behind what the last {@link #onSegment} took; {@link #takenFrom} if it took nothing. */
    public long takenTo() {
        return fpdus.takenTo();
    }

    /**
     * Stream offset of the first byte that is not here: what came early is jumped over once a hole before it has
     * closed.
     */
    public long nextOffset() {
        return fpdus.nextOffset();
    }

    /** Where the next bytes of the stream may be read directly, or an empty buffer; ask again after each use. */
    public ByteBuffer receiveTarget() {
        return talk.ended() ? NOWHERE : fpdus.target();
    }

    /** Where the last {@link #receiveTarget()} that was not empty lies in memory. */
    public long receiveTargetAddress() {
        return fpdus.targetAddress();
    }

    /** How many bytes are best read elsewhere behind {@code direct} bytes of {@link #receiveTarget()}, if one call does both. */
    public int receiveAhead(int direct) {
        return fpdus.ahead(direct);
    }

    /** So many bytes were read into {@link #receiveTarget()}. */
    public void onFilled(int bytes, long nowNs) {
        keepAlive.heard(nowNs);
        fpdus.onFilled(bytes);
    }

    /** The peer has ended its direction (FIN). */
    public void onEndOfStream(long nowNs) {
        peerEnded = true;
        if (talk.ended()) {
            return;
        }
        if (fpdus.insideFpdu() || receiver.insideMessage()) {
            talk.lost(Ending.Kind.BAD_CLOSE, "The peer closed the connection in the middle of a message.");
        } else if (outstanding.count() > 0) {
            talk.lost(Ending.Kind.BAD_CLOSE, "The peer closed the connection and left Reads or atomics unanswered.");
        } else if (!talk.maySend() && !sender.drained()) {
            talk.lost(Ending.Kind.BAD_CLOSE, "The peer closed the connection before it let this side speak.");
        } else if (talk.parting().missing() || rtrAwaited && !talk.maySend()) {
            // RFC 6581 section 9.2 [7]: whoever has agreed to send an RTR frame sends it before it closes.
            talk.lost(
                    Ending.Kind.BAD_CLOSE,
                    "The peer's process ended without closing the connection: its system closed the stream, and no farewell"
                            + " came.");
        } else {
            // RFC 5041 section 6.2.1 [3]: a half-close is reported and sending goes on; then our direction ends too.
            talk.peerEnded();
            sender.peerEnded();
            talk.parting().closing();
            peerAsked = true;
            settle();
        }
    }

    /** The stream broke. */
    public void onBroken(String sentence, long nowNs) {
        broken = true;
        talk.lost(Ending.Kind.BROKEN, sentence);
    }

    /** The peer is gone without a word, or does not finish a close. */
    public void onSilent(String sentence, long nowNs) {
        broken = true;
        talk.lost(Ending.Kind.LOST, sentence);
    }

    /**
     * From now on a peer that is silent for longer than the bound is lost: after half of it a Read of nothing asks for a sign
     * of life. Not where the peer's read depth leaves no room for one.
     *
     * @param boundNs 0 for none
     */
    public void keepAlive(long boundNs, long nowNs) {
        keepAlive.start(mayProbe ? boundNs : 0, nowNs);
    }

    /**
     * From now on, and before the first FPDU of either side: farewells are agreed with a peer that knows them, and a FIN
     * without one is an error.
     */
    public void farewells() {
        talk.parting().begin(rtrIsWrite);
    }

    /** Whether memory is awaited, on either half. */
    public boolean suspended() {
        return fpdus.waiting() || sender.memoryAwaited();
    }

    /** Our direction was ended (FIN): nothing is sent from now on. */
    public void onShutdown() {
        shutDown = true;
        settle();
    }

    /** Memory may be there now. */
    public void resume() {
        sender.resume();
        fpdus.retry();
    }

    // Commands.

    /** Close gracefully once all posted work has left and is complete. */
    public void disconnect(long nowNs) {
        disconnecting = true;
        talk.parting().closing();
        settle();
    }

    /** End at once with a reason of the application. */
    public void abort(String sentence) {
        talk.aborted(sentence);
    }

    /** Memory of ours went away while it was being sent or received into. */
    public void onMemoryLost(String sentence) {
        buffers.probeViewed();
        talk.localFailure(CompletionStatus.LOCAL_MEMORY, sentence);
    }

    /** What the peer may do on this stream, whatever the regions allow; everything until this is called. */
    public void peerRights(Set<AccessRight> rights) {
        talk.peerRights(
                rights.contains(AccessRight.REMOTE_WRITE),
                rights.contains(AccessRight.REMOTE_READ),
                rights.contains(AccessRight.REMOTE_ATOMIC));
    }

    // State to poll after each call.

    /** Whether fillTransmit has something to do now. */
    public boolean hasTransmitWork(long nowNs) {
        return !shutDown && sender.hasWork(nowNs);
    }

    /** Whether our direction is to be ended (FIN) now, once: everything, a Terminate message included, has left. */
    public boolean wantsShutdown() {
        if (shutDown) {
            return false;
        }
        if (talk.ended()) {
            // A FIN before the reset would tell the peer of an order that there is not.
            boolean abrupt = talk.ending().orElseThrow().abrupt();
            return !abrupt && (!talk.terminateWanted() || sender.terminateLeft());
        }
        return (disconnecting || peerAsked) && sender.mayEnd();
    }

    /** Whether only the farewell keeps our direction from its end. */
    public boolean owesFarewell() {
        return !shutDown && !talk.ended() && sender.owesFarewell();
    }

    /** Both directions ended: in good order, unless the peer asked for something that it will not get. */
    private void settle() {
        if (!peerEnded || talk.ended() || !shutDown) {
            return;
        }
        if (inbound.owesNothing()) {
            talk.graceful();
        } else {
            talk.lost(Ending.Kind.BAD_CLOSE, "The peer asked for data when this side had already closed.");
        }
    }

    /**
     * Why the stream ends, once it does. From then on received bytes are ignored; call {@link #flush} until it is true.
     */
    public Optional<Ending> ending() {
        return talk.ending();
    }

    /** Whether both directions are done with, so that the TCP stream can be closed. */
    public boolean finished() {
        return broken
                || talk.ended() && talk.ending().orElseThrow().kind() == Ending.Kind.ABORTED
                || peerEnded && shutDown && talk.ended();
    }

    /**
     * After an ending: completes all pending work, what was to blame with its status and the rest flushed.
     *
     * @return false when a CQ is full and it must be called again
     */
    public boolean flush() {
        keys.streamOver();
        return queues.flush(talk.ending().map(Ending::status).orElse(CompletionStatus.FLUSHED));
    }

    /** When {@link #onDeadline} wants to be called; {@link Times#NEVER} if there is none. */
    public long nextDeadlineNs() {
        return Times.earlier(
                Times.earlier(sender.nextDeadlineNs(), talk.nudgeDeadlineNs()), keepAlive.nextDeadlineNs());
    }

    /** A deadline has passed: {@link #hasTransmitWork} may be true now. */
    public void onDeadline(long nowNs) {
        if (keepAlive.onDeadline(nowNs, suspended())) {
            onSilent("The peer has vanished: nothing was heard of it within the keep-alive bound.", nowNs);
        }
    }

    /** Digest of all state, for trace hashes and exploration. */
    public long stateDigest() {
        long d = sender.stateDigest(1);
        d = receiver.stateDigest(d);
        d = fpdus.stateDigest(d);
        d = inbound.stateDigest(d);
        d = outstanding.stateDigest(d);
        d = keepAlive.stateDigest(talk.stateDigest(d));
        return Digest.mix(d, (disconnecting ? 1 : 0) | (peerEnded ? 2 : 0) | (broken ? 4 : 0) | (shutDown ? 8 : 0));
    }
}
