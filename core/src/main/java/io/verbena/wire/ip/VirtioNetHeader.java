package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header that a virtual network device puts before each frame: which checksum is still to be computed, and whether the frame
 * consists of several segments.
 *
 * <pre>
 *   | flags 1 | gso_type 1 | hdr_len 2 | gso_size 2 | csum_start 2 | csum_offset 2 |    little endian
 * </pre>
 *
 * <p>A flyweight. Check {@link #fits} before use. Source: virtio 1.2 section 5.1.6, without num_buffers.
 */
public final class VirtioNetHeader {
    /** Bytes. */
    public static final int LENGTH = 10;

    /** The checksum field holds the sum of the pseudo-header; the rest is to be added. */
    public static final int NEEDS_CHECKSUM = 1;

    /** The checksum was verified. */
    public static final int DATA_VALID = 2;

    /** One segment. */
    public static final int NONE = 0;

    /** Segments of TCP over IPv4. */
    public static final int TCP_IPV4 = 1;

    /** Segments of TCP over IPv6. */
    public static final int TCP_IPV6 = 4;

    private static final int TCP_CHECKSUM_OFFSET = 16;
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public VirtioNetHeader wrap(MemorySegment newSegment, long newOffset) {
        segment = newSegment;
        offset = newOffset;
        return this;
    }

    /** A frame that is complete. */
    public VirtioNetHeader complete() {
        return write(0, NONE, 0, 0, 0, 0);
    }

    /**
     * A TCP segment without its checksum.
     *
     * @param kindOfSegments {@link #TCP_IPV4} or {@link #TCP_IPV6}
     * @param tcpStart offset of the TCP header in the frame
     * @param headerBytes of the frame up to the data
     * @param segmentBytes data of each segment, or 0 for a single one
     */
    public VirtioNetHeader tcp(int kindOfSegments, int tcpStart, int headerBytes, int segmentBytes) {
        int kind = segmentBytes == 0 ? NONE : kindOfSegments;
        return write(NEEDS_CHECKSUM, kind, headerBytes, segmentBytes, tcpStart, TCP_CHECKSUM_OFFSET);
    }

    private VirtioNetHeader write(int flags, int kind, int headers, int size, int start, int checksumOffset) {
        segment.set(U8, offset, (byte) flags);
        segment.set(U8, offset + 1, (byte) kind);
        segment.set(U16, offset + 2, (short) headers);
        segment.set(U16, offset + 4, (short) size);
        segment.set(U16, offset + 6, (short) start);
        segment.set(U16, offset + 8, (short) checksumOffset);
        return this;
    }

    /** flags. */
    public int flags() {
        return segment.get(U8, offset) & 0xff;
    }

    /** gso_type. */
    public int segmentKind() {
        return segment.get(U8, offset + 1) & 0xff;
    }

    /** gso_size. */
    public int segmentBytes() {
        return segment.get(U16, offset + 4) & 0xffff;
    }

    /** hdr_len. */
    public int headerBytes() {
        return segment.get(U16, offset + 2) & 0xffff;
    }

    /** csum_start. */
    public int checksumStart() {
        return segment.get(U16, offset + 6) & 0xffff;
    }

    /** csum_offset. */
    public int checksumOffset() {
        return segment.get(U16, offset + 8) & 0xffff;
    }

    /** Whether the checksum need not be verified: it is correct, or the frame never was on a wire. */
    public boolean trusted() {
        return (flags() & (NEEDS_CHECKSUM | DATA_VALID)) != 0;
    }

    /** Appends for example {@code virtio flags=1 gso=1 size=1448}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("virtio flags=")
                .append(flags())
                .append(" gso=")
                .append(segmentKind())
                .append(" size=")
                .append(segmentBytes());
    }
}
