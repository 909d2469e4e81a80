package io.verbena.iwarp;

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
 * MPA's sending side: puts ULPDUs into FPDUs (RFC 5044 section 4).
 *
 * <pre>
 *   | ULPDU_Length 16 | ULPDU: DDP header, payload | pad 0 to 3 | CRC 32 |      and a marker every 512 bytes, if agreed
 * </pre>
 *
 * Use: {@link #open}, write the ULPDU at {@link #segment()} and {@link #offset()}, then {@link #close} or {@link
 * #cancel}.
 */
final class FpduFramer {

    private static final ValueLayout.OfInt CRC = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Payload that is copied and then summed while it is still in the nearest cache. */
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

    FpduFramer(boolean crc, boolean markers) {
        this.crc = crc;
        this.markers = markers;
        // Markers are put in by a second copy; only such streams need the space.
        this.plain = new Slab(markers ? FpduHeader.fpduLength(Marker.MAX_ULPDU_LENGTH) : 1);
    }

    /** Whether payload may stand in user memory: a checksum or markers need it in the slab. */
    boolean mayUseViews() {
        return !crc && !markers;
    }

    /** Begins an FPDU that is wholly in the slab; false when the slab has no room. */
    boolean open(TransmitList list, long position, int newUlpduLength) {
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
     * An FPDU whose payload stays in user memory: header in the slab, a view, then pad and an empty CRC field. False
     * when the slab has no room.
     */
    boolean openAround(TransmitList list, int headerLength, int payload) {
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
    int closeAround(TransmitList list, ByteBuffer view, int viewOffset, long viewAddress, int payload) {
        list.addView(view, viewOffset, payload, viewAddress);
        int tail = FpduHeader.padLength(ulpduLength) + FpduHeader.CRC_LENGTH;
        int at = list.reserve(tail);
        for (int i = 0; i < tail; i++) { // a slice to fill would be an object
            segment.set(JAVA_BYTE, at + i, (byte) 0);
        }
        return reserved + payload + tail;
    }

    MemorySegment segment() {
        return segment;
    }

    /** Where the ULPDU begins in {@link #segment()}. */
    int offset() {
        return plainStart() + FpduHeader.LENGTH;
    }

    /** How much of so many bytes of payload is to be put into the slab before {@link #put} is told of it. */
    int piece(int bytes) {
        return crc && !markers ? Math.min(bytes, PIECE_BYTES) : bytes;
    }

    /** All of the FPDU before this offset of {@link #segment()} is in its place. */
    void put(TransmitList list, int to) {
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

    /** Gives the room back: the FPDU will not be sent now. */
    void cancel(TransmitList list) {
        list.unreserve(reserved);
    }

    /** Pads, marks and sums the FPDU. Returns its length on the wire. */
    int close(TransmitList list, long position) {
        int at = plainStart() + FpduHeader.LENGTH + ulpduLength;
        for (int pad = FpduHeader.padLength(ulpduLength); pad > 0; pad--) {
            segment.set(JAVA_BYTE, at++, (byte) 0);
        }
        if (markers) {
            putMarkers(list, position, at);
        }
        int end = start + reserved;
        // RFC 5044 section 4.4 [7, 9]: the CRC covers all of the FPDU before it and its markers; if off, it is zero.
        int sum = crc ? sum(list, end - FpduHeader.CRC_LENGTH) : 0;
        list.slab().segment().set(CRC, end - FpduHeader.CRC_LENGTH, sum);
        return reserved;
    }

    /** Copies the plain FPDU (without its CRC field) to the slab, a marker wherever one is due. */
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
