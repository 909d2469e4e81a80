package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.DdpControl;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * MPA's receiving side: finds FPDUs in the stream and hands their ULPDUs up (RFC 5044 section 4).
 *
 * <p>An FPDU that lies whole in the slab that was read is used there. One that is cut off by the end of the slab is
 * dealt with in one of two ways:
 *
 * <ul>
 *   <li>With a checksum or markers it must be whole before any of it may be used: it is collected in {@code carry}.
 *   <li>Without, its payload is placed as it comes ({@code open}): large payload can even be read from the socket to
 *       where it belongs ({@link #target}). Only a cut-off header goes to {@code carry}.
 * </ul>
 *
 * When memory is not there now, nothing is lost: the FPDU stays where it is and is tried again ({@link #retry}).
 *
 * <p>Segments of TCP may also come out of order ({@link #onSegment}): see {@link EarlyFpdus}.
 */
final class FpduReceiver {

    private static final ByteBuffer NO_TARGET = ByteBuffer.allocate(0);
    private static final int SMALL_CARRY = 256;

    /** Enough to tell what a segment is and where its payload belongs. */
    private static final int HEADERS = FpduHeader.LENGTH + DdpUntagged.LENGTH;

    /** Payload from this size on is worth a read of its own. */
    private static final int TARGET_THRESHOLD = 8 * 1024;

    /** Segments of at least so much payload come in rows, and each is worth a read of its own. */
    private static final int LARGE_PAYLOAD = 16 * 1024;

    private final Conversation talk;
    private final UlpduSink receiver;
    private final FpduReader reader;
    private final EarlyFpdus early = new EarlyFpdus();
    private final EarlyReception earlyReception;
    private final Ulpdu ulpdu = new Ulpdu();
    private final FpduHeader header = new FpduHeader();

    private long position;
    private Slab carry = new Slab(SMALL_CARRY);
    private int carried;
    private boolean waiting;

    private final MemorySegment openHeader = MemorySegment.ofArray(new byte[DdpUntagged.LENGTH]);
    private boolean open;
    private boolean viewRefused;
    private long placed;
    private int trailer;

    private long takenFrom;
    private long takenTo;

    FpduReceiver(boolean crc, boolean markers, Conversation talk, UlpduSink receiver) {
        this.talk = talk;
        this.receiver = receiver;
        this.reader = new FpduReader(crc, markers);
        this.earlyReception = new EarlyReception(crc, markers, reader, receiver, early);
    }

    /**
     * Takes bytes from {@link #nextOffset} on; returns where it stopped, before {@code to} only if memory is not there
     * now.
     */
    int onBytes(Slab slab, int from, int to) {
        int at = early.isEmpty() ? inOrder(slab, from, to) : amongEarly(slab, from, to);
        return talk.ended() ? to : at;
    }

    private int inOrder(Slab slab, int from, int to) {
        int at = from;
        while (at < to && !talk.ended() && !waiting) {
            if (open) {
                at = goOn(slab, at, to);
            } else if (carried > 0) {
                at = collect(slab, at, to);
            } else {
                at = begin(slab, at, to);
            }
        }
        return at;
    }

    // Segments in any order.

    /** Takes a TCP segment; {@link #takenFrom} and {@link #takenTo} tell what of it. */
    void onSegment(long streamOffset, Slab slab, int from, int to) {
        long end = streamOffset + (to - from);
        long next = nextOffset();
        takenFrom = streamOffset;
        if (talk.ended() || end <= next) {
            takenTo = end;
        } else if (streamOffset <= next) {
            int stop = onBytes(slab, from + (int) (next - streamOffset), to);
            takenTo = end - (to - stop);
        } else {
            earlyReception.look(streamOffset, slab, from, to, underWayEnd(next));
            takenFrom = earlyReception.takenFrom();
            takenTo = earlyReception.takenTo();
        }
    }

    /** First stream offset that {@link #onSegment} took. */
    long takenFrom() {
        return takenFrom;
    }

    /** Stream offset behind what it took; {@link #takenFrom} if nothing. */
    long takenTo() {
        return takenTo;
    }

    /** Stream offset of the first byte that is not here. */
    long nextOffset() {
        long next = position + carried;
        if (open) {
            int tail = FpduHeader.padLength(ulpdu.length()) + FpduHeader.CRC_LENGTH;
            next += FpduHeader.LENGTH + ulpdu.headerLength() + placed + (tail - trailer);
        }
        return early.isEmpty() ? next : early.behindAll(next);
    }

    private long underWayEnd(long next) {
        int length = carried > 0 && !open ? reader.wireLength(position, carry.segment(), 0, carried) : 0;
        return Math.max(next, position + length);
    }

    /**
     * Takes bytes in order up to each early FPDU, which is then delivered and its bytes, if they are here, passed over.
     */
    private int amongEarly(Slab slab, int from, int to) {
        int at = from;
        while (at < to && !talk.ended() && !waiting) {
            if (early.isEmpty()) {
                return inOrder(slab, at, to);
            }
            long next = nextOffset();
            int until = (int) Math.min(to, at + (early.position(0) - next));
            at = inOrder(slab, at, until);
            if (at == until && !talk.ended()) {
                long before = position + carried;
                deliverEarly();
                at = (int) Math.min(to, at + (nextOffset() - before));
            }
        }
        return at;
    }

    /** Delivers the early FPDUs that the stream has come to. */
    private void deliverEarly() {
        while (!early.isEmpty() && !talk.ended() && !waiting) {
            if (position + carried < early.position(0)) {
                return;
            }
            if (carried > 0) {
                // RFC 5044 section 8 [SHOULD]: the FPDU under way does not end where a later one was found to begin.
                talk.violation(TerminateCode.MPA_FPDU_START, CompletionStatus.PROTOCOL);
                return;
            }
            assert position == early.position(0);
            // Placed it is, but all other checks of its turn are made now; what is not there now is tried again.
            if (decode(early.kept(), early.keptAt(0), early.ulpduLength(0))
                    && receiver.admit(ulpdu, early.kept())
                    && receiver.deliver(ulpdu, early.kept()) == Moved.NOT_NOW) {
                waiting = true;
                return;
            }
            position += early.wireLength(0);
            early.removeFirst();
        }
    }

    /** Whether memory was not there. */
    boolean waiting() {
        return waiting;
    }

    /** Tries again what could not be done. */
    void retry() {
        waiting = false;
        if (talk.ended()) {
            return;
        }
        if (open) {
            finishOpen();
        } else if (carried > 0) {
            tryCarried();
        }
        if (!early.isEmpty()) {
            deliverEarly();
        }
    }

    /** Whether an FPDU has begun and is not complete, or bytes before an early one are missing. */
    boolean insideFpdu() {
        return open || carried > 0 || !early.isEmpty();
    }

    // Whole FPDUs.

    private int begin(Slab slab, int at, int to) {
        int length = reader.wireLength(position, slab.segment(), at, to);
        if (length > 0 && to - at >= length) {
            if (use(slab, at, length) == Moved.NOT_NOW) {
                waiting = true;
                return at;
            }
            return at + length;
        }
        if (length > 0 && !reader.needsWhole() && startOpen(slab, at, to)) {
            return goOn(slab, at + FpduHeader.LENGTH + ulpdu.headerLength(), to);
        }
        return talk.ended() ? to : collect(slab, at, to);
    }

    /**
     * An FPDU is whole at {@code at}: checks and uses it. NOT_NOW means that nothing of it took effect that cannot
     * again.
     */
    private Moved use(Slab slab, int at, int length) {
        // RFC 5044 sections 4.4 [14] and 8 [2]: an FPDU whose CRC does not match is not used, and the stream ends.
        if (!reader.sumIsRight(slab, at, length)) {
            talk.violation(TerminateCode.MPA_CRC, CompletionStatus.CRC);
            return Moved.DONE;
        }
        if (!reader.open(position, slab.segment(), at, length)) {
            talk.violation(TerminateCode.MPA_FPDU_START, CompletionStatus.PROTOCOL);
            return Moved.DONE;
        }
        Moved moved = useUlpdu(reader.segment(), reader.ulpduAt(), reader.ulpduLength());
        if (moved != Moved.NOT_NOW) {
            position += length;
        }
        return moved;
    }

    private Moved useUlpdu(MemorySegment segment, int at, int length) {
        if (!decode(segment, at, length) || !receiver.admit(ulpdu, segment)) {
            return Moved.DONE;
        }
        if (UlpduSink.carriesData(ulpdu)) {
            Moved moved = receiver.place(ulpdu, 0, segment, ulpdu.payloadOffset(), ulpdu.payloadLength());
            if (moved != Moved.DONE) {
                return moved;
            }
        }
        return receiver.deliver(ulpdu, segment);
    }

    private boolean decode(MemorySegment segment, long at, int length) {
        return isRight(ulpdu.decode(segment, at, length), segment);
    }

    private boolean isRight(UlpduOutcome outcome, MemorySegment segment) {
        if (outcome == UlpduOutcome.TOO_SHORT) {
            talk.violation(outcome.terminateCode(), CompletionStatus.PROTOCOL);
            return false;
        }
        // RFC 5044 section 7.1.2 [8]: an FPDU that MPA finds valid lets a responder send, if only to refuse it.
        talk.heardFpdu();
        if (outcome != UlpduOutcome.OK) {
            talk.violation(outcome.terminateCode(), ulpdu, segment);
            return false;
        }
        return true;
    }

    // FPDUs that are cut off: collected.

    private int collect(Slab slab, int at, int to) {
        int length = reader.wireLength(position, carry.segment(), 0, carried);
        int wanted = length > 0 ? length : Marker.LENGTH + FpduHeader.LENGTH;
        if (length > 0 && !reader.needsWhole() && carried < HEADERS) {
            // Enough to know where payload belongs will do; the rest is placed as it comes.
            wanted = Math.min(length, HEADERS);
        }
        int count = Math.min(to - at, wanted - carried);
        ensureCarry(length > 0 ? length : wanted);
        MemorySegment.copy(slab.segment(), at, carry.segment(), carried, count);
        carried += count;
        int behind = at + count;
        length = reader.wireLength(position, carry.segment(), 0, carried);
        if (length > 0 && carried == length) {
            tryCarried();
        } else if (length > 0 && !reader.needsWhole() && startOpen(carry, 0, carried)) {
            openCarried();
        }
        return behind;
    }

    private void tryCarried() {
        int length = reader.wireLength(position, carry.segment(), 0, carried);
        if (length == 0 || carried < length) {
            return;
        }
        if (use(carry, 0, length) == Moved.NOT_NOW) {
            waiting = true;
        } else {
            dropCarry();
        }
    }

    private void ensureCarry(int bytes) {
        if (carry.capacity() < bytes) {
            Slab larger = new Slab(Math.max(bytes, Math.min(2 * carry.capacity(), FpduHeader.MAX_FPDU_LENGTH + 1024)));
            MemorySegment.copy(carry.segment(), 0, larger.segment(), 0, carried);
            carry = larger;
        }
    }

    private void dropCarry() {
        carried = 0;
    }

    // FPDUs that are cut off: placed as they come.

    /** Opens the FPDU at {@code at} if its header is here and it carries data; false if it must be collected. */
    private boolean startOpen(Slab slab, int at, int to) {
        if (!talk.maySend()) {
            // RFC 5044 section 7.1.2 [8]: what lets a responder speak is a whole FPDU, so the first one is collected.
            return false;
        }
        MemorySegment segment = slab.segment();
        int here = to - at - FpduHeader.LENGTH;
        if (here < DdpControl.LENGTH) {
            return false;
        }
        boolean tagged = DdpControl.t(segment.get(ValueLayout.JAVA_BYTE, at + FpduHeader.LENGTH) & 0xff);
        int headerLength = tagged ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
        if (here < headerLength) {
            return false;
        }
        int ulpduLength = header.wrap(segment, at).ulpduLength();
        // The slab will hold other bytes when the FPDU ends; its header is kept.
        MemorySegment.copy(segment, at + FpduHeader.LENGTH, openHeader, 0, headerLength);
        UlpduOutcome outcome = ulpdu.decode(openHeader, 0, ulpduLength);
        if (!UlpduSink.carriesData(ulpdu)) {
            // Right or wrong: what is to be told of it may need more than the DDP header.
            return false;
        }
        if (!isRight(outcome, openHeader) || !receiver.admit(ulpdu, openHeader)) {
            return false;
        }
        open = true;
        placed = 0;
        trailer = FpduHeader.padLength(ulpduLength) + FpduHeader.CRC_LENGTH;
        return true;
    }

    /** What was collected of an FPDU that is open now: its first payload bytes go where they belong. */
    private void openCarried() {
        int payloadAt = FpduHeader.LENGTH + ulpdu.headerLength();
        int behind = carried;
        int at = goOn(carry, payloadAt, behind);
        if (at < behind) {
            // Memory is not there: a tagged header leaves at most four bytes of payload behind it; they wait in front.
            MemorySegment.copy(carry.segment(), at, carry.segment(), 0, behind - at);
            carried = behind - at;
            return;
        }
        dropCarry();
    }

    /** Goes on with the open FPDU. */
    private int goOn(Slab slab, int from, int to) {
        int at = from;
        if (slab != carry && carried > 0) {
            if (goOn(carry, 0, carried) < carried) {
                return from;
            }
            dropCarry();
            if (talk.ended()) {
                return to;
            }
        }
        int left = (int) (ulpdu.payloadLength() - placed);
        int count = Math.min(left, to - at);
        if (count > 0) {
            Moved moved = receiver.place(ulpdu, placed, slab.segment(), at, count);
            if (moved == Moved.NOT_NOW) {
                waiting = true;
                return at;
            }
            if (moved != Moved.DONE) {
                return to;
            }
            placed += count;
            at += count;
        }
        int skipped = placed == ulpdu.payloadLength() ? Math.min(trailer, to - at) : 0;
        trailer -= skipped;
        finishOpen();
        return at + skipped;
    }

    private void finishOpen() {
        if (placed == ulpdu.payloadLength() && trailer == 0) {
            if (receiver.deliver(ulpdu, openHeader) == Moved.NOT_NOW) {
                waiting = true;
                return;
            }
            open = false;
            position += FpduHeader.fpduLength(ulpdu.length());
        }
    }

    /**
     * Where the next bytes may be read directly, an empty buffer if nowhere: payload of an open FPDU where it belongs, the
     * rest of one that is collected behind what is here of it.
     */
    ByteBuffer target() {
        if (waiting) {
            return NO_TARGET;
        }
        if (open) {
            long left = carried == 0 ? ulpdu.payloadLength() - placed : 0;
            if (left < TARGET_THRESHOLD) {
                return NO_TARGET;
            }
            ByteBuffer view = receiver.view(ulpdu, placed, (int) left);
            viewRefused = !view.hasRemaining();
            return view;
        }
        int length = carried > 0 && early.isEmpty() ? reader.wireLength(position, carry.segment(), 0, carried) : 0;
        if (length - carried < TARGET_THRESHOLD) {
            return NO_TARGET;
        }
        ensureCarry(length);
        return carry.range(carried, length);
    }

    /**
     * How many bytes are best read into a slab behind {@code direct} bytes of the {@link #target}. Where large segments come it is
     * what leads to the next one's payload, so that this, too, is read where it belongs: a slab full of it would have to be
     * copied, which costs a receiver as much as the system's own copy.
     */
    int ahead(int direct) {
        if (!open || carried > 0 || viewRefused || ulpdu.payloadLength() < LARGE_PAYLOAD) {
            return Integer.MAX_VALUE;
        }
        int left = (int) (ulpdu.payloadLength() - placed) - direct;
        return left + trailer + FpduHeader.LENGTH + ulpdu.headerLength();
    }

    /** Where the last {@link #target} that was not empty lies in memory. */
    long targetAddress() {
        return open ? receiver.viewAddress() : carry.address() + carried;
    }

    /** So many bytes were read into {@link #target}. */
    void onFilled(int bytes) {
        if (open) {
            placed += bytes;
        } else {
            carried += bytes;
            tryCarried();
        }
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, position);
        d = Digest.mix(d, (long) carried << 32 | trailer);
        d = Digest.mix(d, (open ? 1 + placed : 0) << 1 | (waiting ? 1 : 0));
        return early.stateDigest(d);
    }
}
