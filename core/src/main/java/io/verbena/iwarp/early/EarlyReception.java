package io.verbena.iwarp.early;

import io.verbena.base.Slab;
import io.verbena.iwarp.frame.FpduReader;
import io.verbena.wire.Marker;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * Finds FPDUs in a TCP segment that arrived after a hole, places them, and records them in {@link EarlyTables}.
 *
 * <p>RFC 5044 section 6 [2]: the start of an FPDU must be known with certainty. After a hole it is known in three cases:
 *
 * <pre>
 *   after an early FPDU                  |== early ==|== here ...
 *   after the FPDU in progress           == in progress = length known =|- - hole - -|== here ...
 *   from a marker                        - - hole - -|..... here ====[marker]=====| ...
 *                                                           &lt;--------- FPDUPTR
 * </pre>
 *
 * From there each length leads to the next FPDU. An early FPDU always needs a correct checksum; without checksums no FPDU is
 * taken early. The second case goes further than the RFC, because the length of the FPDU in progress is not covered by a
 * checksum yet. The FPDU found this way has its own checksum, and is delivered only if the FPDU in progress turns out to be
 * correct and to end exactly there.
 *
 * <p>If none of these applies, a Write at the start of the segment can be placed as a guess, see {@link Guesses}.
 *
 * <p>An FPDU that is only partly in the segment, and the end of one that began before it, are stored in {@link Scraps}. An FPDU
 * is used as soon as scraps and a segment complete it. One that cannot be used early (its receive is not posted, its checksum is
 * wrong) remains a scrap and is processed in order. Bytes are taken once: of those that arrive again, the first ones count.
 */
public final class EarlyReception {

    /** Maximum number of positions to try in a segment: each may cost the checksum of an FPDU, and a peer may be hostile. */
    private static final int MAX_STARTS = 4;

    private static final long NOWHERE = Long.MAX_VALUE;

    private final boolean crc;
    private final boolean markers;
    private final FpduReader reader;
    private final UlpduSink sink;
    private final EarlyTables tables;
    private final Holes holes;
    private final EarlyRecords records;
    private final Guesses guesses;
    private final Scraps scraps;
    private final Ulpdu ulpdu = new Ulpdu();
    private final Marker marker = new Marker();

    // The current segment: stream offsets of its bytes, and the slab offset of its first byte.
    private Slab slab = Slab.NONE;
    private long begin;
    private long end;
    private int origin;

    /** Stream offset of the first missing byte, and of the end of the FPDU in progress there, if it is known. */
    private long next;

    private long inProgressEnd;

    /** A start that was found by a marker, and that marker, which must be in the FPDU. */
    private long startByMarker;

    private long markerOfStart;

    private long takenFrom;
    private long takenTo;

    public EarlyReception(boolean crc, boolean markers, FpduReader reader, UlpduSink sink, EarlyTables tables) {
        this.crc = crc;
        this.markers = markers;
        this.reader = reader;
        this.sink = sink;
        this.tables = tables;
        holes = tables.holes;
        records = tables.records;
        guesses = tables.guesses;
        scraps = tables.scraps;
    }

    /**
     * Takes FPDUs from a segment that starts at {@code streamOffset} and is at {@code from} to {@code to} in the slab. {@link
     * #takenFrom} and {@link #takenTo} report the result.
     *
     * @param firstMissing stream offset of the first missing byte, which is before the segment
     * @param fpduEnd stream offset of the end of the FPDU in progress, or {@code firstMissing} if the end is not known
     * @param begun whether an FPDU was delivered
     */
    public void onSegment(
            long streamOffset, Slab bytes, int from, int to, long firstMissing, long fpduEnd, boolean begun) {
        slab = bytes;
        begin = streamOffset;
        end = streamOffset + (to - from);
        origin = from;
        next = firstMissing;
        inProgressEnd = fpduEnd;
        startByMarker = NOWHERE;
        takenFrom = begin;
        takenTo = begin;
        long takenBefore = tables.figures.takenBytes;
        if (crc) {
            takenTo = advance(begin, NOWHERE);
            if (takenTo == begin) {
                search();
            }
            if (takenTo == takenFrom && begun && guesses.possible()) {
                takenFrom = begin;
                takenTo = guess();
            }
        }
        long refused = end - begin - (takenTo - takenFrom);
        tables.figures.arrivedBytes += tables.figures.takenBytes - takenBefore + refused;
    }

    /** Stream offset of the first byte that was taken. */
    public long takenFrom() {
        return takenFrom;
    }

    /** Stream offset after the last byte that was taken; {@link #takenFrom} if none was. */
    public long takenTo() {
        return takenTo;
    }

    /** Searches for an FPDU that starts within the segment. */
    private void search() {
        if (end <= inProgressEnd) {
            takenTo = storeBegin(end) ? end : begin;
            return;
        }
        long at = Math.max(begin, inProgressEnd);
        for (int tries = 0; tries < MAX_STARTS && at < end; tries++) {
            long start = startFrom(at);
            if (start >= end) {
                return;
            }
            long stop = advance(start, start);
            if (stop > start) {
                // After a start that was refused, the bytes before this one may be an FPDU with a fault.
                takenFrom = tries == 0 && start > begin && storeBegin(start) ? begin : start;
                takenTo = stop;
                return;
            }
            at = start + 1;
        }
    }

    /** Stores the begin of the segment, the end of an FPDU, if nothing of it was taken. */
    private boolean storeBegin(long to) {
        if (holes.nextEarly(begin, to) < to || !tables.roomForScrap(begin, to)) {
            return false;
        }
        complete(tables.addScrap(next, begin, slab.segment(), origin, (int) (to - begin), false));
        return true;
    }

    /** The first offset, starting at {@code at}, where an FPDU is known to start; {@link #NOWHERE} if there is none. */
    private long startFrom(long at) {
        long start = at == inProgressEnd || records.endsAt(at) ? at : NOWHERE;
        int index = records.firstFrom(at);
        if (index < records.count()) {
            start = Math.min(start, records.position(index));
        }
        for (int i = 0; i < scraps.count() && start > at; i++) {
            long claimed = scraps.begins(i) && scraps.from(i) < end ? claimedEnd(i) : NOWHERE;
            if (claimed >= at) {
                start = Math.min(start, claimed);
            }
        }
        return markers && start > at ? Math.min(start, byMarker(at, start)) : start;
    }

    private long byMarker(long at, long before) {
        for (long m = Marker.nextAt(begin); m + Marker.LENGTH <= end; m += Marker.INTERVAL) {
            int back = marker.wrap(slab.segment(), inSlab(m)).fpduptr();
            // RFC 5044 section 4.3 [8, 9]: it points to ULPDU_Length; a marker directly before that belongs to the
            // FPDU.
            long start = m - back;
            if (back > 0 && Marker.isAt(start - Marker.LENGTH)) {
                start -= Marker.LENGTH;
            }
            if (start >= at && start < before) {
                startByMarker = start;
                markerOfStart = m;
                return start;
            }
        }
        return NOWHERE;
    }

    /**
     * Takes what continues the bytes before {@code at}, and skips what was taken before. Returns the first offset that was not
     * taken, at most the end of the segment.
     *
     * @param known an offset where an FPDU is known to start, or {@link #NOWHERE}
     */
    private long advance(long from, long known) {
        long at = from;
        long start = known;
        while (at < end) {
            long missing = Math.min(end, holes.firstMissing(at));
            if (missing > at) {
                at = missing;
                continue;
            }
            int scrap = scraps.endingAt(at);
            long stop = at;
            if (scrap >= 0 && scraps.begins(scrap) && claimedEnd(scrap) != at) {
                stop = continueScrap(scrap, at);
            } else if (at == start || at == inProgressEnd || scrap >= 0 && scraps.begins(scrap) || records.endsAt(at)) {
                stop = tables.confirm(next, at, false);
                stop = stop == at ? takeFrom(at) : Math.min(end, stop);
                start = stop;
            }
            if (stop == at) {
                return at;
            }
            at = stop;
        }
        return at;
    }

    /** Takes the FPDU that starts at {@code at}, or stores the part of it that is here. Returns the offset after it. */
    private long takeFrom(long at) {
        long here = Math.min(end, holes.nextEarly(at, end));
        int length = reader.wireLength(at, slab.segment(), inSlab(at), inSlab(here));
        long stop = at + length;
        if (at == startByMarker && markerOfStart >= stop) {
            return at;
        }
        if (length > 0 && stop <= here) {
            return take(slab, inSlab(at), at, length, false) ? stop : at;
        }
        if (clashes(at, stop) || !tables.roomForScrap(at, here)) {
            return at;
        }
        complete(tables.addScrap(next, at, slab.segment(), inSlab(at), (int) (here - at), true));
        return here;
    }

    /** Whether an FPDU that ends at {@code stop} would reach into one that was taken. */
    private boolean clashes(long at, long stop) {
        int index = records.firstFrom(at);
        return index < records.count() && stop > records.position(index);
    }

    // Guesses.

    /** Takes Writes from the start of the segment whose start is not known. Returns the offset after them. */
    private long guess() {
        long at = begin;
        while (at < end) {
            long known = Math.min(end, guesses.endFrom(at));
            long stop = known > at ? known : guessAt(at);
            if (stop == at) {
                return at;
            }
            at = stop;
        }
        return at;
    }

    private long guessAt(long at) {
        int length = reader.wireLength(at, slab.segment(), inSlab(at), inSlab(end));
        long stop = at + length;
        boolean free = length > 0
                && stop <= end
                && at >= inProgressEnd
                && holes.firstMissing(at) == at
                && holes.nextEarly(at, stop) == stop
                && startFrom(at + 1) >= stop
                && !guesses.overlaps(at, stop);
        boolean placed = free
                && opens(slab, inSlab(at), at, length)
                && ulpdu.opcode() == RdmapOpcode.WRITE
                && ulpdu.payloadLength() > 0
                && tables.roomForGuess()
                && sink.placeEarly(ulpdu, reader.segment()) == Moved.DONE;
        if (!placed) {
            return at;
        }
        tables.addGuess(at, stop, ulpdu, reader.segment());
        return stop;
    }

    // Scraps.

    /** Where the last FPDU that begins in a scrap ends; where the scrap ends while the length of that FPDU is not known. */
    private long claimedEnd(int scrap) {
        long at = scraps.from(scrap);
        long to = scraps.to(scrap);
        while (at < to) {
            int length = lengthInScrap(scrap, at);
            if (length == 0) {
                return NOWHERE - 1;
            }
            at += length;
        }
        return at;
    }

    private int lengthInScrap(int scrap, long at) {
        int offset = scraps.at(scrap) + (int) (at - scraps.from(scrap));
        return reader.wireLength(at, scraps.slab().segment(), offset, scraps.at(scrap) + scraps.length(scrap));
    }

    /** Adds bytes of the segment to the incomplete FPDU at the end of a scrap. Returns the offset after them. */
    private long continueScrap(int scrap, long at) {
        long stop = claimedEnd(scrap);
        if (stop == NOWHERE - 1) {
            // Its length field is incomplete; there may be a marker before it.
            stop = at + 1;
        }
        long to = Math.min(stop, Math.min(end, holes.nextEarly(at, end)));
        if (clashes(at, stop) || !tables.roomForScrap(at, to)) {
            return at;
        }
        complete(tables.addScrap(next, at, slab.segment(), inSlab(at), (int) (to - at), false));
        return to;
    }

    /** Takes the complete FPDUs at the front of a scrap. */
    private void complete(int scrap) {
        while (scraps.begins(scrap)) {
            long from = scraps.from(scrap);
            int length = lengthInScrap(scrap, from);
            boolean whole = length > 0 && length <= scraps.length(scrap);
            if (!whole || !take(scraps.slab(), scraps.at(scrap), from, length, true)) {
                return;
            }
            boolean all = length == scraps.length(scrap);
            scraps.removeFront(scrap, length, true);
            if (all) {
                return;
            }
        }
    }

    // Complete FPDUs.

    /** Takes a complete FPDU. {@code covered} means that its bytes were taken before, as scraps. */
    private boolean take(Slab source, int sourceAt, long at, int length, boolean covered) {
        if (!opens(source, sourceAt, at, length) || !tables.roomFor(at, at + length)) {
            return false;
        }
        MemorySegment segment = reader.segment();
        int kind = kind(ulpdu);
        int slot = 0;
        switch (kind) {
            case EarlyRecords.KEPT -> {
                slot = ulpdu.length() <= EarlyMessages.MAX_BYTES ? tables.freeSlot() : -1;
                if (slot < 0) {
                    return false;
                }
                tables.messages.put(slot, segment, ulpdu.offset(), ulpdu.length());
            }
            case EarlyRecords.REQUEST -> {
                if (!sink.enterEarly(ulpdu, segment)) {
                    return false;
                }
            }
            default -> {
                if (sink.placeEarly(ulpdu, segment) != Moved.DONE) {
                    return false;
                }
            }
        }
        if (!covered) {
            tables.cover(next, at, at + length);
        }
        tables.add(at, at + length, kind, ulpdu, segment, slot);
        return true;
    }

    /** Whether a complete FPDU has a correct checksum and a header that can be decoded, which this does. */
    private boolean opens(Slab source, int sourceAt, long at, int length) {
        // RFC 5044 section 6 [1, 3]: the checksum of an FPDU is verified before anything of it is used.
        return reader.checksumMatches(source, sourceAt, length)
                && reader.open(at, source.segment(), sourceAt, length)
                && ulpdu.decode(reader.segment(), reader.ulpduAt(), reader.ulpduLength()) == UlpduOutcome.OK;
    }

    private static int kind(Ulpdu u) {
        return switch (u.opcode()) {
            case WRITE -> EarlyRecords.WRITE;
            case READ_RESPONSE -> EarlyRecords.RESPONSE;
            case READ_REQUEST, ATOMIC_REQUEST -> EarlyRecords.REQUEST;
            case SEND, SEND_SE -> EarlyRecords.SEND;
            case SEND_INVALIDATE, SEND_SE_INVALIDATE -> u.last() ? EarlyRecords.SINGLE : EarlyRecords.SEND;
            default -> EarlyRecords.KEPT;
        };
    }

    private int inSlab(long offset) {
        return origin + (int) (offset - begin);
    }
}
