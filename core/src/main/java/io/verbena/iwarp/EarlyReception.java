package io.verbena.iwarp;

import io.verbena.base.Slab;
import io.verbena.wire.Marker;
import io.verbena.wire.Ulpdu;
import io.verbena.wire.UlpduOutcome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * Finds whole FPDUs in a TCP segment that lies behind a hole, has them placed, and records them in {@link EarlyFpdus}.
 *
 * <p>RFC 5044 section 6 [2]: the start of an FPDU must be known without doubt. It is, behind a hole,
 *
 * <pre>
 *   where an early FPDU ends             |== early ==|== here ...
 *   where the FPDU under way ends        == under way = length known =|- - hole - -|== here ...
 *   where a marker says                  - - hole - -|..... here ====[marker]=====| ...
 *                                                           &lt;--------- FPDUPTR
 * </pre>
 *
 * and from there on from FPDU to FPDU by their lengths. Always with a checksum that is right; without checksums nothing
 * is early. The second one is bolder than the RFC, since the length under way has no checksum yet. What it leads to has
 * one of its own, and is delivered only if the FPDU under way turns out to be right and to end just there.
 */
final class EarlyReception {

    /** Places in a segment that are tried: each may cost the sum of a whole FPDU, and a peer may lie. */
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

    // The segment that is looked at: stream offsets of its bytes, and where the first one lies in the slab.
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
     * Looks at the segment of stream bytes {@code streamOffset} on, which lie at {@code from} to {@code to}. See {@link
     * #takenFrom}.
     *
     * @param underWayEnd where the FPDU under way in order ends, or the next offset if that is not known
     */
    void look(long streamOffset, Slab bytes, int from, int to, long underWayEnd) {
        slab = bytes;
        begin = streamOffset;
        end = streamOffset + (to - from);
        origin = from;
        takenFrom = begin;
        takenTo = begin;
        if (!crc) {
            return;
        }
        long at = Math.min(end, early.behindAll(begin));
        if (at > begin) {
            // The segment begins with bytes that are here already, and what follows them begins an FPDU.
            takenTo = chain(at, at);
            return;
        }
        at = Math.max(begin, underWayEnd);
        for (int tries = 0; tries < MAX_STARTS && at < end; tries++) {
            long start = startFrom(at, underWayEnd);
            if (start >= end) {
                return;
            }
            long behind = chain(start, markerOfStart);
            if (behind > start) {
                takenFrom = start;
                takenTo = behind;
                return;
            }
            at = start + 1;
        }
    }

    /** First stream offset of what was taken. */
    long takenFrom() {
        return takenFrom;
    }

    /** Stream offset behind what was taken; {@link #takenFrom} if nothing was. */
    long takenTo() {
        return takenTo;
    }

    /** The first place from {@code at} on where an FPDU is known to start; {@link #NOWHERE} if there is none. */
    private long startFrom(long at, long underWayEnd) {
        long start = at == underWayEnd ? at : NOWHERE;
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
            // RFC 5044 section 4.3 [8, 9]: it points to ULPDU_Length; a marker just before that belongs to the FPDU.
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
     * Takes one FPDU after the other from {@code start} on; what is here already is passed over. The first one must
     * hold the marker that told of it. Returns the offset behind the last one.
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
            long behind = at + length;
            boolean whole = length > 0 && behind <= end;
            // What the FPDU under way claims to be its end may lie inside one that was taken before.
            boolean clash =
                    index < early.count() && behind > early.position(index) || index > 0 && early.end(index - 1) > at;
            boolean misled = at == start && firstMarker >= behind;
            if (!whole || clash || misled || early.isFull() || !take(at, length)) {
                return at;
            }
            at = behind;
        }
        return at;
    }

    private boolean take(long at, int length) {
        // RFC 5044 section 6 [1, 3]: before anything of an FPDU is used, its checksum is verified.
        if (!reader.sumIsRight(slab, inSlab(at), length) || !reader.open(at, slab.segment(), inSlab(at), length)) {
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
