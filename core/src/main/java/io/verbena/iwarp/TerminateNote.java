package io.verbena.iwarp;

import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.lang.foreign.MemorySegment;

/** What our Terminate says: the reason, and the headers of the segment to blame (RFC 5040 section 4.8 [6, 7, 8]). */
final class TerminateNote {

    private static final int MAX_HEADERS = DdpUntagged.LENGTH + ReadRequest.LENGTH;

    private final Terminate header = new Terminate();
    private final MemorySegment headers = MemorySegment.ofArray(new byte[MAX_HEADERS]);
    private TerminateCode code = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
    private int ddpHeaderLength;
    private boolean readRequest;
    private int segmentLength;

    /** Without headers: for faults of our own and of the layer below. */
    void of(TerminateCode newCode) {
        code = newCode;
        ddpHeaderLength = 0;
        readRequest = false;
    }

    /** With the headers of the segment that is to blame; its bytes are at hand. */
    void of(TerminateCode newCode, Ulpdu blamed, MemorySegment segment) {
        of(newCode);
        if (newCode.layer() == TerminateCode.LAYER_LLP || blamed.headerLength() == 0) {
            return;
        }
        ddpHeaderLength = blamed.headerLength();
        segmentLength = blamed.length();
        MemorySegment.copy(segment, blamed.offset(), headers, 0, ddpHeaderLength);
        // Of a frame that is blamed for its header, that header may be all that is at hand.
        readRequest = blamed.opcode() == RdmapOpcode.READ_REQUEST
                && blamed.payloadLength() == ReadRequest.LENGTH
                && blamed.payloadOffset() + ReadRequest.LENGTH <= segment.byteSize();
        if (readRequest) {
            MemorySegment.copy(segment, blamed.payloadOffset(), headers, ddpHeaderLength, ReadRequest.LENGTH);
        }
    }

    /** Bytes of the message's payload. */
    int length() {
        return Terminate.payloadLength(ddpHeaderLength > 0, ddpHeaderLength, readRequest);
    }

    void write(MemorySegment segment, long offset) {
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
