package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Slab;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.RdmapOpcode;
import java.lang.foreign.MemorySegment;

/**
 * A Send or Write of one FPDU in the short form in which shared memory carries it: what the receiver knows already,
 * such as lengths and message numbers, is left out. In the order of the machine.
 *
 * <pre>
 *    0 | opcode 32 | key 32      |
 *    8 | address 64              |   of a Write; 0 in a Send
 *   16 | payload, 1 to 40 bytes  |
 * </pre>
 */
public final class ShortMessage {

    static final int HEADER = 16;

    /** The most payload. */
    static final int MOST_PAYLOAD = 40;

    /** The most bytes of a message. */
    public static final int MOST_BYTES = HEADER + MOST_PAYLOAD;

    private final Slab slab = new Slab(MOST_BYTES + Long.BYTES);
    private final FpduHeader header = new FpduHeader();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();

    /** Its bytes, from index 0 on. */
    public Slab slab() {
        return slab;
    }

    MemorySegment memory() {
        return slab.segment();
    }

    void header(RdmapOpcode opcode, int key, long address) {
        memory().set(JAVA_LONG, 0, (long) key << Integer.SIZE | opcode.value());
        memory().set(JAVA_LONG, Long.BYTES, address);
    }

    /** The opcode, which may be any; bits that no opcode has make it {@code RESERVED}. */
    RdmapOpcode opcode() {
        int value = (int) memory().get(JAVA_LONG, 0);
        return (value & ~0xf) == 0 ? RdmapOpcode.of(value) : RdmapOpcode.RESERVED;
    }

    int key() {
        return (int) (memory().get(JAVA_LONG, 0) >>> Integer.SIZE);
    }

    long address() {
        return memory().get(JAVA_LONG, Long.BYTES);
    }

    /**
     * Writes the FPDU that a message stands for, without a checksum and markers.
     *
     * @param bytes length of the message
     * @param msn number of the next Send in order
     * @return the length of the FPDU; 0 if the message stands for none
     */
    int expand(int bytes, int msn, MemorySegment target) {
        RdmapOpcode opcode = opcode();
        boolean write = opcode == RdmapOpcode.WRITE;
        if (bytes < HEADER || !write && opcode != RdmapOpcode.SEND && opcode != RdmapOpcode.SEND_SE) {
            return 0;
        }
        int count = bytes - HEADER;
        int headerLength = opcode.headerLength();
        int length = FpduHeader.fpduLength(headerLength + count);
        header.wrap(target, 0).ulpduLength(headerLength + count);
        if (write) {
            tagged.wrap(target, FpduHeader.LENGTH)
                    .control(opcode, true)
                    .stag(key())
                    .to(address());
        } else {
            untagged.wrap(target, FpduHeader.LENGTH)
                    .control(opcode, true)
                    .invalidateStag(0)
                    .qn(opcode.qn())
                    .msn(msn)
                    .mo(0);
        }
        int end = FpduHeader.LENGTH + headerLength + count;
        MemorySegment.copy(memory(), HEADER, target, FpduHeader.LENGTH + headerLength, count);
        target.asSlice(end, length - end).fill((byte) 0);
        return length;
    }
}
