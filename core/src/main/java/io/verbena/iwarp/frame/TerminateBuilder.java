package io.verbena.iwarp.frame;

import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;

/**
 * Builds the payload of a Terminate message: the reason, and the headers of the segment that caused it (RFC 5040 section 4.8
 * [6, 7, 8]).
 */
public final class TerminateBuilder {

    private static final int MAX_HEADERS = DdpUntagged.LENGTH + ReadRequest.LENGTH;

    private final Terminate header = new Terminate();
    private final MemorySegment headers = MemorySegment.ofArray(new byte[MAX_HEADERS]);
    private TerminateCode code = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
    private int ddpHeaderLength;
    private boolean readRequest;
    private int segmentLength;

    /** Sets a reason without headers: for faults of this side and of the layer below. */
    public void reason(TerminateCode newCode) {
        code = newCode;
        ddpHeaderLength = 0;
        readRequest = false;
    }

    /** Sets a reason with the headers of the segment that caused it, whose bytes are in {@code segment}. */
    public void reason(TerminateCode newCode, Ulpdu faulty, MemorySegment segment) {
        reason(newCode);
        if (newCode.layer() == TerminateCode.LAYER_LLP || faulty.headerLength() == 0) {
            return;
        }
        ddpHeaderLength = faulty.headerLength();
        segmentLength = faulty.length();
        MemorySegment.copy(segment, faulty.offset(), headers, 0, ddpHeaderLength);
        // If the fault is in the DDP header, the segment may contain nothing else.
        readRequest = faulty.opcode() == RdmapOpcode.READ_REQUEST
                && faulty.payloadLength() == ReadRequest.LENGTH
                && faulty.payloadOffset() + ReadRequest.LENGTH <= segment.byteSize();
        if (readRequest) {
            MemorySegment.copy(segment, faulty.payloadOffset(), headers, ddpHeaderLength, ReadRequest.LENGTH);
        }
    }

    /** Length of the payload in bytes. */
    public int length() {
        return Terminate.payloadLength(ddpHeaderLength > 0, ddpHeaderLength, readRequest);
    }

    public void write(MemorySegment segment, long offset) {
        segment.asSlice(offset, length()).fill((byte) 0);
        boolean hasHeaders = ddpHeaderLength > 0;
        header.wrap(segment, offset).code(code).m(hasHeaders).d(hasHeaders).r(readRequest);
        if (hasHeaders) {
            header.ddpSegmentLength(segmentLength);
            int count = ddpHeaderLength + (readRequest ? ReadRequest.LENGTH : 0);
            MemorySegment.copy(headers, 0, segment, offset + Terminate.LENGTH + Terminate.SEGMENT_LENGTH_LENGTH, count);
        }
    }
}
