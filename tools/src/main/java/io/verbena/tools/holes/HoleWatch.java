package io.verbena.tools.holes;

import io.verbena.base.Slab;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.early.Hole;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * The receiving end of a {@link HoleRun}: counts what becomes of each segment that the TCP offers, and what a receiver that waits for order
 * would have buffered.
 */
final class HoleWatch extends EndTaker {

    /** Takes completions; returns the number of Sends among them. */
    private final IntSupplier completions;

    private final List<ClosedHole> closed = new ArrayList<>();
    private final List<HoleSample> samples = new ArrayList<>();

    /** When the data that begins at an offset arrived after a hole. */
    private final TreeMap<Long, Long> arrivalNs = new TreeMap<>();

    /** The bytes of the stream that have arrived. */
    private final BitSet arrived = new BitSet();

    /** Those that were not taken and are kept by the TCP. */
    private final BitSet kept = new BitSet();

    private int firstMissing;
    private long waitingBytes;
    private long mostWaitingBytes;
    private long afterHolesBytes;
    private int refused;
    private long keptBytes;
    private long mostKeptBytes;

    HoleWatch(HoleEnd end, IntSupplier completions) {
        super(end);
        this.completions = completions;
    }

    @Override
    public void onSegment(long streamOffset, Slab slab, int from, int to) {
        IwarpStream stream = end().stream;
        int first = (int) streamOffset;
        int last = first + (to - from);
        long before = stream.nextOffset();
        boolean fills = streamOffset <= before && stream.holes() > 0;
        Optional<ClosedHole> closing = fills ? Optional.of(closing(stream.hole(0), before)) : Optional.empty();
        countForOneThatWaits(first, last);
        super.onSegment(streamOffset, slab, from, to);
        countKept(first, last);
        int completed = completions.getAsInt();
        closing.filter(hole ->
                        stream.nextOffset() > hole.gap().from() + hole.gap().missingBytes())
                .ifPresent(hole -> {
                    if (completed < hole.sends()) {
                        throw new IllegalStateException(completed + " of " + hole.sends()
                                + " Sends after a hole have completed within the call that closed it");
                    }
                    closed.add(hole);
                });
        arrivalNs.headMap(stream.nextOffset()).clear();
        samples.add(new HoleSample(nowNs(), stream.holes(), waitingBytes, stream.scrapBytes()));
    }

    @Override
    public boolean nextWithdrawn() {
        if (super.nextWithdrawn()) {
            throw new IllegalStateException("A guess was wrong, at offset " + withdrawnFrom());
        }
        return false;
    }

    private ClosedHole closing(Hole hole, long from) {
        long waitNs = nowNs() - arrivalNs.getOrDefault(hole.to(), nowNs());
        return new ClosedHole(
                nowNs(),
                waitNs,
                new ClosedHole.Gap(from, hole.to() - from),
                hole.placedBytes(),
                hole.sends(),
                hole.requests());
    }

    /** A receiver that waits for order keeps what arrives after a hole until the hole has closed. */
    private void countForOneThatWaits(int first, int last) {
        int fresh = last - first - arrived.get(first, last).cardinality();
        if (fresh == 0) {
            return;
        }
        arrived.set(first, last);
        if (first > firstMissing) {
            arrivalNs.putIfAbsent((long) first, nowNs());
            afterHolesBytes += fresh;
            waitingBytes += fresh;
            mostWaitingBytes = Math.max(mostWaitingBytes, waitingBytes);
        } else {
            int next = arrived.nextClearBit(firstMissing);
            waitingBytes -= next - firstMissing - fresh;
            firstMissing = next;
        }
    }

    private void countKept(int first, int last) {
        int takenFrom = (int) Math.clamp(takenFrom(), first, last);
        int takenTo = (int) Math.clamp(takenTo(), takenFrom, last);
        keptBytes -= kept.get(first, last).cardinality();
        kept.set(first, last);
        kept.clear(takenFrom, takenTo);
        int left = last - first - (takenTo - takenFrom);
        keptBytes += left;
        refused += left > 0 ? 1 : 0;
        mostKeptBytes = Math.max(mostKeptBytes, keptBytes + end().stream.scrapBytes());
    }

    List<ClosedHole> closed() {
        return List.copyOf(closed);
    }

    /** At most about this many samples. */
    List<HoleSample> samples(int most) {
        int step = Math.max(1, samples.size() / most);
        List<HoleSample> few = new ArrayList<>();
        for (int i = 0; i < samples.size(); i += step) {
            few.add(samples.get(i));
        }
        return List.copyOf(few);
    }

    /** Segments that were not taken, or only in part. */
    int refused() {
        return refused;
    }

    long mostKeptBytes() {
        return mostKeptBytes;
    }

    long afterHolesBytes() {
        return afterHolesBytes;
    }

    long mostWaitingBytes() {
        return mostWaitingBytes;
    }
}
