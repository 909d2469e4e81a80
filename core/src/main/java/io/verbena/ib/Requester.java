package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.AtomicEth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Ieth;
import io.verbena.wire.ib.ImmDt;
import io.verbena.wire.ib.Reth;
import io.verbena.work.Moved;

/**
 * The requester of a reliable connection: turns work into packets and, with go-back-N, sends again what was lost.
 *
 * <pre>
 *   send queue   | retired | ....... acknowledged up to here ....... | started | posted
 *   PSN          ...........| oldest |..............| next |......| end |
 *                             first one without      cursor         behind the last
 *                             an answer                             one ever sent
 * </pre>
 *
 * A request has {@code packets} PSNs from {@code firstPsn} on; a Read has as many as its response has packets. The cursor goes
 * through the packets; {@link #restart} sets it back, and what follows is built again from memory. What the answers mean is in
 * {@link Completer}.
 */
final class Requester {

    /** An acknowledgement is asked for at least this often, so that the window moves before it is full. */
    private static final int ACK_EVERY = 32;

    private final RcSettings settings;
    private final QueuePairWork owner;
    private final WorkQueue work;
    private final PacketPath path;
    private final Wqe wqe = new Wqe();
    private final Reth reth = new Reth();
    private final AtomicEth atomicEth = new AtomicEth();
    private final ImmDt immDt = new ImmDt();
    private final Ieth ieth = new Ieth();

    // By slot of the send queue.
    private final int mask;
    private final int[] firstPsn;
    private final int[] packets;

    /** Index of the element that the cursor is in, and of its packet. */
    private long cursor;

    private int cursorPacket;
    private int nextPsn;

    /** Index behind the last element that has got PSNs. */
    private long started;

    private int endPsn;
    private int sinceAckRequest;
    private int readsOutstanding;
    private boolean delaying;
    private long delayUntilNs;
    private boolean draining;
    private boolean memoryAwaited;
    private long failedIndex = Long.MAX_VALUE;
    private CompletionStatus failedStatus = CompletionStatus.SUCCESS;
    private String failedSentence = "";

    Requester(RcSettings settings, QueuePairWork owner, PacketPath path) {
        this.settings = settings;
        this.owner = owner;
        this.path = path;
        work = owner.queues().send();
        int slots = Integer.highestOneBit(Math.max(1, 2 * work.depth() - 1));
        mask = slots - 1;
        firstPsn = new int[slots];
        packets = new int[slots];
        cursor = work.retired();
        started = cursor;
        nextPsn = settings.firstSendPsn();
        endPsn = nextPsn;
    }

    // What the completer asks.

    /** Index behind the last element that was begun. */
    long started() {
        return started;
    }

    /** The PSN behind the last one that was ever sent. */
    int endPsn() {
        return endPsn;
    }

    int firstPsn(long index) {
        return firstPsn[(int) index & mask];
    }

    /** PSNs of an element that was begun; 0 for work that has no packet. */
    int packets(long index) {
        return packets[(int) index & mask];
    }

    /** A Read or atomic is answered. */
    void answered() {
        readsOutstanding--;
    }

    /** Where local work failed, the index of that element, else a number beyond all. */
    long failedIndex() {
        return failedIndex;
    }

    Failure localFailure() {
        return Failure.ofRequest(failedStatus, failedSentence);
    }

    /** Everything from this PSN on is sent again. It belongs to an element that was begun, or is the end. */
    void restart(long index, int psn) {
        cursor = index;
        cursorPacket = index < started ? Psn.distance(psn, firstPsn(index)) : 0;
        nextPsn = psn;
        sinceAckRequest = 0;
    }

    /** The answers have passed the cursor: it goes on behind them. */
    void skipTo(long index, int psn) {
        if (Psn.distance(psn, nextPsn) > 0) {
            restart(index, psn);
        }
    }

    // Driving.

    /** Whether a packet can be built now. */
    boolean hasWork(int oldestPsn, long completed, long nowNs) {
        if (memoryAwaited || cursor >= failedIndex || Psn.distance(nextPsn, oldestPsn) >= settings.windowPackets()) {
            return false;
        }
        return cursor < started || mayStart(completed, nowNs);
    }

    private boolean mayStart(long completed, long nowNs) {
        if (draining || cursor >= work.posted()) {
            return false;
        }
        work.at(cursor, wqe);
        if (wqe.fenced() && readsOutstanding > 0) {
            return false;
        }
        return switch (wqe.opcode()) {
            case READ, READ_WITH_INVALIDATE, COMPARE_AND_SWAP, FETCH_AND_ADD ->
                readsOutstanding < Math.max(1, settings.outboundReads());
            case DELAY -> !delaying || Times.due(delayUntilNs, nowNs);
            // Nothing that is under way may still use the key.
            case LOCAL_INVALIDATE, BIND, UNBIND -> completed == cursor;
            default -> true;
        };
    }

    /** When work that delays the queue is over, or {@link Times#NEVER}. */
    long nextDeadlineNs() {
        return delaying ? delayUntilNs : Times.NEVER;
    }

    /**
     * Builds the next packet, or does work that has none.
     *
     * @return false when there is no room, or nothing can be done now
     */
    boolean step(PacketBuilder out, int oldestPsn, long nowNs) {
        work.at(cursor, wqe);
        boolean first = cursor == started;
        return switch (wqe.opcode()) {
            case DELAY -> first ? delay(nowNs) : skipLocal();
            case LOCAL_INVALIDATE, BIND, UNBIND -> first ? workOnKeys() : skipLocal();
            default -> {
                if (first && refuses()) {
                    yield false;
                }
                yield build(out, oldestPsn);
            }
        };
    }

    /** Work that never goes out: it is too long, or needs Reads that were not agreed. */
    private boolean refuses() {
        if (Opcodes.waitsForAnswer(wqe.opcode()) && settings.outboundReads() == 0) {
            return fail(CompletionStatus.LOCAL_OPERATION, "the connection was set up without Reads and atomics");
        }
        return false;
    }

    private boolean fail(CompletionStatus status, String sentence) {
        failedIndex = cursor;
        failedStatus = status;
        failedSentence = sentence;
        return true;
    }

    // Work without a packet.

    private boolean skipLocal() {
        cursor++;
        cursorPacket = 0;
        return true;
    }

    private boolean doneLocally() {
        begin(0);
        return skipLocal();
    }

    private boolean delay(long nowNs) {
        if (!delaying) {
            delaying = true;
            delayUntilNs = Times.after(nowNs, wqe.operand1());
        }
        if (!Times.due(delayUntilNs, nowNs)) {
            return false;
        }
        delaying = false;
        return doneLocally();
    }

    private boolean workOnKeys() {
        return switch (owner.keys().work(wqe)) {
            case DONE -> doneLocally();
            case NOT_NOW -> {
                memoryAwaited = true;
                yield false;
            }
            case LOST, REFUSED -> {
                if (wqe.opcode() == WorkOpcode.LOCAL_INVALIDATE) {
                    fail(CompletionStatus.LOCAL_OPERATION, "the key to invalidate is not ours or not valid");
                } else {
                    String why = owner.keys().verdict().sentence();
                    fail(CompletionStatus.BIND_FAILED, "a key cannot be bound or unbound: " + why);
                }
                yield false;
            }
        };
    }

    // Packets.

    /** The element under the cursor gets PSNs. */
    private void begin(int count) {
        int slot = (int) cursor & mask;
        firstPsn[slot] = endPsn;
        packets[slot] = count;
        endPsn = Psn.plus(endPsn, count);
        started++;
    }

    private int packetsOf(int length) {
        return Math.max(1, (length + settings.mtuBytes() - 1) / settings.mtuBytes());
    }

    private boolean build(PacketBuilder out, int oldestPsn) {
        boolean read = wqe.opcode() == WorkOpcode.READ || wqe.opcode() == WorkOpcode.READ_WITH_INVALIDATE;
        boolean built = read ? readRequest(out) : Opcodes.atomic(wqe.opcode()) ? atomic(out) : message(out, oldestPsn);
        if (!built) {
            return false;
        }
        int count = Opcodes.atomic(wqe.opcode()) ? 1 : packetsOf(wqe.length());
        if (cursor == started) {
            begin(count);
            readsOutstanding += Opcodes.waitsForAnswer(wqe.opcode()) ? 1 : 0;
        }
        int taken = read ? count - cursorPacket : 1;
        nextPsn = Psn.plus(nextPsn, taken);
        cursorPacket += taken;
        if (cursorPacket == count) {
            cursor++;
            cursorPacket = 0;
        }
        return true;
    }

    private boolean readRequest(PacketBuilder out) {
        if (!owner.buffers().usable(wqe, true)) {
            return !fail(CompletionStatus.LOCAL_PROTECTION, "the buffers of a Read are not registered or too short");
        }
        if (!out.begin(path, IbOpcode.RC_READ_REQUEST, settings.remoteQp(), nextPsn, 0)) {
            return false;
        }
        long done = (long) cursorPacket * settings.mtuBytes();
        reth.wrap(out.segment(), out.header(IbOpcode.RC_READ_REQUEST.rethOffset()))
                .va(wqe.remoteAddress() + done)
                .rKey(wqe.rkey())
                .dmaLength((int) (wqe.length() - done));
        out.bth().a(true);
        out.end(path);
        return true;
    }

    private boolean atomic(PacketBuilder out) {
        boolean swap = wqe.opcode() == WorkOpcode.COMPARE_AND_SWAP;
        IbOpcode opcode = swap ? IbOpcode.RC_COMPARE_SWAP : IbOpcode.RC_FETCH_ADD;
        if (!out.begin(path, opcode, settings.remoteQp(), nextPsn, 0)) {
            return false;
        }
        atomicEth
                .wrap(out.segment(), out.header(opcode.atomicEthOffset()))
                .va(wqe.remoteAddress())
                .rKey(wqe.rkey())
                .swapOrAddData(swap ? wqe.operand2() : wqe.operand1())
                .compareData(swap ? wqe.operand1() : 0);
        out.bth().a(true);
        out.end(path);
        return true;
    }

    private boolean message(PacketBuilder out, int oldestPsn) {
        long done = (long) cursorPacket * settings.mtuBytes();
        int payload = (int) Math.min(settings.mtuBytes(), wqe.length() - done);
        boolean last = done + payload == wqe.length();
        IbOpcode opcode = Opcodes.packet(wqe.opcode(), cursorPacket == 0, last);
        if (!out.begin(path, opcode, settings.remoteQp(), nextPsn, payload)) {
            return false;
        }
        Moved moved = owner.buffers().gather(wqe, done, out.segment(), out.payload(), payload);
        if (moved != Moved.DONE) {
            out.drop();
            return notGathered(moved);
        }
        if (opcode.hasReth()) {
            reth.wrap(out.segment(), out.header(opcode.rethOffset()))
                    .va(wqe.remoteAddress())
                    .rKey(wqe.rkey())
                    .dmaLength(wqe.length());
        }
        if (opcode.immediate()) {
            immDt.wrap(out.segment(), out.header(opcode.immOffset())).immediate((int) wqe.operand1());
        }
        if (opcode.invalidates()) {
            ieth.wrap(out.segment(), out.header(opcode.iethOffset())).rKey(wqe.rkey());
        }
        out.bth().se(last && wqe.solicited()).a(asksForAck(last, oldestPsn));
        out.end(path);
        return true;
    }

    private boolean notGathered(Moved moved) {
        switch (moved) {
            case NOT_NOW -> memoryAwaited = true;
            case LOST -> fail(CompletionStatus.LOCAL_MEMORY, "memory of ours went away while it was being sent");
            default -> fail(CompletionStatus.LOCAL_PROTECTION, "a buffer to be sent is not registered or too short");
        }
        return false;
    }

    /** At the end of a message, in the middle of a long one, and before the window is full. */
    private boolean asksForAck(boolean last, int oldestPsn) {
        boolean full = Psn.distance(nextPsn, oldestPsn) + 1 >= settings.windowPackets();
        boolean asks = last || full || ++sinceAckRequest >= ACK_EVERY;
        if (asks) {
            sinceAckRequest = 0;
        }
        return asks;
    }

    // States.

    /** Memory that was not there may be now. */
    void resume() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    /** The memory of a response is not there: nothing more is asked for until it is. */
    void awaitMemory() {
        memoryAwaited = true;
    }

    /** Whether no element is begun from now on (SQD). */
    void drain(boolean on) {
        draining = on;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, cursor);
        d = Digest.mix(d, (long) cursorPacket << 32 | nextPsn);
        d = Digest.mix(d, started);
        d = Digest.mix(d, (long) readsOutstanding << 32 | endPsn);
        d = Digest.mix(d, failedIndex);
        d = Digest.mix(d, delaying ? delayUntilNs : 0);
        return Digest.mix(d, sinceAckRequest << 2 | (draining ? 1 : 0) | (memoryAwaited ? 2 : 0));
    }
}
