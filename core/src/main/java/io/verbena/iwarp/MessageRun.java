package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.iwarp.early.UlpduSink;
import io.verbena.wire.DdpControl;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.RdmapControl;
import io.verbena.wire.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Takes Sends and Writes of one FPDU each, as long as one follows the other: their headers are compared with those
 * that such a message has, and not decoded. What differs in anything is left to {@link FpduReceiver}, which has the
 * same outcome for messages that are taken here. For streams without checksums and markers.
 *
 * <pre>
 *    0 | ULPDU_Length 16 | control 8 | control 8 |   the same for all Sends of a length, and for all Writes
 *    4 | a hint of a Send, see UlpduSink         |   the STag of a Write
 *    8 | QN 0            | MSN, the next one     |   the address of a Write
 *   16 | MO 0 of a Send  |   payload
 * </pre>
 */
final class MessageRun {

    static final ValueLayout.OfInt U32 = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong U64 = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    // The first word of a header has the length in its upper half and one of these in its lower one.
    static final int SEND = controls(RdmapOpcode.SEND);
    static final int SEND_SE = controls(RdmapOpcode.SEND_SE);
    static final int WRITE = controls(RdmapOpcode.WRITE);
    static final int KEY = 4;
    static final int SECOND = 8;
    static final int OFFSET = 16;
    private static final int WRITE_HEADERS = FpduHeader.LENGTH + DdpTagged.LENGTH;
    private static final int SEND_HEADERS = FpduHeader.LENGTH + DdpUntagged.LENGTH;

    private final UlpduSink receiver;

    MessageRun(UlpduSink receiver) {
        this.receiver = receiver;
    }

    /** Both control bytes of the only segment of a message. */
    private static int controls(RdmapOpcode opcode) {
        return DdpControl.of(opcode.tagged(), true) << Byte.SIZE | RdmapControl.of(opcode);
    }

    /**
     * Takes messages from {@code from} on, where an FPDU begins. Returns the offset of the first byte that was not
     * taken.
     */
    int take(MemorySegment bytes, int from, int to) {
        int at = from;
        while (to - at > SEND_HEADERS) {
            int first = bytes.get(U32, at);
            int ulpdu = first >>> Short.SIZE;
            int end = at + FpduHeader.fpduLength(ulpdu);
            if (end > to || !take(bytes, at, first & 0xffff, ulpdu)) {
                break;
            }
            at = end;
        }
        return at;
    }

    private boolean take(MemorySegment bytes, int at, int controls, int ulpdu) {
        if (controls == WRITE) {
            return receiver.takeWrite(
                    bytes.get(U32, at + KEY),
                    bytes.get(U64, at + SECOND),
                    bytes,
                    at + WRITE_HEADERS,
                    ulpdu - DdpTagged.LENGTH);
        }
        boolean taken = (controls == SEND || controls == SEND_SE)
                && bytes.get(U32, at + OFFSET) == 0
                && receiver.takeSend(
                        bytes.get(U64, at + SECOND),
                        bytes,
                        at + SEND_HEADERS,
                        ulpdu - DdpUntagged.LENGTH,
                        controls == SEND_SE);
        if (taken) {
            receiver.onHint(bytes.get(U32, at + KEY));
        }
        return taken;
    }
}
