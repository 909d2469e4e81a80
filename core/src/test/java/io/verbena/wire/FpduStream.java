package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** Builds one direction of an MPA stream in Full Operation: ULPDUs in, FPDUs with pad, CRC and markers out. */
final class FpduStream {
    private final boolean markers;
    private byte[] bytes = new byte[1024];
    private int length;
    private final List<Integer> starts = new ArrayList<>();

    FpduStream(boolean markers) {
        this.markers = markers;
    }

    /** Everything so far. */
    byte[] bytes() {
        return Arrays.copyOf(bytes, length);
    }

    int length() {
        return length;
    }

    /** The FPDUs one by one. */
    List<byte[]> fpdus() {
        List<byte[]> fpdus = new ArrayList<>();
        for (int i = 0; i < starts.size(); i++) {
            fpdus.add(Arrays.copyOfRange(bytes, starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : length));
        }
        return fpdus;
    }

    /** Appends an FPDU with a tagged segment. */
    FpduStream tagged(RdmapOpcode opcode, boolean last, int stag, long to, byte... payload) {
        return ulpdu(
                DdpTagged.LENGTH,
                payload,
                ulpdu -> new DdpTagged()
                        .wrap(ulpdu, 0)
                        .control(opcode, last)
                        .stag(stag)
                        .to(to));
    }

    /** Appends an FPDU with an untagged segment on the opcode's queue. */
    FpduStream untagged(RdmapOpcode opcode, boolean last, int msn, long mo, byte... payload) {
        return ulpdu(
                DdpUntagged.LENGTH,
                payload,
                ulpdu -> new DdpUntagged()
                        .wrap(ulpdu, 0)
                        .control(opcode, last)
                        .invalidateStag(opcode.invalidates() ? 0x1234 : 0)
                        .qn(opcode.qn())
                        .msn(msn)
                        .mo(mo));
    }

    private FpduStream ulpdu(int headerLength, byte[] payload, Consumer<MemorySegment> header) {
        byte[] ulpdu = new byte[headerLength + payload.length];
        header.accept(MemorySegment.ofArray(ulpdu));
        System.arraycopy(payload, 0, ulpdu, headerLength, payload.length);
        return ulpdu(ulpdu);
    }

    /** Appends an FPDU with any ULPDU. */
    FpduStream ulpdu(byte... ulpdu) {
        int covered = FpduHeader.crcOffset(ulpdu.length);
        byte[] plain = new byte[FpduHeader.fpduLength(ulpdu.length)];
        new FpduHeader().wrap(MemorySegment.ofArray(plain), 0).ulpduLength(ulpdu.length);
        System.arraycopy(ulpdu, 0, plain, FpduHeader.LENGTH, ulpdu.length);
        int start = length;
        starts.add(start);
        int wireLength = markers ? Marker.fpduWireLength(start, ulpdu.length) : plain.length;
        if (bytes.length < start + wireLength) {
            bytes = Arrays.copyOf(bytes, 2 * (start + wireLength));
        }
        CRC32C crc = new CRC32C();
        for (int i = 0; i < plain.length; i++) {
            if (markers && Marker.isAt(length)) {
                new Marker().wrap(MemorySegment.ofArray(bytes), length).fpduptr(Marker.fpduptrAt(start, length));
                crc.update(bytes, length, Marker.LENGTH);
                length += Marker.LENGTH;
            }
            if (i == covered) {
                MemorySegment.ofArray(plain)
                        .set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), covered, (int)
                                crc.getValue());
            }
            bytes[length++] = plain[i];
            crc.update(plain[i]);
        }
        if (length - start != wireLength) {
            throw new AssertionError("FPDU of " + (length - start) + " bytes, " + wireLength + " computed");
        }
        return this;
    }
}
