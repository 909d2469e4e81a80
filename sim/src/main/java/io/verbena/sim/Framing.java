package io.verbena.sim;

import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * One direction of the stream of a script in RDMA mode: puts ULPDUs into FPDUs, or extracts FPDUs from bytes and checks
 * them.
 */
final class Framing {

    private static final ValueLayout.OfInt CRC = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final boolean crc;
    private final boolean markers;
    private final FpduHeader header = new FpduHeader();
    private final Marker marker = new Marker();
    private long position;

    Framing(boolean crc, boolean markers) {
        this.crc = crc;
        this.markers = markers;
    }

    /** The FPDU that carries a ULPDU, at the present position of the stream. */
    byte[] frame(byte[] ulpdu) {
        return frame(ulpdu, ulpdu.length);
    }

    /** Frames a ULPDU with an arbitrary length field. */
    byte[] frame(byte[] ulpdu, int lengthField) {
        byte[] plain = new byte[FpduHeader.crcOffset(ulpdu.length)];
        header.wrap(MemorySegment.ofArray(plain), 0).ulpduLength(lengthField);
        System.arraycopy(ulpdu, 0, plain, FpduHeader.LENGTH, ulpdu.length);
        int wireLength = markers ? Marker.fpduWireLength(position, ulpdu.length) : FpduHeader.fpduLength(ulpdu.length);
        byte[] wire = new byte[wireLength];
        MemorySegment out = MemorySegment.ofArray(wire);
        int from = 0;
        int end = wireLength - FpduHeader.CRC_LENGTH;
        for (int to = 0; to < end; ) {
            if (markers && Marker.isAt(position + to)) {
                marker.wrap(out, to).fpduptr(Marker.fpduptrAt(position, position + to));
                to += Marker.LENGTH;
            } else {
                wire[to++] = plain[from++];
            }
        }
        out.set(CRC, end, crc ? sum(wire, end) : 0);
        position += wireLength;
        return wire;
    }

    /** Bytes went out that are no FPDU of this maker's. */
    void skip(int bytes) {
        position += bytes;
    }

    private static int sum(byte[] bytes, int count) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, count);
        return (int) sum.getValue();
    }

    /** The length on the wire of the FPDU that begins here; empty while too little of it is here. */
    Optional<Integer> wireLength(byte[] bytes) {
        int lead = markers && Marker.isAt(position) ? Marker.LENGTH : 0;
        if (!FpduHeader.fits(bytes.length - lead)) {
            return Optional.empty();
        }
        int length = header.wrap(MemorySegment.ofArray(bytes), lead).ulpduLength();
        int wireLength = markers ? Marker.fpduWireLength(position, length) : FpduHeader.fpduLength(length);
        return bytes.length < wireLength ? Optional.empty() : Optional.of(wireLength);
    }

    /** The ULPDU of a whole FPDU, which must be right. */
    byte[] unframe(byte[] wire) {
        int end = wire.length - FpduHeader.CRC_LENGTH;
        MemorySegment in = MemorySegment.ofArray(wire);
        int expected = crc ? sum(wire, end) : 0;
        if (in.get(CRC, end) != expected) {
            throw new AssertionError(
                    String.format("the CRC field of an FPDU is %08x and must be %08x", in.get(CRC, end), expected));
        }
        byte[] plain = new byte[end];
        int to = 0;
        for (int from = 0; from < end; ) {
            if (markers && Marker.isAt(position + from)) {
                int pointer = marker.wrap(in, from).fpduptr();
                if (pointer != Marker.fpduptrAt(position, position + from)) {
                    throw new AssertionError("a marker points to " + pointer + " bytes before it");
                }
                from += Marker.LENGTH;
            } else {
                plain[to++] = wire[from++];
            }
        }
        position += wire.length;
        int length = header.wrap(MemorySegment.ofArray(plain), 0).ulpduLength();
        return Arrays.copyOfRange(plain, FpduHeader.LENGTH, FpduHeader.LENGTH + length);
    }
}
