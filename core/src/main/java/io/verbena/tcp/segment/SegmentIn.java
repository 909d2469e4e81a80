package io.verbena.tcp.segment;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The segment that is being processed. One object for all segments. */
public final class SegmentIn {

    private final TcpHeader header = new TcpHeader();
    private final TcpOptionReader options = new TcpOptionReader();
    private MemorySegment memory = MemorySegment.NULL;
    private int flags;
    private long payload;
    private int length;
    private @Nullable Slab lent;
    private boolean marked;

    /** Points at a TCP segment in memory; returns false if its header is malformed. */
    public boolean wrap(MemorySegment newMemory, long from, long to) {
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
    public void lend(@Nullable Slab slab) {
        lent = slab;
    }

    /** The slab whose memory the segment is in, if the carrier lends it. */
    @Nullable
    public Slab lent() {
        return lent;
    }

    /** States the ECN bits of the packet in which the segment has arrived. */
    public void typeOfService(int value) {
        marked = PacketPath.ecn(value) == PacketPath.CONGESTION_EXPERIENCED;
    }

    /** Whether a router has marked the packet. */
    public boolean marked() {
        return marked;
    }

    public TcpHeader header() {
        return header;
    }

    public TcpOptionReader options() {
        return options;
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    public int flags() {
        return flags;
    }

    public MemorySegment memory() {
        return memory;
    }

    /** Offset of the data in memory. */
    public long payload() {
        return payload;
    }

    /** Bytes of data. */
    public int length() {
        return length;
    }

    /** Bytes of the whole segment. */
    public int segmentBytes() {
        return header.headerBytes() + length;
    }

    /** SEG.LEN: data, SYN and FIN. */
    public int sequenceLength() {
        return length + (has(TcpHeader.SYN) ? 1 : 0) + (has(TcpHeader.FIN) ? 1 : 0);
    }
}
