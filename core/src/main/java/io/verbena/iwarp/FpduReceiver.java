package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.iwarp.early.EarlyTables;
import io.verbena.iwarp.early.Holes;
import io.verbena.iwarp.early.Scraps;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.iwarp.frame.FpduReader;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.DdpControl;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.EarlyMemory;
import io.verbena.work.Moved;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The receiving side of MPA: finds FPDUs in the stream and passes their ULPDUs up (RFC 5044 section 4).
 *
 * <p>An FPDU that is complete in the slab is used there. One that extends past the end of the slab is handled in one of two
 * ways:
 *
 * <ul>
 *   <li>With a checksum or markers it must be complete before any of it may be used: it is collected in {@code carry}.
 *   <li>Otherwise its payload is placed as it arrives ({@code open}), and large payload can be read from the socket directly
 *       to its buffer ({@link #target}). Only a partial header is collected in {@code carry}.
 * </ul>
 *
 * When memory is not available, nothing is lost: the FPDU is kept and tried again ({@link #retry}).
 *
 * <p>What arrived after holes is delivered when the bytes before it have arrived, see {@link Holes}.
 *
 * <p>Over 500 lines: an FPDU is in one of four places, and each step looks at all of them.
 */
final class FpduReceiver {

    private static final ByteBuffer NO_TARGET = ByteBuffer.allocate(0);
    private static final int SMALL_CARRY = 256;

    /** Enough bytes to identify a segment and the buffer of its payload. */
    private static final int HEADERS = FpduHeader.LENGTH + DdpUntagged.LENGTH;

    /** Payload of at least this size is read from the socket by a separate call. */
    private static final int TARGET_THRESHOLD = 8 * 1024;

    /** Segments with at least this much payload usually follow one another, and each is read by a separate call. */
    private static final int LARGE_PAYLOAD = 16 * 1024;

    private final StreamState state;
    private final UlpduSink receiver;
    private final FpduReader reader;
    private final EarlyTables early;
    private final EarlyDelivery earlyDelivery;
    private final MessageRun run;
    private final Ulpdu ulpdu = new Ulpdu();
    private final FpduHeader header = new FpduHeader();

    private long position;
    private Slab carry = Slab.NONE;
    private int carried;
    private boolean waiting;

    /** The FPDU that comes next has waited for memory: it takes the answer itself, which a run would take from it. */
    private boolean waited;

    /** Off the heap as all other memory here, so that each access is compiled for one kind of memory. Made when it is needed. */
    private MemorySegment openHeader = MemorySegment.NULL;

    private boolean open;
    private boolean viewRefused;
    private long placed;
    private int trailer;

    FpduReceiver(StreamSettings settings, StreamState state, UlpduSink receiver, EarlyMemory memory) {
        this.state = state;
        this.receiver = receiver;
        this.reader = new FpduReader(settings.crc(), settings.receiveMarkers());
        this.early = new EarlyTables(settings.guesses(), reader, memory);
        this.earlyDelivery = new EarlyDelivery(state, receiver, early);
        this.run = new MessageRun(receiver);
    }

    /**
     * Takes bytes that start at {@link #nextOffset}. Returns the offset of the first byte that was not taken, which is less
     * than {@code to} only if memory is not available now.
     */
    int onBytes(Slab slab, int from, int to) {
        int at = early.nothingPlaced() ? inOrder(slab, from, to) : amongEarly(slab, from, to);
        return state.ended() ? to : at;
    }

    private int inOrder(Slab slab, int from, int to) {
        int at = from;
        while (at < to && !state.ended() && !waiting) {
            if (open) {
                at = continueOpen(slab, at, to);
            } else if (carried > 0) {
                at = collect(slab, at, to);
            } else {
                at = begin(slab, at, to);
            }
        }
        return at;
    }

    // What arrived after holes.

    /** Stream offset of the first missing byte. */
    long nextOffset() {
        long next = position + carried;
        if (open) {
            int tail = FpduHeader.padLength(ulpdu.length()) + FpduHeader.CRC_LENGTH;
            next += FpduHeader.LENGTH + ulpdu.headerLength() + placed + (tail - trailer);
        }
        return early.isEmpty() ? next : early.holes.firstMissing(next);
    }

    /** Whether an FPDU was delivered. */
    boolean begun() {
        return position > 0;
    }

    /** Stream offset of the end of the FPDU in progress; {@code next}, the first missing byte, if that is not known. */
    long underWayEnd(long next) {
        int length = carried > 0 && !open ? reader.wireLength(position, carry.segment(), 0, carried) : 0;
        return Math.max(next, position + length);
    }

    /** Takes bytes in order up to the end of each hole, delivers what follows the hole, and skips those bytes. */
    private int amongEarly(Slab slab, int from, int to) {
        int at = from;
        while (at < to && !state.ended() && !waiting) {
            if (early.nothingPlaced()) {
                return inOrder(slab, at, to);
            }
            int until = (int) Math.min(to, at + (early.firstPlaced() - nextOffset()));
            at = inOrder(slab, at, until);
            if (at == until && !state.ended()) {
                long before = position + carried;
                deliverEarly();
                while (confirmNext()) {
                    deliverEarly();
                }
                at = (int) Math.min(to, at + (nextOffset() - before));
            }
        }
        return at;
    }

    /** Delivers what follows the first hole, if that has closed. */
    private void deliverEarly() {
        while (!early.isEmpty()
                && !state.ended()
                && !waiting
                && position + carried >= early.holes.hole(0).to()) {
            if (early.scraps.startAt(position + carried)) {
                useScrap();
            } else if (carried > 0) {
                // RFC 5044 section 8 [SHOULD]: the FPDU in progress does not end where an early one begins.
                state.violation(TerminateCode.MPA_FPDU_START, CompletionStatus.PROTOCOL);
                return;
            } else {
                assert position == early.records.position(0);
                long end = early.records.end(0);
                waiting = earlyDelivery.deliverFirst() == Moved.NOT_NOW;
                position = waiting ? early.records.position(0) : end;
            }
            early.holes.deliveredTo(position + carried);
        }
    }

    /** Turns the first guess into a record if its start is certain now; see {@link EarlyDelivery#confirmNext}. */
    private boolean confirmNext() {
        long next = nextOffset();
        boolean adjacent = next == position + carried;
        boolean start = adjacent && (carried == 0 || underWayEnd(next) == next);
        return !state.ended() && earlyDelivery.confirmNext(next, adjacent, start);
    }

    /** Processes the bytes of the first scrap in order. */
    private void useScrap() {
        Scraps scraps = early.scraps;
        int from = scraps.at(0);
        int used = inOrder(scraps.slab(), from, from + scraps.length(0)) - from;
        scraps.removeFront(0, used, false);
    }

    /** Whether the next byte begins an FPDU, and nothing of the stream is held. */
    boolean between() {
        return !open && carried == 0 && !waiting && early.isEmpty() && early.nothingPlaced();
    }

    /** An FPDU of this length was received in another way. */
    void passed(int length) {
        position += length;
    }

    FpduReader reader() {
        return reader;
    }

    /** What arrived after holes. */
    EarlyTables early() {
        return early;
    }

    /** Whether memory was not available. */
    boolean waiting() {
        return waiting;
    }

    /** Repeats what memory was not available for. */
    void retry() {
        waiting = false;
        if (state.ended()) {
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

    /** Whether an FPDU is incomplete, or bytes before an early one are missing. */
    boolean insideFpdu() {
        return open || carried > 0 || !early.nothingPlaced();
    }

    // Complete FPDUs.

    private int begin(Slab slab, int from, int to) {
        int at = waited || reader.needsWhole() ? from : run.take(slab.segment(), from, to);
        waited = false;
        position += at - from;
        if (at == to) {
            return at;
        }
        int length = reader.wireLength(position, slab.segment(), at, to);
        if (length > 0 && to - at >= length) {
            if (use(slab, at, length) == Moved.NOT_NOW) {
                waiting = true;
                waited = true;
                return at;
            }
            return at + length;
        }
        if (length > 0 && !reader.needsWhole() && startOpen(slab, at, to)) {
            return continueOpen(slab, at + FpduHeader.LENGTH + ulpdu.headerLength(), to);
        }
        return state.ended() ? to : collect(slab, at, to);
    }

    /**
     * Checks and uses a complete FPDU at {@code at}. After NOT_NOW the same call can be repeated: everything that took effect
     * may take effect again.
     */
    private Moved use(Slab slab, int at, int length) {
        // RFC 5044 sections 4.4 [14] and 8 [2]: an FPDU whose CRC does not match is not used, and the stream ends.
        if (!reader.checksumMatches(slab, at, length)) {
            state.violation(TerminateCode.MPA_CRC, CompletionStatus.CRC);
            return Moved.DONE;
        }
        if (!reader.open(position, slab.segment(), at, length)) {
            state.violation(TerminateCode.MPA_FPDU_START, CompletionStatus.PROTOCOL);
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
        return accept(ulpdu.decode(segment, at, length), segment);
    }

    /** Accepts a decoded ULPDU, or reports a violation and returns false. */
    private boolean accept(UlpduOutcome outcome, MemorySegment segment) {
        if (outcome == UlpduOutcome.TOO_SHORT) {
            state.violation(outcome.terminateCode(), CompletionStatus.PROTOCOL);
            return false;
        }
        // RFC 5044 section 7.1.2 [8]: an FPDU that is valid for MPA allows a responder to send, even if only a
        // Terminate.
        state.onReceived();
        if (outcome != UlpduOutcome.OK) {
            state.violation(outcome.terminateCode(), ulpdu, segment);
            return false;
        }
        return true;
    }

    // Incomplete FPDUs that are collected.

    private int collect(Slab slab, int at, int to) {
        int length = reader.wireLength(position, carry.segment(), 0, carried);
        int needed = length > 0 ? length : Marker.LENGTH + FpduHeader.LENGTH;
        if (length > 0 && !reader.needsWhole() && carried < HEADERS) {
            // The headers suffice to find the buffer; the rest is placed as it arrives.
            needed = Math.min(length, HEADERS);
        }
        int count = Math.min(to - at, needed - carried);
        ensureCarry(length > 0 ? length : needed);
        MemorySegment.copy(slab.segment(), at, carry.segment(), carried, count);
        carried += count;
        int end = at + count;
        length = reader.wireLength(position, carry.segment(), 0, carried);
        if (length > 0 && carried == length) {
            tryCarried();
        } else if (length > 0 && !reader.needsWhole() && startOpen(carry, 0, carried)) {
            openCarried();
        }
        return end;
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
            Slab larger = new Slab(Math.max(
                    Math.max(bytes, SMALL_CARRY), Math.min(2 * carry.capacity(), FpduHeader.MAX_FPDU_LENGTH + 1024)));
            MemorySegment.copy(carry.segment(), 0, larger.segment(), 0, carried);
            carry = larger;
        }
    }

    private void dropCarry() {
        carried = 0;
    }

    // Incomplete FPDUs that are placed as they arrive.

    /** Opens the FPDU at {@code at} if its header is complete and it carries data. Returns false if it must be collected. */
    private boolean startOpen(Slab slab, int at, int to) {
        if (!state.maySend()) {
            // RFC 5044 section 7.1.2 [8]: only a complete FPDU allows a responder to send, so the first one is
            // collected.
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
        // The slab will contain other bytes when the FPDU ends, so its header is copied.
        if (openHeader.byteSize() == 0) {
            openHeader = Arena.ofAuto().allocate(DdpUntagged.LENGTH);
        }
        MemorySegment.copy(segment, at + FpduHeader.LENGTH, openHeader, 0, headerLength);
        UlpduOutcome outcome = ulpdu.decode(openHeader, 0, ulpduLength);
        if (!UlpduSink.carriesData(ulpdu)) {
            // Delivery, or a Terminate message, may need more than the DDP header.
            return false;
        }
        if (!accept(outcome, openHeader) || !receiver.admit(ulpdu, openHeader)) {
            return false;
        }
        open = true;
        placed = 0;
        trailer = FpduHeader.padLength(ulpduLength) + FpduHeader.CRC_LENGTH;
        return true;
    }

    /** Places the payload bytes that were collected of an FPDU that is open now. */
    private void openCarried() {
        int payloadAt = FpduHeader.LENGTH + ulpdu.headerLength();
        int end = carried;
        int at = continueOpen(carry, payloadAt, end);
        if (at < end) {
            // Memory is not available. At most four payload bytes follow a tagged header; they move to the front of the
            // slab.
            MemorySegment.copy(carry.segment(), at, carry.segment(), 0, end - at);
            carried = end - at;
            return;
        }
        dropCarry();
    }

    /** Continues with the open FPDU. */
    private int continueOpen(Slab slab, int from, int to) {
        int at = from;
        if (slab != carry && carried > 0) {
            if (continueOpen(carry, 0, carried) < carried) {
                return from;
            }
            dropCarry();
            if (state.ended()) {
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
     * The buffer to which the next bytes may be read directly, or an empty one: for an open FPDU the buffer of its payload, for
     * an FPDU that is collected the space after the collected bytes.
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
     * How many bytes to read into a slab after {@code direct} bytes of the {@link #target}. While large segments arrive these are
     * only the bytes up to the next payload, so that this payload, too, is read directly to its buffer. Copying it from a slab
     * would cost as much as the system's own copy.
     */
    int ahead(int direct) {
        if (!open || carried > 0 || viewRefused || ulpdu.payloadLength() < LARGE_PAYLOAD) {
            return Integer.MAX_VALUE;
        }
        int left = (int) (ulpdu.payloadLength() - placed) - direct;
        return left + trailer + FpduHeader.LENGTH + ulpdu.headerLength();
    }

    /** Memory address of the most recent {@link #target} that was not empty. */
    long targetAddress() {
        return open ? receiver.viewAddress() : carry.address() + carried;
    }

    /** This many bytes were read into {@link #target}. */
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
        d = Digest.mix(Digest.mix(d, open ? 1 + placed : 0), Digest.flags(waited, waiting, open && viewRefused));
        return early.stateDigest(d);
    }
}
