package io.verbena.iwarp.frame;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import io.verbena.base.Slab;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads FPDUs in a slab whose stream positions are known: their length, their checksum, and their ULPDU without markers. It has
 * no state between FPDUs.
 */
public final class FpduReader {

    private static final ValueLayout.OfInt CRC = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final boolean crc;
    private final boolean markers;
    private final FpduHeader header = new FpduHeader();
    private final Marker marker = new Marker();
    private final Slab plain;

    private MemorySegment segment = MemorySegment.NULL;
    private int ulpduAt;
    private int ulpduLength;

    public FpduReader(boolean crc, boolean markers) {
        this.crc = crc;
        this.markers = markers;
        this.plain = markers ? new Slab(FpduHeader.fpduLength(Marker.MAX_ULPDU_LENGTH)) : Slab.NONE;
    }

    /** Whether an FPDU must be complete before any of it can be used. */
    public boolean needsWhole() {
        return crc || markers;
    }

    /**
     * Length on the wire of the FPDU at {@code at}, which has this stream position; 0 while its length field is incomplete.
     */
    public int wireLength(long position, MemorySegment bytes, int at, int to) {
        int lead = lead(position);
        if (!FpduHeader.fits(to - at - lead)) {
            return 0;
        }
        return fpduLength(position, header.wrap(bytes, at + lead).ulpduLength());
    }

    /** Length on the wire of the FPDU of a ULPDU of this length at this stream position. */
    public int fpduLength(long position, int ulpdu) {
        return markers ? Marker.fpduWireLength(position, ulpdu) : FpduHeader.fpduLength(ulpdu);
    }

    private int lead(long position) {
        return markers && Marker.isAt(position) ? Marker.LENGTH : 0;
    }

    /**
     * Whether the checksum of the complete FPDU of {@code length} bytes at {@code at} is correct; true if none was agreed.
     */
    public boolean checksumMatches(Slab slab, int at, int length) {
        int end = at + length - FpduHeader.CRC_LENGTH;
        return !crc || slab.crc32c(at, end) == slab.segment().get(CRC, end);
    }

    /**
     * Finds the ULPDU of the complete FPDU of {@code length} bytes at {@code at}: see {@link #segment}, {@link #ulpduAt} and
     * {@link #ulpduLength}. Returns false if a marker does not point to the start of the FPDU.
     */
    public boolean open(long position, MemorySegment bytes, int at, int length) {
        ulpduLength = header.wrap(bytes, at + lead(position)).ulpduLength();
        segment = bytes;
        ulpduAt = at + FpduHeader.LENGTH;
        if (!markers) {
            return true;
        }
        segment = plain.segment();
        ulpduAt = FpduHeader.LENGTH;
        return ulpduLength <= Marker.MAX_ULPDU_LENGTH && removeMarkers(position, bytes, at, length);
    }

    /** Copies an FPDU without its markers to {@code plain}. Returns false if a marker does not point to the start of the FPDU. */
    private boolean removeMarkers(long position, MemorySegment bytes, int at, int length) {
        int from = at;
        int to = 0;
        int end = at + length - FpduHeader.CRC_LENGTH;
        while (from < end) {
            long here = position + (from - at);
            if (Marker.isAt(here)) {
                // RFC 5044 section 4.3 [8, 9]: every marker points to the start of the FPDU that contains it.
                if (marker.wrap(bytes, from).fpduptr() != Marker.fpduptrAt(position, here)) {
                    return false;
                }
                from += Marker.LENGTH;
                here += Marker.LENGTH;
            }
            int run = (int) Math.min(end - from, Marker.nextAt(here) - here);
            MemorySegment.copy(bytes, from, plain.segment(), to, run);
            from += run;
            to += run;
        }
        return true;
    }

    /** Memory that contains the ULPDU that was opened. */
    public MemorySegment segment() {
        return segment;
    }

    /** Offset of the ULPDU in {@link #segment}. */
    public int ulpduAt() {
        return ulpduAt;
    }

    /** Length of the ULPDU in bytes. */
    public int ulpduLength() {
        return ulpduLength;
    }
}
