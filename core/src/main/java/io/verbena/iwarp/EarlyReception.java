package io.verbena.iwarp;

import io.verbena.base.Slab;
import io.verbena.wire.Marker;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * Finds complete FPDUs in a TCP segment that arrived after a hole, places them, and records them in {@link EarlyFpdus}.
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
 */
final class EarlyReception {

    /** Maximum number of positions to try in a segment: each may cost the checksum of an FPDU, and a peer may be hostile. */
    private static final int MAX_STARTS = 4;

    private static final long NOWHERE = Long.MAX_VALUE;
    private static final Slab NO_SLAB = new Slab(0);

    private final boolean crc;
    private final boolean markers;
    private final FpduReader reader;
    private final UlpduSink sink;
    private final EarlyFpdus early;
    private final Ulpdu ulpdu = new Ulpdu();
    private final Marker marker = new Marker();

    // The current segment: stream offsets of its bytes, and the slab offset of its first byte.
    private Slab slab = NO_SLAB;
    private long begin;
    private long end;
    private int origin;

    private long markerOfStart;
    private long takenFrom;
    private long takenTo;

    EarlyReception(boolean crc, boolean markers, FpduReader reader, UlpduSink sink, EarlyFpdus early) {
        this.crc = crc;
        this.markers = markers;
        this.reader = reader;
        this.sink = sink;
        this.early = early;
    }

    /**
     * Takes FPDUs from a segment that starts at {@code streamOffset} and is at {@code from} to {@code to} in the slab. {@link
     * #takenFrom} and {@link #takenTo} report the result.
     *
     * @param inProgressEnd stream offset of the end of the FPDU in progress, or the next offset if the end is not known
     */
    void onSegment(long streamOffset, Slab bytes, int from, int to, long inProgressEnd) {
        slab = bytes;
        begin = streamOffset;
        end = streamOffset + (to - from);
        origin = from;
        takenFrom = begin;
        takenTo = begin;
        if (!crc) {
            return;
        }
        long at = Math.min(end, early.firstMissing(begin));
        if (at > begin) {
            // The segment begins with bytes that were taken before, and the bytes after them begin an FPDU.
            takenTo = chain(at, at);
            return;
        }
        at = Math.max(begin, inProgressEnd);
        for (int tries = 0; tries < MAX_STARTS && at < end; tries++) {
            long start = startFrom(at, inProgressEnd);
            if (start >= end) {
                return;
            }
            long next = chain(start, markerOfStart);
            if (next > start) {
                takenFrom = start;
                takenTo = next;
                return;
            }
            at = start + 1;
        }
    }

    /** Stream offset of the first byte that was taken. */
    long takenFrom() {
        return takenFrom;
    }

    /** Stream offset after the last byte that was taken; {@link #takenFrom} if none was. */
    long takenTo() {
        return takenTo;
    }

    /** The first offset, starting at {@code at}, where an FPDU is known to start; {@link #NOWHERE} if there is none. */
    private long startFrom(long at, long inProgressEnd) {
        long start = at == inProgressEnd ? at : NOWHERE;
        int index = early.firstFrom(at);
        if (index > 0 && early.end(index - 1) == at) {
            start = at;
        }
        if (index < early.count()) {
            start = Math.min(start, early.position(index));
        }
        markerOfStart = start;
        return markers && start > at ? Math.min(start, startByMarker(at, start)) : start;
    }

    private long startByMarker(long at, long before) {
        for (long m = Marker.nextAt(begin); m + Marker.LENGTH <= end; m += Marker.INTERVAL) {
            int back = marker.wrap(slab.segment(), inSlab(m)).fpduptr();
            // RFC 5044 section 4.3 [8, 9]: it points to ULPDU_Length; a marker directly before that belongs to the
            // FPDU.
            long start = m - back;
            if (back > 0 && Marker.isAt(start - Marker.LENGTH)) {
                start -= Marker.LENGTH;
            }
            if (start >= at && start < before) {
                markerOfStart = m;
                return start;
            }
        }
        return NOWHERE;
    }

    /**
     * Takes consecutive FPDUs that start at {@code start}, and skips those that were taken before. The first one must contain
     * the marker by which it was found. Returns the offset after the last one.
     */
    private long chain(long start, long firstMarker) {
        long at = start;
        while (at < end) {
            int index = early.firstFrom(at);
            if (index < early.count() && early.position(index) == at) {
                at = Math.min(end, early.end(index));
                continue;
            }
            int length = reader.wireLength(at, slab.segment(), inSlab(at), inSlab(end));
            long next = at + length;
            boolean complete = length > 0 && next <= end;
            // The end that the FPDU in progress claims may be inside an FPDU that was taken before.
            boolean clash =
                    index < early.count() && next > early.position(index) || index > 0 && early.end(index - 1) > at;
            boolean misled = at == start && firstMarker >= next;
            if (!complete || clash || misled || early.isFull() || !take(at, length)) {
                return at;
            }
            at = next;
        }
        return at;
    }

    private boolean take(long at, int length) {
        // RFC 5044 section 6 [1, 3]: the checksum of an FPDU is verified before anything of it is used.
        if (!reader.checksumMatches(slab, inSlab(at), length) || !reader.open(at, slab.segment(), inSlab(at), length)) {
            return false;
        }
        MemorySegment segment = reader.segment();
        if (ulpdu.decode(segment, reader.ulpduAt(), reader.ulpduLength()) != UlpduOutcome.OK) {
            return false;
        }
        boolean taken = UlpduSink.carriesData(ulpdu)
                ? sink.placeEarly(ulpdu, segment) == Moved.DONE
                : ulpdu.length() <= EarlyFpdus.KEPT_BYTES;
        if (taken) {
            early.add(at, length, segment, reader.ulpduAt(), reader.ulpduLength());
        }
        return taken;
    }

    private int inSlab(long offset) {
        return origin + (int) (offset - begin);
    }
}
