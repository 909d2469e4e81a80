package io.verbena.tcp.send;

import io.verbena.base.PacketList;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.FrameData;
import io.verbena.tcp.segment.BufferPool;
import io.verbena.wire.ip.InternetChecksum;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that were written and are not acknowledged, in a ring, and the ends of the units among them. Segments end where short units end,
 * so that a receiver can use each segment on its own.
 */
public final class SendBuffer {

    private static final int FIRST_ENDS = 64;

    private final BufferPool memory;
    private final int capacity;
    private @Nullable Slab slab;
    private long start;
    private long end;

    /** Ends of units after {@link #start}, in order, as a ring. */
    private long[] ends = new long[FIRST_ENDS];

    private int firstEnd;
    private int endCount;

    /** An empty buffer, which takes memory when bytes are written. */
    SendBuffer(BufferPool memory, long start) {
        this.memory = memory;
        this.capacity = memory.slabBytes();
        this.start = start;
        this.end = start;
    }

    private Slab ring() {
        Slab taken = slab;
        if (taken == null) {
            taken = memory.take();
            slab = taken;
        }
        return taken;
    }

    /** Returns the memory; nothing can be read or written any more. */
    void discard() {
        Slab taken = slab;
        if (taken != null) {
            slab = null;
            memory.give(taken);
        }
    }

    /** The sequence number of the first byte. */
    long start() {
        return start;
    }

    /** The sequence number after the last byte. */
    public long end() {
        return end;
    }

    public int room() {
        return capacity - (int) (end - start);
    }

    private int position(long at) {
        return (int) (at % capacity);
    }

    /** Appends as many bytes as fit, which belong to no unit; returns their number. */
    public int append(ByteBuffer source) {
        int count = Math.min(source.remaining(), room());
        for (int done = 0; done < count; ) {
            int at = position(end);
            int part = Math.min(count - done, capacity - at);
            ring().put(at, source, source.position(), part);
            source.position(source.position() + part);
            end += part;
            done += part;
        }
        return count;
    }

    /**
     * Appends as many whole units as fit; returns the number of their bytes.
     *
     * @param longest segments begin and end where units of at most this size do. A longer unit needs several segments anyway, and a
     *     segment that ended with it would be short, so the bytes after it follow in the same segment
     */
    public int append(TransmitList list, int longest) {
        int units = 0;
        while (units < list.units() && list.unitEnd(units) <= room()) {
            units++;
        }
        if (units == 0) {
            return 0;
        }
        int count = list.unitEnd(units - 1);
        int at = position(end);
        int part = Math.min(count, capacity - at);
        list.copyOut(0, part, ring(), at);
        if (part < count) {
            list.copyOut(part, count, ring(), 0);
        }
        addEnds(list, units, longest);
        end += count;
        return count;
    }

    private void addEnds(TransmitList list, int units, int longest) {
        int from = 0;
        for (int i = 0; i < units; i++) {
            int to = list.unitEnd(i);
            if (to - from <= longest) {
                if (lastEnd() < end + from) {
                    addEnd(end + from);
                }
                addEnd(end + to);
            }
            from = to;
        }
    }

    private long lastEnd() {
        return endCount == 0 ? start : ends[(firstEnd + endCount - 1) & ends.length - 1];
    }

    private void addEnd(long at) {
        if (endCount == ends.length) {
            long[] larger = new long[2 * ends.length];
            for (int i = 0; i < endCount; i++) {
                larger[i] = ends[(firstEnd + i) & ends.length - 1];
            }
            ends = larger;
            firstEnd = 0;
        }
        ends[(firstEnd + endCount) & ends.length - 1] = at;
        endCount++;
    }

    /**
     * The end of a segment that begins at {@code from} and has at most {@code most} bytes: the last end of a unit in it, or as many
     * bytes as there are if no unit ends in it.
     */
    long segmentEnd(long from, int most) {
        long limit = Math.min(end, from + most);
        int low = 0;
        int high = endCount;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[(firstEnd + middle) & ends.length - 1] <= limit) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        long unit = low == 0 ? from : ends[(firstEnd + low - 1) & ends.length - 1];
        return unit > from ? unit : limit;
    }

    /** Copies bytes to a place. */
    void copy(long from, long to, MemorySegment target, long offset) {
        int at = position(from);
        int count = (int) (to - from);
        int part = Math.min(count, capacity - at);
        MemorySegment bytes = ring().segment();
        MemorySegment.copy(bytes, at, target, offset, part);
        if (part < count) {
            MemorySegment.copy(bytes, 0, target, offset + part, count - part);
        }
    }

    /** Adds bytes to a packet that is sent before anything is released or written. */
    void addViews(long from, long to, PacketList list) {
        Slab bytes = ring();
        ByteBuffer whole = bytes.range(0, capacity);
        int at = position(from);
        int count = (int) (to - from);
        int part = Math.min(count, capacity - at);
        list.addView(whole, at, part, bytes.address() + at);
        if (part < count) {
            list.addView(whole, 0, count - part, bytes.address());
        }
    }

    /** Describes bytes to a carrier that sends them before anything is released or written. */
    void refer(long from, long to, FrameData data) {
        data.set(ring(), capacity, position(from), (int) (to - from));
    }

    /** The sum of bytes for a checksum. */
    long sum(long from, long to) {
        int at = position(from);
        int count = (int) (to - from);
        int part = Math.min(count, capacity - at);
        MemorySegment bytes = ring().segment();
        long sum = InternetChecksum.sum(bytes, at, part);
        if (part < count) {
            int rest = InternetChecksum.fold(InternetChecksum.sum(bytes, 0, count - part));
            // RFC 1071 section 2: after an odd number of bytes, the bytes of the sum are swapped.
            sum += part % 2 == 0 ? rest : (rest << 8 | rest >>> 8) & 0xffff;
        }
        return sum;
    }

    /** The bytes before {@code upTo} are acknowledged. */
    void release(long upTo) {
        start = Math.max(start, Math.min(upTo, end));
        while (endCount > 0 && ends[firstEnd] <= start) {
            firstEnd = (firstEnd + 1) & ends.length - 1;
            endCount--;
        }
    }

    @Override
    public String toString() {
        return "bytes " + start + ".." + end + ", " + endCount + " ends of units";
    }
}
