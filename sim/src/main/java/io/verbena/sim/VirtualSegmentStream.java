package io.verbena.sim;

import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One end of a virtual connection whose TCP delivers segments in any order. The pipe transports bytes in order; this end
 * cuts them where the units of the sender ended, and offers the segments late, repeatedly and in the order that a {@link
 * SegmentPlan} selects. It checks what the taker reports.
 */
final class VirtualSegmentStream extends VirtualStream implements SegmentStream {

    private static final int WINDOW_BYTES = 1 << 20;
    private static final int MOST_OFFERED = 64 * 1024;
    private static final long ROUND_TRIP_NS = 50_000;
    private static final int MOST_RETRANSMITTED = 64;

    private final Run run;
    private final SegmentPlan plan;
    private final SimRandom random;
    private final Slab slab = new Slab(MOST_OFFERED + 64);

    /** Kept: to clear a new one for each look at the pipe was a fifth of the time of a run. */
    private final ByteBuffer pulled = ByteBuffer.allocate(MOST_OFFERED);

    private final List<Segment> pending = new ArrayList<>();

    /** Bytes taken by the owner, and bytes that have arrived at least once and were kept. */
    private final OffsetRanges taken = new OffsetRanges();

    private final OffsetRanges arrived = new OffsetRanges();

    /** Ranges that were not taken and not kept: the end of each by its beginning. */
    private final TreeMap<Long, Long> dropped = new TreeMap<>();

    private boolean delivering;

    /** Bytes that left the pipe since the first offset. */
    private byte[] bytes = new byte[4096];

    private long firstOffset;
    private long pipeOrigin;
    private long pulledTo;
    private long cutTo;
    private long inOrder;
    private long announced;
    private int refusedUnitBytes;

    /** A segment to offer, from an instant on. */
    private record Segment(long from, long to, long dueNs) {}

    VirtualSegmentStream(
            Run run, Link link, String name, InetSocketAddress local, InetSocketAddress remote, SegmentTcp tcp) {
        super(run, link, name, local, remote);
        this.run = run;
        this.plan = tcp.plan();
        this.random = tcp.random().fork(local.getPort());
    }

    @Override
    void pipes(VirtualPipe newIn, VirtualPipe newOut) {
        super.pipes(newIn, newOut);
        newOut.keepsUnits();
    }

    @Override
    public int segmentBytes() {
        return plan.segmentBytes();
    }

    // Transmission.

    @Override
    public int write(TransmitList list) throws IOException {
        beforeWrite();
        int written = 0;
        for (int unit = 0; unit < list.units(); unit++) {
            int length = list.unitEnd(unit) - written;
            Slab copy = new Slab(length);
            list.copyOut(written, list.unitEnd(unit), copy, 0);
            if (!out().writeUnit(copy.segment().toArray(ValueLayout.JAVA_BYTE))) {
                refusedUnitBytes = length;
                break;
            }
            written = list.unitEnd(unit);
        }
        lookSoon(0);
        return written;
    }

    @Override
    boolean hasRoom() {
        return out().accepts(delivering ? Math.max(1, refusedUnitBytes) : 1);
    }

    // Reception.

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (delivering) {
            throw new IllegalStateException(this + " delivers segments: call receive");
        }
        return super.read(target);
    }

    @Override
    public void deliverSegments(long newFirstOffset) {
        if (delivering) {
            throw new IllegalStateException(this + " delivers segments already");
        }
        delivering = true;
        firstOffset = newFirstOffset;
        pipeOrigin = in().readBytes();
        pulledTo = newFirstOffset;
        cutTo = newFirstOffset;
        inOrder = newFirstOffset;
        announced = newFirstOffset;
        lookSoon(0);
    }

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        beforeRead();
        pull();
        int offered = offerHead(taker);
        while (offered < byteBudget) {
            Segment next = takeDue();
            if (next == null) {
                break;
            }
            offered += offer(taker, next.from(), next.to());
            offered += offerHead(taker);
        }
        retransmit();
        if (inOrder > announced) {
            announced = inOrder;
            taker.onInOrder(inOrder);
        }
        if (offered == 0) {
            throwIfBroken();
        }
        lookSoon(0);
        return offered == 0 && atEnd() ? END : offered;
    }

    private boolean atEnd() {
        return in().ended() && in().arrived() == 0 && inOrder == pulledTo;
    }

    private boolean windowOpen() {
        return pulledTo - inOrder < WINDOW_BYTES;
    }

    /** Takes bytes out of the pipe and cuts them into segments. */
    private void pull() {
        while (windowOpen()) {
            int count = in().read(pulled.clear());
            if (count == 0) {
                break;
            }
            int at = (int) (pulledTo - firstOffset);
            if (at + count > bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * (at + count));
            }
            pulled.flip().get(bytes, at, count);
            pulledTo += count;
        }
        peer().lookSoon(run.weather().packetDelayNs());
        long end;
        while ((end = nextCut()) > cutTo) {
            while (random.oneIn(plan.mergeOneIn()) && end - cutTo < MOST_OFFERED / 2 && cutAfter(end) > end) {
                end = cutAfter(end);
            }
            long delayNs = random.oneIn(plan.holdOneIn()) ? random.sizeNs(plan.maxHoldNs()) : 0;
            boolean late = cutTo <= plan.lateAtByte() && plan.lateAtByte() < end;
            schedule(cutTo, end, late ? plan.lateNs() : delayNs);
            if (random.oneIn(plan.repeatOneIn())) {
                repeat(cutTo, end);
            }
            cutTo = end;
        }
    }

    private long nextCut() {
        return cutAfter(cutTo);
    }

    /** End of the segment that begins at an offset; the offset itself if the segment has not arrived. */
    private long cutAfter(long from) {
        long unitEnd = in().unitEndAfter(pipeOrigin + from - firstOffset) - pipeOrigin + firstOffset;
        boolean rest = in().ended() && in().arrived() == 0;
        long end = Math.min(rest ? Math.min(pulledTo, unitEnd) : unitEnd, from + plan.segmentBytes());
        return end <= pulledTo ? end : from;
    }

    private void repeat(long from, long to) {
        long first = Math.max(firstOffset, from - random.size(2 * plan.segmentBytes()));
        long last = Math.min(to, first + MOST_OFFERED);
        schedule(first + random.nextInt((int) (last - first)), last, random.sizeNs(plan.maxHoldNs()));
    }

    private void schedule(long from, long to, long delayNs) {
        pending.add(new Segment(from, to, run.nowNs() + delayNs));
        if (delayNs > 0) {
            run.after(delayNs, () -> lookSoon(0));
        }
    }

    private @Nullable Segment takeDue() {
        List<Segment> due = new ArrayList<>(pending);
        due.removeIf(each -> each.dueNs() - run.nowNs() > 0);
        if (due.isEmpty()) {
            return null;
        }
        // Without faults in the order of the stream.
        Segment chosen = plan.holdOneIn() == 0 ? due.getFirst() : random.pick(due);
        pending.remove(chosen);
        return chosen;
    }

    /** Offers the bytes in order that have arrived before and were not taken. */
    private int offerHead(SegmentTaker taker) {
        int offered = 0;
        while (true) {
            long before = inOrder;
            long end = Math.min(arrived.firstMissing(inOrder), inOrder + MOST_OFFERED);
            if (end == inOrder) {
                return offered;
            }
            offered += offer(taker, inOrder, end);
            if (inOrder == before) {
                return offered;
            }
        }
    }

    private int offer(SegmentTaker taker, long from, long to) {
        int length = (int) (to - from);
        int at = random.nextInt(64);
        MemorySegment.copy(bytes, (int) (from - firstOffset), slab.segment(), ValueLayout.JAVA_BYTE, at, length);
        taker.onSegment(from, slab, at, at + length);
        while (taker.nextWithdrawn()) {
            if (taker.withdrawnFrom() < inOrder) {
                run.fail(this + ": acknowledged bytes were withdrawn at " + taker.withdrawnFrom());
            }
            taken.remove(taker.withdrawnFrom(), taker.withdrawnTo());
        }
        // The memory of a segment is used again.
        slab.segment().asSlice(at, length).fill((byte) random.nextInt());
        long first = taker.takenFrom();
        long last = taker.takenTo();
        if (first > last || first < last && (first < from || last > to)) {
            run.fail(this + ": of " + from + ".." + to + " the range " + first + ".." + last + " was taken");
        }
        taken.add(first, last);
        arrived.add(from, to);
        inOrder = taken.firstMissing(inOrder);
        if (!plan.keeps()) {
            dropUntaken(from, to);
        }
        return length;
    }

    /** The peer retransmits what follows a hole and was not taken. */
    private void dropUntaken(long from, long to) {
        for (long at = taken.firstMissing(from); at < to; ) {
            long end = taken.firstWithin(at, to);
            if (at > inOrder) {
                arrived.remove(at, end);
                dropped.merge(at, end, Math::max);
            }
            at = taken.firstMissing(end);
        }
    }

    /** The peer retransmits when all before a dropped range has been acknowledged: some ranges in a round trip. */
    private void retransmit() {
        while (!dropped.isEmpty() && dropped.firstEntry().getValue() <= inOrder) {
            dropped.pollFirstEntry();
        }
        if (dropped.isEmpty() || dropped.firstKey() > inOrder) {
            return;
        }
        for (int i = 0; i < MOST_RETRANSMITTED && !dropped.isEmpty(); i++) {
            Map.Entry<Long, Long> range = dropped.pollFirstEntry();
            schedule(range.getKey(), range.getValue(), ROUND_TRIP_NS + random.sizeNs(plan.maxHoldNs()));
        }
    }

    // Events.

    @Override
    boolean toRead() {
        if (!delivering) {
            return super.toRead();
        }
        return in().arrived() > 0 && windowOpen() || duePending() || atEnd();
    }

    private boolean duePending() {
        for (Segment each : pending) {
            if (each.dueNs() - run.nowNs() <= 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean unread() {
        return super.unread() || delivering && inOrder < pulledTo;
    }
}
