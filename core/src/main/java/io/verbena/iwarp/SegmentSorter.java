package io.verbena.iwarp;

import io.verbena.base.Slab;
import io.verbena.iwarp.early.EarlyReception;
import io.verbena.iwarp.early.Holes;
import io.verbena.iwarp.early.UlpduSink;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the segments of a TCP that delivers them in any order: passes bytes in order to {@link FpduReceiver}, and segments after a
 * hole to {@link EarlyReception}. See {@link Holes}.
 */
final class SegmentSorter {

    private final StreamState state;
    private final FpduReceiver inOrder;
    private final Supplier<EarlyReception> reception;

    /** Made when the first segment after a hole arrives, which is never on a stream of bytes. */
    private @Nullable EarlyReception earlyReception;

    private long takenFrom;
    private long takenTo;

    SegmentSorter(StreamSettings settings, StreamState state, FpduReceiver inOrder, UlpduSink sink) {
        this.state = state;
        this.inOrder = inOrder;
        reception = () ->
                new EarlyReception(settings.crc(), settings.receiveMarkers(), inOrder.reader(), sink, inOrder.early());
    }

    /** Takes a TCP segment; {@link #takenFrom} and {@link #takenTo} report which part of it. */
    void onSegment(long streamOffset, Slab slab, int from, int to) {
        long end = streamOffset + (to - from);
        long next = inOrder.nextOffset();
        takenFrom = streamOffset;
        if (state.ended() || end <= next) {
            takenTo = end;
        } else if (streamOffset <= next) {
            int stop = inOrder.onBytes(slab, from + (int) (next - streamOffset), to);
            takenTo = end - (to - stop);
        } else {
            EarlyReception early = early();
            early.onSegment(streamOffset, slab, from, to, next, inOrder.underWayEnd(next), inOrder.begun());
            takenFrom = early.takenFrom();
            takenTo = early.takenTo();
        }
    }

    private EarlyReception early() {
        EarlyReception early = earlyReception;
        if (early == null) {
            early = reception.get();
            earlyReception = early;
        }
        return early;
    }

    /** First stream offset that {@link #onSegment} took. */
    long takenFrom() {
        return takenFrom;
    }

    /** Stream offset after the last byte that was taken; {@link #takenFrom} if none was. */
    long takenTo() {
        return takenTo;
    }
}
