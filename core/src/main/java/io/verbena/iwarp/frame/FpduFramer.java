package io.verbena.iwarp.frame;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The sending side of MPA: builds FPDUs from ULPDUs (RFC 5044 section 4).
 *
 * <pre>
 *   | ULPDU_Length 16 | ULPDU: DDP header, payload | pad 0 to 3 | CRC 32 |      and a marker every 512 bytes, if agreed
 * </pre>
 *
 * Use: {@link #open}, write the ULPDU at {@link #segment()} and {@link #offset()}, then {@link #close} or {@link
 * #cancel}.
 */
public final class FpduFramer {

    private static final ValueLayout.OfInt CRC = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Payload is copied and summed in pieces of this size, so that the sum reads it from the nearest cache. */
    private static final int PIECE_BYTES = 4096;

    private final boolean crc;
    private final boolean markers;
    private final Slab plain;
    private final FpduHeader header = new FpduHeader();
    private final Marker marker = new Marker();

    private int ulpduLength;
    private int start;
    private int reserved;
    private int summedTo;
    private MemorySegment segment = MemorySegment.NULL;

    public FpduFramer(boolean crc, boolean markers) {
        this.crc = crc;
        this.markers = markers;
        // A second copy inserts the markers; only streams with markers need the space.
        this.plain = markers ? new Slab(FpduHeader.fpduLength(Marker.MAX_ULPDU_LENGTH)) : Slab.NONE;
    }

    /** Whether payload may be sent from user memory. A checksum or markers require a copy in the slab. */
    public boolean mayUseViews() {
        return !crc && !markers;
    }

    /** Begins an FPDU that is completely in the slab. Returns false when the slab is full. */
    public boolean open(TransmitList list, long position, int newUlpduLength) {
        ulpduLength = newUlpduLength;
        reserved = markers ? Marker.fpduWireLength(position, newUlpduLength) : FpduHeader.fpduLength(newUlpduLength);
        int at = list.reserve(reserved);
        if (at == TransmitList.FULL) {
            return false;
        }
        start = at;
        summedTo = at;
        segment = markers ? plain.segment() : list.slab().segment();
        header.wrap(segment, plainStart()).ulpduLength(newUlpduLength);
        return true;
    }

    /**
     * Begins an FPDU whose payload is sent from user memory: the header in the slab, a view, then padding and an empty CRC field.
     * Returns false when the slab is full.
     */
    public boolean openAround(TransmitList list, int headerLength, int payload) {
        ulpduLength = headerLength + payload;
        int tail = FpduHeader.padLength(ulpduLength) + FpduHeader.CRC_LENGTH;
        if (list.room() < FpduHeader.LENGTH + headerLength + tail) {
            return false;
        }
        reserved = FpduHeader.LENGTH + headerLength;
        start = list.reserve(reserved);
        segment = list.slab().segment();
        header.wrap(segment, start).ulpduLength(ulpduLength);
        return true;
    }

    /** Ends an FPDU that {@link #openAround} began. Returns its length on the wire. */
    public int closeAround(TransmitList list, ByteBuffer view, int viewOffset, long viewAddress, int payload) {
        list.addView(view, viewOffset, payload, viewAddress);
        return closeAround(list, payload);
    }

    /** The same with payload of work that completes when its memory is not needed any more. */
    public int closeAroundLendable(TransmitList list, ByteBuffer view, int viewOffset, long viewAddress, int payload) {
        list.addLendable(view, viewOffset, payload, viewAddress);
        return closeAround(list, payload);
    }

    private int closeAround(TransmitList list, int payload) {
        int tail = FpduHeader.padLength(ulpduLength) + FpduHeader.CRC_LENGTH;
        int at = list.reserve(tail);
        for (int i = 0; i < tail; i++) { // fill() would need a slice, which is an object
            segment.set(JAVA_BYTE, at + i, (byte) 0);
        }
        return reserved + payload + tail;
    }

    public MemorySegment segment() {
        return segment;
    }

    /** Offset of the ULPDU in {@link #segment()}. */
    public int offset() {
        return plainStart() + FpduHeader.LENGTH;
    }

    /** How many of the next {@code bytes} payload bytes to copy to the slab before {@link #put} is called. */
    public int piece(int bytes) {
        return crc && !markers ? Math.min(bytes, PIECE_BYTES) : bytes;
    }

    /** All bytes of the FPDU before this offset of {@link #segment()} are written. */
    public void put(TransmitList list, int to) {
        if (crc && !markers) {
            sum(list, to);
        }
    }

    private int sum(TransmitList list, int to) {
        int sum =
                summedTo == start ? list.slab().crc32c(start, to) : list.slab().crc32cOn(summedTo, to);
        summedTo = to;
        return sum;
    }

    private int plainStart() {
        return markers ? 0 : start;
    }

    /** Releases the reserved space: the FPDU is not sent now. */
    public void cancel(TransmitList list) {
        list.unreserve(reserved);
    }

    /** Adds padding, markers and the checksum. Returns the length of the FPDU on the wire. */
    public int close(TransmitList list, long position) {
        int at = plainStart() + FpduHeader.LENGTH + ulpduLength;
        for (int pad = FpduHeader.padLength(ulpduLength); pad > 0; pad--) {
            segment.set(JAVA_BYTE, at++, (byte) 0);
        }
        if (markers) {
            putMarkers(list, position, at);
        }
        int end = start + reserved;
        // RFC 5044 section 4.4 [7, 9]: the CRC covers the whole FPDU before it, with its markers; it is zero if CRCs
        // are off.
        int sum = crc ? sum(list, end - FpduHeader.CRC_LENGTH) : 0;
        list.slab().segment().set(CRC, end - FpduHeader.CRC_LENGTH, sum);
        return reserved;
    }

    /** Copies the FPDU, without its CRC field, to the slab and inserts the markers. */
    private void putMarkers(TransmitList list, long position, int plainLength) {
        MemorySegment out = list.slab().segment();
        int from = 0;
        int to = start;
        int end = start + reserved - FpduHeader.CRC_LENGTH;
        while (to < end) {
            long here = position + (to - start);
            if (Marker.isAt(here)) {
                marker.wrap(out, to).fpduptr(Marker.fpduptrAt(position, here));
                to += Marker.LENGTH;
                here += Marker.LENGTH;
            }
            int run = (int) Math.min(plainLength - from, Marker.nextAt(here) - here);
            MemorySegment.copy(segment, from, out, to, run);
            from += run;
            to += run;
        }
        assert from == plainLength;
    }
}
