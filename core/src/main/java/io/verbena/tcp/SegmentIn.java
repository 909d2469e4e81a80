package io.verbena.tcp;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The segment that is being processed. One object for all segments. */
final class SegmentIn {

    private final TcpHeader header = new TcpHeader();
    private final TcpOptionReader options = new TcpOptionReader();
    private MemorySegment memory = MemorySegment.NULL;
    private int flags;
    private long payload;
    private int length;
    private @Nullable Slab lent;
    private boolean marked;

    /** Points at a TCP segment in memory; returns false if its header is malformed. */
    boolean wrap(MemorySegment newMemory, long from, long to) {
        int available = (int) (to - from);
        memory = newMemory;
        if (available < TcpHeader.LENGTH || !header.wrap(newMemory, from).fits(available)) {
            return false;
        }
        flags = header.flags();
        payload = from + header.headerBytes();
        length = (int) (to - payload);
        options.read(newMemory, from + TcpHeader.LENGTH, payload);
        return true;
    }

    /** The carrier lends this memory, which contains the next segments. */
    void lend(@Nullable Slab slab) {
        lent = slab;
    }

    /** The slab whose memory the segment is in, if the carrier lends it. */
    @Nullable
    Slab lent() {
        return lent;
    }

    /** States the ECN bits of the packet in which the segment has arrived. */
    void typeOfService(int value) {
        marked = PacketPath.ecn(value) == PacketPath.CONGESTION_EXPERIENCED;
    }

    /** Whether a router has marked the packet. */
    boolean marked() {
        return marked;
    }

    TcpHeader header() {
        return header;
    }

    TcpOptionReader options() {
        return options;
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    int flags() {
        return flags;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Offset of the data in memory. */
    long payload() {
        return payload;
    }

    /** Bytes of data. */
    int length() {
        return length;
    }

    /** Bytes of the whole segment. */
    int segmentBytes() {
        return header.headerBytes() + length;
    }

    /** SEG.LEN: data, SYN and FIN. */
    int sequenceLength() {
        return length + (has(TcpHeader.SYN) ? 1 : 0) + (has(TcpHeader.FIN) ? 1 : 0);
    }
}
