package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32C;

/** Builds one direction of a stream byte by byte, correct or faulty, and parses it. */
public final class HandMade {

    private static final ValueLayout.OfInt SUM = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Framing framing;
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();

    /** Changes the pointers of markers before the checksum is computed. */
    IntUnaryOperator fpduptr = IntUnaryOperator.identity();

    /** Changes checksums. */
    IntUnaryOperator sum = IntUnaryOperator.identity();

    /** The ULPDU that was added last. */
    byte[] last = {};

    public HandMade(Framing framing) {
        this.framing = framing;
    }

    /** All bytes so far. */
    public byte[] bytes() {
        return stream.toByteArray();
    }

    /** Adds one FPDU for each ULPDU. */
    public HandMade add(byte[]... ulpdus) {
        for (byte[] ulpdu : ulpdus) {
            addFpdu(ulpdu);
        }
        return this;
    }

    /** Adds bytes unchanged. */
    public void raw(byte[] bytes) {
        stream.writeBytes(bytes);
    }

    private void addFpdu(byte[] ulpdu) {
        last = ulpdu;
        byte[] plain = new byte[FpduHeader.crcOffset(ulpdu.length)];
        new FpduHeader().wrap(MemorySegment.ofArray(plain), 0).ulpduLength(ulpdu.length);
        System.arraycopy(ulpdu, 0, plain, FpduHeader.LENGTH, ulpdu.length);
        int start = stream.size();
        for (byte each : plain) {
            markerIfDue(start);
            stream.write(each);
        }
        markerIfDue(start);
        CRC32C crc = new CRC32C();
        crc.update(stream.toByteArray(), start, stream.size() - start);
        byte[] field = new byte[FpduHeader.CRC_LENGTH];
        // RFC 5044 section 4.4 [7]: the field is present without checksums, too.
        MemorySegment.ofArray(field).set(SUM, 0, framing.crc ? sum.applyAsInt((int) crc.getValue()) : 0);
        stream.writeBytes(field);
    }

    private void markerIfDue(int start) {
        if (framing.markers && Marker.isAt(stream.size())) {
            byte[] marker = new byte[Marker.LENGTH];
            int pointer = fpduptr.applyAsInt(Marker.fpduptrAt(start, stream.size()));
            new Marker().wrap(MemorySegment.ofArray(marker), 0).fpduptr(pointer);
            stream.writeBytes(marker);
        }
    }

    // ULPDUs.

    /** A tagged segment. */
    public static byte[] tagged(RdmapOpcode opcode, boolean last, int stag, long to, byte... payload) {
        byte[] ulpdu = new byte[DdpTagged.LENGTH + payload.length];
        new DdpTagged()
                .wrap(MemorySegment.ofArray(ulpdu), 0)
                .control(opcode, last)
                .stag(stag)
                .to(to);
        System.arraycopy(payload, 0, ulpdu, DdpTagged.LENGTH, payload.length);
        return ulpdu;
    }

    public static byte[] write(boolean last, int stag, long to, byte... payload) {
        return tagged(RdmapOpcode.WRITE, last, stag, to, payload);
    }

    /** An untagged segment on the opcode's queue. */
    static byte[] untagged(RdmapOpcode opcode, boolean last, int msn, long mo, byte... payload) {
        byte[] ulpdu = new byte[DdpUntagged.LENGTH + payload.length];
        new DdpUntagged()
                .wrap(MemorySegment.ofArray(ulpdu), 0)
                .control(opcode, last)
                .invalidateStag(0)
                .qn(Math.max(0, opcode.qn()))
                .msn(msn)
                .mo(mo);
        System.arraycopy(payload, 0, ulpdu, DdpUntagged.LENGTH, payload.length);
        return ulpdu;
    }

    public static byte[] send(boolean last, int msn, long mo, byte... payload) {
        return untagged(RdmapOpcode.SEND, last, msn, mo, payload);
    }

    /** A complete Send that invalidates a key. */
    public static byte[] sendInvalidate(int msn, int key, byte... payload) {
        byte[] ulpdu = untagged(RdmapOpcode.SEND_INVALIDATE, true, msn, 0, payload);
        new DdpUntagged().wrap(MemorySegment.ofArray(ulpdu), 0).invalidateStag(key);
        return ulpdu;
    }

    public static byte[] readRequest(int msn, int sinkStag, long sinkTo, long size, int sourceStag, long sourceTo) {
        byte[] header = new byte[ReadRequest.LENGTH];
        new ReadRequest()
                .wrap(MemorySegment.ofArray(header), 0)
                .sinkStag(sinkStag)
                .sinkTo(sinkTo)
                .rdmardsz(size)
                .srcStag(sourceStag)
                .srcTo(sourceTo);
        return untagged(RdmapOpcode.READ_REQUEST, true, msn, 0, header);
    }

    /** A complete Atomic Request; {@code details} sets its non-zero fields. */
    static byte[] atomicRequest(int msn, AtomicOpcode opcode, Consumer<AtomicRequest> details) {
        byte[] header = new byte[AtomicRequest.LENGTH];
        details.accept(new AtomicRequest()
                .wrap(MemorySegment.ofArray(header), 0)
                .operationWord(0)
                .aOpCode(opcode)
                .requestIdentifier(msn));
        return untagged(RdmapOpcode.ATOMIC_REQUEST, true, msn, 0, header);
    }

    static byte[] fetchAdd(int msn, int stag, long to, long addend) {
        return atomicRequest(
                msn,
                AtomicOpcode.FETCH_ADD,
                r -> r.remoteStag(stag).remoteTo(to).addOrSwapData(addend));
    }

    static byte[] atomicResponse(int msn, int identifier, long original) {
        byte[] header = new byte[AtomicResponse.LENGTH];
        new AtomicResponse()
                .wrap(MemorySegment.ofArray(header), 0)
                .originalRequestIdentifier(identifier)
                .originalRemoteDataValue(original);
        return untagged(RdmapOpcode.ATOMIC_RESPONSE, true, msn, 0, header);
    }

    /** A Terminate message without headers of a segment. */
    static byte[] terminate(TerminateCode code) {
        byte[] header = new byte[Terminate.LENGTH];
        new Terminate().wrap(MemorySegment.ofArray(header), 0).code(code);
        return untagged(RdmapOpcode.TERMINATE, true, 1, 0, header);
    }

    /** The same with one byte changed. */
    static byte[] with(byte[] ulpdu, int index, int value) {
        byte[] copy = ulpdu.clone();
        copy[index] = (byte) value;
        return copy;
    }

    /** Payload that is never zero. */
    public static byte[] payload(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (1 + i % 251);
        }
        return bytes;
    }

    // Parsing.

    /** The ULPDUs of complete FPDUs from the start of a stream; the framing must be correct. */
    static List<byte[]> ulpdus(Framing framing, byte[] stream) {
        List<byte[]> ulpdus = new ArrayList<>();
        MemorySegment all = MemorySegment.ofArray(stream);
        for (int start = 0; start < stream.length; ) {
            int length = new FpduHeader()
                    .wrap(all, framing.markers ? Marker.headerPosition(start) : start)
                    .ulpduLength();
            int end = start + (framing.markers ? Marker.fpduWireLength(start, length) : FpduHeader.fpduLength(length));
            byte[] plain = withoutMarkers(framing, stream, start, end);
            // RFC 5044 section 4.1 [1, 2]: the padding consists of zeros up to a multiple of four.
            for (int i = FpduHeader.LENGTH + length; i < FpduHeader.crcOffset(length); i++) {
                check(plain[i] == 0, "pad");
            }
            CRC32C crc = new CRC32C();
            crc.update(stream, start, end - FpduHeader.CRC_LENGTH - start);
            int expected = framing.crc ? (int) crc.getValue() : 0;
            check(all.get(SUM, end - FpduHeader.CRC_LENGTH) == expected, "checksum");
            ulpdus.add(Arrays.copyOfRange(plain, FpduHeader.LENGTH, FpduHeader.LENGTH + length));
            start = end;
        }
        return ulpdus;
    }

    private static byte[] withoutMarkers(Framing framing, byte[] stream, int start, int end) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        int crcAt = end - FpduHeader.CRC_LENGTH;
        for (int at = start; at < crcAt; ) {
            if (framing.markers && Marker.isAt(at)) {
                int pointer =
                        new Marker().wrap(MemorySegment.ofArray(stream), at).fpduptr();
                check(pointer == Marker.fpduptrAt(start, at), "marker");
                at += Marker.LENGTH;
            } else {
                plain.write(stream[at++]);
            }
        }
        return plain.toByteArray();
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError("wrong " + what);
        }
    }

    /** A ULPDU as one line, such as {@code Send last msn=1 mo=0 len=16}; a Terminate message with its reason. */
    static String line(byte[] ulpdu) {
        Ulpdu decoded = new Ulpdu();
        decoded.decode(MemorySegment.ofArray(ulpdu), 0, ulpdu.length);
        String line = decoded.describe(new StringBuilder()).toString().replaceAll("to=0x0+(?=[0-9a-f])", "to=0x");
        return decoded.opcode() == RdmapOpcode.TERMINATE
                ? line + ": " + terminateOf(ulpdu).code()
                : line;
    }

    static List<String> lines(Framing framing, byte[] stream) {
        return ulpdus(framing, stream).stream().map(HandMade::line).toList();
    }

    /** The Terminate header in a ULPDU. */
    static Terminate terminateOf(byte[] ulpdu) {
        check(ulpdu.length >= DdpUntagged.LENGTH + Terminate.LENGTH, "length of a Terminate message");
        return new Terminate().wrap(MemorySegment.ofArray(ulpdu), DdpUntagged.LENGTH);
    }

    /** The Read Request header in a ULPDU. */
    static ReadRequest readRequestOf(byte[] ulpdu) {
        check(ulpdu.length == DdpUntagged.LENGTH + ReadRequest.LENGTH, "length of a Read Request");
        return new ReadRequest().wrap(MemorySegment.ofArray(ulpdu), DdpUntagged.LENGTH);
    }

    /** The payload of a ULPDU after a header of this length. */
    static byte[] behind(int headerLength, byte[] ulpdu) {
        return MemorySegment.ofArray(ulpdu).asSlice(headerLength).toArray(JAVA_BYTE);
    }
}
