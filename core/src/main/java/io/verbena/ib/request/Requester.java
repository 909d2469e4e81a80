package io.verbena.ib.request;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.endpoint.RequestFigures;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.paths.Spray;
import io.verbena.ib.request.RequestPackets.Built;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The requester of a reliable connection: builds packets from work, and retransmits with go-back-N.
 *
 * <pre>
 *   send queue   | retired | ....... acknowledged up to here ....... | started | posted
 *   PSN          ...........| oldest |..............| next |......| end |
 *                             first one without      cursor         after the last
 *                             an answer                             one ever sent
 * </pre>
 *
 * A request has {@code packets} PSNs from {@code firstPsn} on; a Read has as many as its response has packets. The
 * cursor moves through the packets. {@link #restart} sets it back, and the packets from there on are built again from
 * memory. {@link Completer} processes the answers.
 *
 * <p>Over 500 lines: answers and sending move the same cursor, and both need all of its state.
 */
public final class Requester {

    /**
     * An acknowledgement is requested at least once per this number of packets, so that the window advances before it
     * is full.
     */
    private static final int ACK_EVERY = 32;

    /** Most packets sent to a silent peer until it answers. */
    private static final int PROBE_PACKETS = 8;

    private final RcSettings settings;
    private final WorkQueue work;
    private final Wqe wqe = new Wqe();
    private final RequestPackets building;
    private final SendCredits credits;
    private final SelectiveRepeat reported = new SelectiveRepeat();
    private final Optional<Spray> spray;
    private final Repetition peerHas;
    private final Overlaps overlaps;

    /** Whether a few packets only may be unanswered, because the peer was silent. */
    private boolean probing;

    /** Whether only the packets that the peer lacks are sent again. */
    private boolean repeating;

    // Indexed by slot of the send queue.
    private final int mask;
    private final int[] firstPsn;
    private final int[] packets;
    private final int[] number;
    private final boolean[] disjoint;
    private final boolean[] answered;

    /** Index of the element at the cursor, and of its packet. */
    private long cursor;

    private int cursorPacket;
    private int nextPsn;

    /** Index after the last element that has PSNs. */
    private long started;

    private int endPsn;
    private int sinceAckRequest;
    private int readsOutstanding;
    private long retransmissions;
    private final LocalWork local;
    private final EarlierWork earlier;
    private boolean draining;
    private boolean memoryAwaited;
    private long failedIndex = Long.MAX_VALUE;
    private CompletionStatus failedStatus = CompletionStatus.SUCCESS;
    private String failedSentence = "";

    public Requester(RcSettings settings, QueuePairWork owner, MigratingPath path, Optional<Spray> spray) {
        this.spray = spray;
        peerHas = spray.isPresent() ? new PathRepeat(spray.get()) : reported;
        this.settings = settings;
        building = new RequestPackets(owner, Service.RC, settings.mtuBytes(), path, settings.remoteQp());
        credits = new SendCredits(settings.options().contains(RcOption.HEEDS_CREDITS));
        local = new LocalWork(owner);
        earlier = new EarlierWork(owner);
        work = owner.queues().send();
        overlaps = new Overlaps(work);
        int slots = Integer.highestOneBit(Math.max(1, 2 * work.depth() - 1));
        mask = slots - 1;
        firstPsn = new int[slots];
        packets = new int[slots];
        number = new int[slots];
        disjoint = new boolean[slots];
        answered = new boolean[slots];
        cursor = work.retired();
        started = cursor;
        nextPsn = settings.firstSendPsn();
        endPsn = nextPsn;
    }

    // Queries of the completer.

    /** Index after the last element that was started. */
    long started() {
        return started;
    }

    /** The PSN after the last one that was sent. */
    int endPsn() {
        return endPsn;
    }

    /** Whether what had to be sent again, from this PSN on, could not be sent yet. */
    boolean waitsToRepeat(int psn) {
        // A full window waits for answers that the peer owes.
        return spray.isPresent() ? repeating && spray.get().admits(1) : nextPsn == psn;
    }

    int firstPsn(long index) {
        return firstPsn[(int) index & mask];
    }

    /** Number of PSNs of an element that was started; 0 for work that sends no packet. */
    int packets(long index) {
        return packets[(int) index & mask];
    }

    /** Whether an element that was started completes only when the peer has answered with data. */
    boolean waitsForAnswer(long index) {
        return answered[(int) index & mask];
    }

    /** Whether a packet of a Read is the last one that its request covers. */
    boolean endsReadRequest(long index, int packet) {
        return (packet + 1) % settings.readPackets() == 0 || packet + 1 == packets(index);
    }

    /** An acknowledgement reports credits. */
    void onCredits(int syndrome, int msn) {
        credits.onAcknowledge(syndrome, msn);
    }

    /** A Read request or atomic is answered. */
    void onReadAnswered() {
        readsOutstanding--;
    }

    /** Index of the element whose local work failed, or a number larger than all indexes. */
    long failedIndex() {
        return failedIndex;
    }

    /**
     * The element whose retransmission failed was acknowledged meanwhile: the peer had all of its packets, so that it
     * succeeds and the elements after it are sent.
     */
    void dropLocalFailure() {
        failedIndex = Long.MAX_VALUE;
    }

    Failure localFailure() {
        return Failure.ofRequest(failedStatus, failedSentence);
    }

    /** Sends everything from this PSN on again. The PSN belongs to an element that was started, or is the end. */
    void restart(long index, int psn) {
        cursor = index;
        cursorPacket = index < started ? Psn.distance(psn, firstPsn(index)) : 0;
        nextPsn = psn;
        sinceAckRequest = 0;
    }

    /** Sends everything from this PSN on again, including packets that the peer has reported. */
    void restartAll(long index, int psn) {
        if (spray.isPresent()) {
            // The peer keeps what it has received.
            spray.get().loseOldest();
            repeat(index);
            return;
        }
        repeating = false;
        reported.forget();
        restart(index, psn);
    }

    /**
     * Nothing was answered in time: sends everything from this PSN on again, but a few packets only until the peer
     * answers. A peer that is merely slow has all packets, and its answer saves the others. A whole window would make
     * it slower.
     */
    void probe(long index, int psn) {
        if (spray.isPresent()) {
            spray.get().onTimeout();
            repeat(index);
            return;
        }
        restartAll(index, psn);
        probing = true;
    }

    /** The peer has answered. */
    void onAckReceived() {
        probing = false;
    }

    /** The peer lacks the oldest packet and has later ones: only the missing packets are sent again. */
    void onSelective(long oldest, int missingPsn, MemorySegment segment, long mapOffset) {
        reported.map(false, missingPsn, segment, mapOffset);
        repeat(oldest);
    }

    /** Responses are missing: only these are requested again. The bit map contains all other PSNs. */
    void onMissingResponses(long oldest, int missingPsn, MemorySegment map) {
        reported.map(true, missingPsn, map, 0);
        repeat(oldest);
    }

    /** Packets were lost on their paths: only these are sent again. */
    void onLost(long oldest) {
        repeat(oldest);
    }

    private void repeat(long oldest) {
        int from = peerHas.repeatFrom(endPsn);
        if (from != Repetition.NOTHING && (!repeating || Psn.distance(from, nextPsn) < 0)) {
            repeating = true;
            seek(oldest, from);
        }
        skipAcknowledged();
    }

    private void skipAcknowledged() {
        while (repeating && cursor < started) {
            if (!peerHas.beforeHighest(nextPsn)) {
                repeating = false;
                seek(cursor, endPsn);
            } else if (peerHas.has(nextPsn)) {
                work.at(cursor, wqe);
                seek(cursor, Psn.plus(nextPsn, psnsOfNextPacket()));
            } else {
                return;
            }
        }
        repeating = false;
    }

    /** Moves the cursor on to a PSN, from the element {@code index} or a later one. */
    private void seek(long index, int psn) {
        long at = index;
        while (at < started && (packets(at) == 0 || Psn.distance(psn, firstPsn(at)) >= packets(at))) {
            at++;
        }
        restart(at, psn);
    }

    /** Moves the cursor after packets that were answered, if it is before them. */
    void skipTo(long index, int psn) {
        if (Psn.distance(psn, nextPsn) > 0) {
            restart(index, psn);
            skipAcknowledged();
        }
    }

    /** Elements before this one are complete. Those that send no packet were completed while the cursor was at them. */
    void complete(long index) {
        if (cursor < index) {
            cursor = index;
            cursorPacket = 0;
        }
    }

    // Driving.

    /** Whether a packet can be built now. */
    public boolean hasWork(int oldestPsn, long completed, long nowNs) {
        if (memoryAwaited || cursor >= failedIndex) {
            return false;
        }
        boolean started = cursor < this.started;
        if (!started && (draining || cursor >= work.posted())) {
            return false;
        }
        work.at(cursor, wqe);
        if (sendsNothing()) {
            return started || mayDoLocally(completed, nowNs);
        }
        return fitsWindow(oldestPsn) && mayAskForAnswer() && hasCredit(oldestPsn) && admitted();
    }

    /** Whether the element at the cursor is executed here, or was executed over an earlier transport. */
    private boolean sendsNothing() {
        return Opcodes.local(wqe.opcode()) || earlier.executed(wqe);
    }

    private boolean mayDoLocally(long completed, long nowNs) {
        if (earlier.executed(wqe)) {
            return true;
        }
        if (wqe.fenced() && readsOutstanding > 0) {
            return false;
        }
        // No outstanding work may still use the key.
        return wqe.opcode() == WorkOpcode.DELAY ? !local.delays(nowNs) : completed == cursor;
    }

    private boolean fitsWindow(int oldestPsn) {
        int outstanding = Psn.distance(nextPsn, oldestPsn);
        return outstanding == 0 || outstanding + psnsOfNextPacket() <= window();
    }

    private boolean admitted() {
        return spray.isEmpty() || spray.get().admits(psnsOfNextPacket());
    }

    /** Packets that may be unanswered. */
    private int window() {
        return probing ? Math.min(PROBE_PACKETS, settings.windowPackets()) : settings.windowPackets();
    }

    /** Number of PSNs of the next packet. A Read request has one PSN per packet of its response. */
    private int psnsOfNextPacket() {
        if (!Opcodes.read(wqe.opcode())) {
            return 1;
        }
        int portion = settings.readPackets();
        int left = building.packetsOf(wqe.length()) - cursorPacket;
        int most = Math.min(portion - cursorPacket % portion, left);
        return repeating ? peerHas.run(nextPsn, most) : most;
    }

    /** Whether the packet at the cursor has not been sent before. */
    private boolean fresh() {
        return nextPsn == endPsn;
    }

    private boolean mayAskForAnswer() {
        if (!fresh()) {
            return true;
        }
        if (cursor == started && wqe.fenced() && readsOutstanding > 0) {
            return false;
        }
        return !Opcodes.waitsForAnswer(wqe.opcode())
                || readsOutstanding < Math.max(1, settings.outboundReads()) && earlier.mayAsk(cursor);
    }

    private boolean hasCredit(int oldestPsn) {
        return !Opcodes.usesReceive(wqe.opcode()) || nextPsn == oldestPsn || credits.covers(messageNumber());
    }

    private int messageNumber() {
        return cursor < started ? number[(int) cursor & mask] : credits.next();
    }

    /** The end of the delay in progress, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        // A delay that ends while the send queue is drained completes when the queue continues.
        return draining ? Times.NEVER : local.nextDeadlineNs();
    }

    /**
     * Builds the next packet, or executes work that sends none.
     *
     * @return false when the list is full, or no work can be done now
     */
    public boolean step(PacketBuilder out, int oldestPsn, long nowNs) {
        work.at(cursor, wqe);
        boolean first = cursor == started;
        assert first || nextPsn == Psn.plus(firstPsn(cursor), cursorPacket)
                : "the next PSN is not that of the packet at the cursor";
        if (sendsNothing()) {
            return first ? doLocally(nowNs) : skipLocal();
        }
        return !(first && refuses()) && build(out, oldestPsn, nowNs);
    }

    /**
     * Builds packets of Sends and Writes, one after the other, that were not sent before. What needs another decision
     * ends the run: {@link #hasWork} and {@link #step} build the same packets.
     *
     * @param stop number of bytes of the list at which to stop
     * @return whether a packet was built
     */
    public boolean run(PacketBuilder out, int oldestPsn, int stop) {
        if (spray.isPresent() || earlier.notes() || repeating || probing || memoryAwaited || !fresh()) {
            return false;
        }
        long end = Math.min(failedIndex, draining ? started : work.posted());
        int first = nextPsn;
        int window = settings.windowPackets();
        while (cursor < end
                && out.bytes() < stop
                && Psn.distance(nextPsn, oldestPsn) < window
                && buildNext(out, oldestPsn)) {}
        return nextPsn != first;
    }

    private boolean buildNext(PacketBuilder out, int oldestPsn) {
        work.at(cursor, wqe);
        boolean send = wqe.opcode() == WorkOpcode.SEND;
        boolean begins = cursor == started;
        if (!send && wqe.opcode() != WorkOpcode.WRITE
                || begins && wqe.fenced() && readsOutstanding > 0
                || send && !credits.covers(messageNumber())
                || message(out, oldestPsn) != Built.DONE) {
            return false;
        }
        int count = building.packetsOf(wqe.length());
        if (begins) {
            begin(count);
        }
        nextPsn = Psn.plus(nextPsn, 1);
        endPsn = nextPsn;
        cursorPacket++;
        if (cursorPacket == count) {
            cursor++;
            cursorPacket = 0;
        }
        return true;
    }

    /** Refuses work that needs Reads if none were negotiated. */
    private boolean refuses() {
        if (Opcodes.waitsForAnswer(wqe.opcode()) && settings.outboundReads() == 0) {
            return fail(
                    CompletionStatus.LOCAL_OPERATION,
                    "The connection was established without Reads and atomics (outbound Read depth "
                            + "0). Request a depth of at least 1 when connecting.");
        }
        return false;
    }

    private boolean fail(CompletionStatus status, String sentence) {
        failedIndex = cursor;
        failedStatus = status;
        failedSentence = sentence;
        return true;
    }

    /**
     * Builds a request without effect, which the peer answers as a duplicate: a Write of no bytes with the PSN before
     * the next one. Every PSN before that one has been answered.
     *
     * @return false when the list is full
     */
    public boolean duplicate(PacketBuilder out, long nowNs) {
        if (spray.isPresent()) {
            spray.get().changePath();
            building.spray(spray.get().choose(), Spray.clock(nowNs), false);
        }
        return building.emptyWrite(out, Psn.plus(endPsn, -1));
    }

    // Work without a packet.

    private boolean skipLocal() {
        cursor++;
        cursorPacket = 0;
        return true;
    }

    private boolean doLocally(long nowNs) {
        if (earlier.executed(wqe)) {
            return recover();
        }
        switch (local.attempt(wqe, nowNs)) {
            case DONE -> {
                return done();
            }
            case NOT_NOW -> memoryAwaited = true;
            case FAILED -> fail(local.status(), local.sentence());
            case WAITS -> {}
        }
        return false;
    }

    private boolean done() {
        begin(0);
        earlier.skipped(cursor);
        return skipLocal();
    }

    /** Completes an element that was executed over an earlier transport. */
    private boolean recover() {
        Moved moved = earlier.store(wqe);
        return moved == Moved.DONE ? done() : notBuilt(Built.of(moved));
    }

    // Packets.

    /** Assigns PSNs to the element at the cursor. */
    private void begin(int count) {
        int slot = (int) cursor & mask;
        firstPsn[slot] = nextPsn;
        packets[slot] = count;
        answered[slot] = count > 0 && Opcodes.waitsForAnswer(wqe.opcode());
        if (count > 0 && !Opcodes.read(wqe.opcode())) {
            number[slot] = credits.begin(Opcodes.usesReceive(wqe.opcode()));
        }
        started++;
    }

    private boolean build(PacketBuilder out, int oldestPsn, long nowNs) {
        boolean read = Opcodes.read(wqe.opcode());
        int taken = psnsOfNextPacket();
        int before = out.bytes();
        if (spray.isPresent()) {
            building.spray(spray.get().choose(), Spray.clock(nowNs), mayOvertake());
        }
        Built built = read
                ? building.read(out, wqe, cursorPacket, taken, nextPsn)
                : Opcodes.atomic(wqe.opcode()) ? building.atomic(out, wqe, nextPsn) : message(out, oldestPsn);
        if (built != Built.DONE) {
            return notBuilt(built);
        }
        boolean fresh = fresh();
        int count = Opcodes.atomic(wqe.opcode()) ? 1 : building.packetsOf(wqe.length());
        if (cursor == started) {
            begin(count);
            earlier.begun(cursor, wqe);
        }
        if (spray.isPresent()) {
            boolean data = Opcodes.waitsForAnswer(wqe.opcode());
            spray.get().sent(nextPsn, taken, data, out.bytes() - before, nowNs);
        }
        nextPsn = Psn.plus(nextPsn, taken);
        cursorPacket += taken;
        if (cursorPacket == count) {
            cursor++;
            cursorPacket = 0;
        }
        retransmissions += fresh ? 0 : 1;
        if (fresh) {
            endPsn = nextPsn;
            readsOutstanding += Opcodes.waitsForAnswer(wqe.opcode()) ? 1 : 0;
            if (read) {
                credits.begin(false);
            }
        }
        skipAcknowledged();
        return true;
    }

    /** Whether the packets of the message at the cursor may be placed before earlier requests. */
    private boolean mayOvertake() {
        int slot = (int) cursor & mask;
        if (cursor == started) {
            disjoint[slot] = !Opcodes.waitsForAnswer(wqe.opcode())
                    && building.packetsOf(wqe.length()) > 1
                    && overlaps.none(wqe, work.retired(), cursor);
        }
        return disjoint[slot];
    }

    private Built message(PacketBuilder out, int oldestPsn) {
        boolean asks = asksForAck(building.last(wqe, cursorPacket), oldestPsn);
        Built built = building.message(out, wqe, cursorPacket, nextPsn, asks);
        if (built == Built.DONE) {
            sinceAckRequest = asks ? 0 : sinceAckRequest + 1;
        }
        return built;
    }

    private boolean notBuilt(Built built) {
        switch (built) {
            case NOT_NOW -> memoryAwaited = true;
            case LOST ->
                fail(
                        CompletionStatus.LOCAL_MEMORY,
                        "Local memory was lost while it was being sent: its arena was closed or its file truncated.");
            case REFUSED ->
                fail(
                        CompletionStatus.LOCAL_PROTECTION,
                        "A local buffer is not registered, is too short, or does not permit the access.");
            default -> {}
        }
        return false;
    }

    /**
     * Whether a packet requests an acknowledgement: at the end of a message, periodically in a long one, at the end of
     * the window, and without credits.
     */
    private boolean asksForAck(boolean last, int oldestPsn) {
        if (last) {
            return true;
        }
        boolean full = Psn.distance(nextPsn, oldestPsn) + 1 >= window()
                || spray.isPresent() && !spray.get().admits(2);
        boolean probe = Opcodes.usesReceive(wqe.opcode()) && !credits.covers(messageNumber());
        boolean repeated = spray.isPresent() && !fresh();
        return full || probe || repeated || sinceAckRequest + 1 >= ackEvery();
    }

    private int ackEvery() {
        return spray.isPresent() ? Math.min(ACK_EVERY, spray.get().acknowledgeEvery()) : ACK_EVERY;
    }

    // States.

    /** Memory that was not available may be available now. */
    public void resume() {
        memoryAwaited = false;
    }

    public boolean memoryAwaited() {
        return memoryAwaited;
    }

    /** Stops sending until the memory of a response is available. */
    void awaitMemory() {
        memoryAwaited = true;
    }

    /** Sets whether no further element is started (SQD). */
    public void drain(boolean on) {
        draining = on;
    }

    /** What is known about the path. Any thread. */
    RequestFigures figures(int oldestPsn, long timeouts) {
        int outstanding = Math.max(0, Psn.distance(endPsn, oldestPsn));
        return new RequestFigures(outstanding, window(), retransmissions, timeouts, credits.left());
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, cursor);
        d = Digest.mix(d, (long) cursorPacket << 32 | nextPsn);
        d = Digest.mix(d, started);
        d = Digest.mix(d, (long) readsOutstanding << 32 | endPsn);
        d = Digest.mix(d, failedIndex);
        d = Digest.mix(d, (long) failedStatus.ordinal() << 1 | (repeating ? 1 : 0));
        d = local.stateDigest(d);
        d = reported.stateDigest(credits.stateDigest(d));
        d = spray.isPresent() ? spray.get().stateDigest(d) : d;
        return Digest.mix(d, sinceAckRequest << 3 | (draining ? 1 : 0) | (memoryAwaited ? 2 : 0) | (probing ? 4 : 0));
    }
}
