package io.verbena.sim;

import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.ImmediateData;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;

/**
 * Creates ULPDUs for scripts: DDP and RDMAP headers with payload, with correct fields. Scripts modify the bytes as
 * needed.
 */
public final class Messages {

    private Messages() {}

    /** One untagged segment of any opcode. */
    public static byte[] untagged(RdmapOpcode opcode, boolean last, int msn, long mo, byte... payload) {
        byte[] bytes = new byte[DdpUntagged.LENGTH + payload.length];
        new DdpUntagged()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .control(opcode, last)
                .invalidateStag(0)
                .qn(opcode.qn())
                .msn(msn)
                .mo(mo);
        System.arraycopy(payload, 0, bytes, DdpUntagged.LENGTH, payload.length);
        return bytes;
    }

    /** One tagged segment of any opcode. */
    public static byte[] tagged(RdmapOpcode opcode, boolean last, int stag, long to, byte... payload) {
        byte[] bytes = new byte[DdpTagged.LENGTH + payload.length];
        new DdpTagged()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .control(opcode, last)
                .stag(stag)
                .to(to);
        System.arraycopy(payload, 0, bytes, DdpTagged.LENGTH, payload.length);
        return bytes;
    }

    /** A Send in one segment. */
    public static byte[] send(int msn, byte... payload) {
        return untagged(RdmapOpcode.SEND, true, msn, 0, payload);
    }

    /** A Send with Invalidate in one segment. */
    public static byte[] sendWithInvalidate(int msn, int stag, byte... payload) {
        byte[] bytes = untagged(RdmapOpcode.SEND_INVALIDATE, true, msn, 0, payload);
        new DdpUntagged().wrap(MemorySegment.ofArray(bytes), 0).invalidateStag(stag);
        return bytes;
    }

    /** Immediate data. */
    public static byte[] immediate(int msn, long value) {
        byte[] payload = new byte[ImmediateData.LENGTH];
        new ImmediateData().wrap(MemorySegment.ofArray(payload), 0).immediateData(value);
        return untagged(RdmapOpcode.IMMEDIATE, true, msn, 0, payload);
    }

    /** A Write in one segment. */
    public static byte[] write(int stag, long to, byte... payload) {
        return tagged(RdmapOpcode.WRITE, true, stag, to, payload);
    }

    /** A Read request. */
    public static byte[] readRequest(int msn, int sinkStag, long sinkTo, long length, int sourceStag, long sourceTo) {
        byte[] payload = new byte[ReadRequest.LENGTH];
        new ReadRequest()
                .wrap(MemorySegment.ofArray(payload), 0)
                .sinkStag(sinkStag)
                .sinkTo(sinkTo)
                .rdmardsz(length)
                .srcStag(sourceStag)
                .srcTo(sourceTo);
        return untagged(RdmapOpcode.READ_REQUEST, true, msn, 0, payload);
    }

    /** A Read response in one segment. */
    public static byte[] readResponse(int sinkStag, long sinkTo, byte... payload) {
        return tagged(RdmapOpcode.READ_RESPONSE, true, sinkStag, sinkTo, payload);
    }

    /** A fetch-and-add request; its identifier is its MSN. */
    public static byte[] fetchAndAdd(int msn, int stag, long to, long addend) {
        return atomicRequest(msn, AtomicOpcode.FETCH_ADD, stag, to, addend, 0, 0);
    }

    /** A compare-and-swap request; its identifier is its MSN. */
    public static byte[] compareAndSwap(int msn, int stag, long to, long expected, long desired) {
        return atomicRequest(msn, AtomicOpcode.CMP_SWAP, stag, to, desired, -1, expected);
    }

    private static byte[] atomicRequest(
            int msn, AtomicOpcode opcode, int stag, long to, long data, long mask, long expected) {
        byte[] payload = new byte[AtomicRequest.LENGTH];
        new AtomicRequest()
                .wrap(MemorySegment.ofArray(payload), 0)
                .operationWord(0)
                .aOpCode(opcode)
                .requestIdentifier(msn)
                .remoteStag(stag)
                .remoteTo(to)
                .addOrSwapData(data)
                .addOrSwapMask(mask)
                .compareData(expected)
                .compareMask(-1);
        return untagged(RdmapOpcode.ATOMIC_REQUEST, true, msn, 0, payload);
    }

    /** An atomic response. */
    public static byte[] atomicResponse(int msn, int requestIdentifier, long original) {
        byte[] payload = new byte[AtomicResponse.LENGTH];
        new AtomicResponse()
                .wrap(MemorySegment.ofArray(payload), 0)
                .originalRequestIdentifier(requestIdentifier)
                .originalRemoteDataValue(original);
        return untagged(RdmapOpcode.ATOMIC_RESPONSE, true, msn, 0, payload);
    }

    /** A Terminate message without headers. */
    public static byte[] terminate(TerminateCode code) {
        byte[] payload = new byte[Terminate.LENGTH];
        new Terminate().wrap(MemorySegment.ofArray(payload), 0).code(code);
        return untagged(RdmapOpcode.TERMINATE, true, 1, 0, payload);
    }
}
