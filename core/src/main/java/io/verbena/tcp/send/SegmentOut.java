package io.verbena.tcp.send;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.FrameData;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionWriter;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The segment that is being written, at a place in memory. One object for all segments. */
public final class SegmentOut {

    private final TcpHeader header = new TcpHeader();
    private final TcpOptionWriter options = new TcpOptionWriter();
    private MemorySegment memory = MemorySegment.NULL;
    private long start;
    private int headerBytes;
    private int payloadBytes;
    private boolean gathers;
    private boolean congestionCapable;
    private @Nullable SendBuffer source;
    private long sourceFrom;
    private int firstBytes;
    private int mostBytes;

    /** The data of segments stays in the send buffer, and the carrier collects it with {@link #addPayload} or {@link #describe}. */
    public void gathers() {
        gathers = true;
    }

    /** Segments are written together if they do not exceed this size; 0 for single ones. */
    public void together(int bytes) {
        mostBytes = bytes;
    }

    /** Begins a segment at this place: options are written first. */
    public TcpOptionWriter begin(MemorySegment newMemory, long offset) {
        memory = newMemory;
        start = offset;
        payloadBytes = 0;
        source = null;
        congestionCapable = false;
        firstBytes = 0;
        return options.wrap(newMemory, offset + TcpHeader.LENGTH);
    }

    /** Writes the header, after the options. */
    public void header(int ports, int sequence, int acknowledgment, int flags, int window) {
        headerBytes = TcpHeader.LENGTH + options.length();
        header.wrap(memory, start)
                .write(ports, sequence, acknowledgment, TcpHeader.lengthAndFlags(headerBytes, flags))
                .window(window);
    }

    /** Copies the data, after the header, or refers to it. */
    public void payload(SendBuffer buffer, long from, long to) {
        payloadBytes = (int) (to - from);
        firstBytes = payloadBytes;
        if (gathers) {
            source = buffer;
            sourceFrom = from;
        } else {
            buffer.copy(from, to, memory, start + headerBytes);
        }
    }

    /** Appends the data that was not copied to a packet. */
    public void addPayload(PacketList list) {
        SendBuffer from = source;
        if (from != null) {
            from.addViews(sourceFrom, sourceFrom + payloadBytes, list);
        }
    }

    /** Describes the data that was not copied. */
    public void describe(FrameData data) {
        SendBuffer from = source;
        if (from == null) {
            data.clear();
        } else {
            from.refer(sourceFrom, sourceFrom + payloadBytes, data);
        }
    }

    /** Copies the data that was not copied: the packet does not leave now, and the send buffer may change before it does. */
    public void complete() {
        SendBuffer from = source;
        if (from != null) {
            from.copy(sourceFrom, sourceFrom + payloadBytes, memory, start + headerBytes);
            source = null;
        }
    }

    /** Bytes of data that were not copied. */
    public int referredBytes() {
        return source == null ? 0 : payloadBytes;
    }

    /** The sum of the data that was not copied, for the checksum. */
    public long referredSum() {
        SendBuffer from = source;
        return from == null ? 0 : from.sum(sourceFrom, sourceFrom + payloadBytes);
    }

    /** Routers may mark the packet instead of dropping it. */
    public void congestionCapable(boolean value) {
        congestionCapable = value;
    }

    /** The Type of Service of the packet. */
    public int typeOfService() {
        return congestionCapable ? PacketPath.ECT_0 : PacketPath.NOT_ECT;
    }

    /**
     * Appends the data of the segments that follow, for a carrier that splits it again: all segments have the size of the first,
     * and only the last one may be shorter.
     */
    public void appendFollowing(TcpSender sender, long nowNs) {
        // RFC 3168 section 6.1.2: one segment tells the peer that the window was reduced.
        int last = (header.flags() & TcpHeader.CWR) != 0 ? 0 : firstBytes;
        while (last > 0
                && last == firstBytes
                && headerBytes + payloadBytes + firstBytes <= mostBytes
                && sender.planFollowing(firstBytes, nowNs)) {
            long from = sender.planned().from();
            long to = sender.plannedDataEnd();
            last = (int) (to - from);
            if (source == null) {
                sender.buffer().copy(from, from + last, memory, start + headerBytes + payloadBytes);
            }
            payloadBytes += last;
            if (to == sender.buffer().end()) {
                header.push();
            }
            if (sender.planned().to() > to) {
                header.add(TcpHeader.FIN); // the carrier leaves it to the last segment
            }
            sender.onSent(SendPlan.DATA, nowNs);
        }
        sender.slowStart().onPacket(payloadBytes);
    }

    public int headerBytes() {
        return headerBytes;
    }

    /** Data of each segment but the last if there are several, otherwise 0. */
    public int eachBytes() {
        return payloadBytes > firstBytes ? firstBytes : 0;
    }

    /** Bytes of the segment. */
    public int length() {
        return headerBytes + payloadBytes;
    }

    int payloadBytes() {
        return payloadBytes;
    }

    public TcpHeader header() {
        return header;
    }
}
