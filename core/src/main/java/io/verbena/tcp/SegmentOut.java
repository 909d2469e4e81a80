package io.verbena.tcp;

import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;

/** The segment that is being written, at a place in memory. One object for all segments. */
final class SegmentOut {

    private final TcpHeader header = new TcpHeader();
    private final TcpOptionWriter options = new TcpOptionWriter();
    private MemorySegment memory = MemorySegment.NULL;
    private long start;
    private int headerBytes;
    private int payloadBytes;

    /** Begins a segment at this place: options are written first. */
    TcpOptionWriter begin(MemorySegment newMemory, long offset) {
        memory = newMemory;
        start = offset;
        payloadBytes = 0;
        return options.wrap(newMemory, offset + TcpHeader.LENGTH);
    }

    /** Writes the header, after the options. */
    void header(int ports, int sequence, int acknowledgment, int flags, int window) {
        headerBytes = TcpHeader.LENGTH + options.length();
        header.wrap(memory, start)
                .write(ports, sequence, acknowledgment, TcpHeader.lengthAndFlags(headerBytes, flags))
                .window(window);
    }

    /** Copies the data, after the header. */
    void payload(SendBuffer buffer, long from, long to) {
        payloadBytes = (int) (to - from);
        buffer.copy(from, to, memory, start + headerBytes);
    }

    /** Bytes of the segment. */
    int length() {
        return headerBytes + payloadBytes;
    }

    int payloadBytes() {
        return payloadBytes;
    }

    TcpHeader header() {
        return header;
    }
}
