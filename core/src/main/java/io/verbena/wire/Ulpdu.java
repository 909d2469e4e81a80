package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A checked view of one received ULPDU, that is one DDP segment of an RDMAP stream.
 *
 * <p>{@link #decode} examines only the bytes of the header (no keys, no sequence numbers, no buffers) and returns an
 * outcome. It never throws because of the input, and never reads outside of {@code [offset, offset + length)}. After
 * every outcome except TOO_SHORT the fields contain the values of the header; after TOO_SHORT they are zero. Reusable,
 * does not allocate; one thread.
 *
 * <p>Source: RFC 5041 sections 4.1 to 4.3, and 7.1, RFC 5040 sections 4.1 and 7.2, RFC 7306 sections 4.1 and 8.2.
 */
public final class Ulpdu {
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

    private final DdpTagged taggedHeader = new DdpTagged();
    private final DdpUntagged untaggedHeader = new DdpUntagged();

    private long offset;
    private int length;
    private boolean tagged;
    private boolean last;
    private RdmapOpcode opcode = RdmapOpcode.RESERVED;
    private int opcodeValue;
    private int stag;
    private long to;
    private int stagField;
    private int qn;
    private int msn;
    private long mo;
    private int headerLength;

    /**
     * Decodes and checks a ULPDU.
     *
     * @param segment the memory with the ULPDU, contiguous, without markers
     * @param offset offset of the first byte (after ULPDU_Length)
     * @param length length in bytes according to ULPDU_Length, 0 or more
     */
    public UlpduOutcome decode(MemorySegment segment, long offset, int length) {
        clear(offset, length);
        // RFC 5044 section 4.1 [note] leaves any length possible; what is too short for its header is no DDP segment.
        if (length < DdpControl.LENGTH) {
            return UlpduOutcome.TOO_SHORT;
        }
        int ddpControl = segment.get(U8, offset) & 0xff;
        boolean hasT = DdpControl.t(ddpControl);
        if (length < (hasT ? DdpTagged.LENGTH : DdpUntagged.LENGTH)) {
            return UlpduOutcome.TOO_SHORT;
        }
        tagged = hasT;
        last = DdpControl.l(ddpControl);
        int rdmapControl = segment.get(U8, offset + DdpControl.LENGTH) & 0xff;
        opcodeValue = RdmapControl.opcodeValue(rdmapControl);
        opcode = RdmapOpcode.of(opcodeValue);
        if (tagged) {
            readTagged(segment);
        } else {
            readUntagged(segment);
        }
        return check(DdpControl.dv(ddpControl), RdmapControl.rv(rdmapControl));
    }

    private void clear(long offset, int length) {
        this.offset = offset;
        this.length = length;
        tagged = false;
        last = false;
        opcode = RdmapOpcode.RESERVED;
        opcodeValue = 0;
        stag = 0;
        to = 0;
        stagField = 0;
        qn = 0;
        msn = 0;
        mo = 0;
        headerLength = 0;
    }

    private void readTagged(MemorySegment segment) {
        headerLength = DdpTagged.LENGTH;
        taggedHeader.wrap(segment, offset);
        stag = taggedHeader.stag();
        to = taggedHeader.to();
    }

    private void readUntagged(MemorySegment segment) {
        headerLength = DdpUntagged.LENGTH;
        untaggedHeader.wrap(segment, offset);
        stagField = untaggedHeader.invalidateStag();
        qn = untaggedHeader.qn();
        msn = untaggedHeader.msn();
        mo = untaggedHeader.mo();
    }

    /** The chain of checks, DDP's first and then RDMAP's. */
    private UlpduOutcome check(int dv, int rv) {
        // RFC 5041 section 4.1 [10]: the version of DDP is 1.
        if (dv != DdpControl.VERSION) {
            return tagged ? UlpduOutcome.TAGGED_DDP_VERSION : UlpduOutcome.UNTAGGED_DDP_VERSION;
        }
        // RFC 5041 section 7.1 [1]: the queue number names a queue there is.
        if (!tagged && Integer.compareUnsigned(qn, RdmapOpcode.QUEUES) >= 0) {
            return UlpduOutcome.NO_SUCH_QUEUE;
        }
        // RFC 5040 section 7.2 [2, 3]: version and opcode are valid.
        if (rv != RdmapControl.VERSION) {
            return UlpduOutcome.RDMAP_VERSION;
        }
        if (opcode == RdmapOpcode.RESERVED) {
            return UlpduOutcome.UNKNOWN_OPCODE;
        }
        // RFC 5040 section 4.1 [5, 7] and RFC 7306 section 4.1 [2] (tables of opcodes): the opcode determines flag and
        // queue.
        if (tagged != opcode.tagged()) {
            return UlpduOutcome.WRONG_TAGGED_FLAG;
        }
        if (!tagged && qn != opcode.qn()) {
            return UlpduOutcome.WRONG_QUEUE;
        }
        return checkFixedLength();
    }

    private UlpduOutcome checkFixedLength() {
        // RFC 7306 section 6.3 [8]: Immediate Data is exactly eight bytes; likewise other headers that are a payload.
        int fixed = opcode.fixedPayloadLength();
        int payload = payloadLength();
        if (fixed < 0 || payload == fixed && last) {
            return UlpduOutcome.OK;
        }
        return payload < fixed ? UlpduOutcome.FIXED_LENGTH_NOT_REACHED : UlpduOutcome.FIXED_LENGTH_EXCEEDED;
    }

    /** T. */
    public boolean tagged() {
        return tagged;
    }

    /** L: last segment of its message. */
    public boolean last() {
        return last;
    }

    /** Opcode, RESERVED where unknown. */
    public RdmapOpcode opcode() {
        return opcode;
    }

    /** The four bits of the opcode. */
    public int opcodeValue() {
        return opcodeValue;
    }

    /** STag; 0 if untagged. */
    public int stag() {
        return stag;
    }

    /** TO, bytes, unsigned; 0 if untagged. */
    public long to() {
        return to;
    }

    /** QN; 0 if tagged. */
    public int qn() {
        return qn;
    }

    /** MSN, wraps; 0 if tagged. */
    public int msn() {
        return msn;
    }

    /** MO, bytes, 0 to 2^32-1; 0 if tagged. */
    public long mo() {
        return mo;
    }

    /** Invalidate STag; 0 where the opcode does not invalidate. */
    public int invalidateStag() {
        // RFC 5040 section 4.1 [11, 12]: the field is ignored unless the opcode invalidates.
        return opcode.invalidates() ? stagField : 0;
    }

    /** The field of {@link #invalidateStag}, whatever the opcode; 0 if tagged. */
    public int stagField() {
        return stagField;
    }

    /** Where the ULPDU starts in the segment. */
    public long offset() {
        return offset;
    }

    /** Bytes of the ULPDU. */
    public int length() {
        return length;
    }

    /** Bytes of the DDP header: 14, 18, or 0 after TOO_SHORT. */
    public int headerLength() {
        return headerLength;
    }

    /** Where the payload starts in the segment. */
    public long payloadOffset() {
        return offset + headerLength;
    }

    /** Bytes of payload, pad not counted, 0 or more; after TOO_SHORT all the bytes there are. */
    public int payloadLength() {
        return length - headerLength;
    }

    /** Releases the reference to the memory; the fields keep their values. */
    public void release() {
        taggedHeader.wrap(MemorySegment.NULL, 0);
        untaggedHeader.wrap(MemorySegment.NULL, 0);
    }

    /** Appends one line such as {@code Send SE last msn=5 mo=0 len=16}. */
    public StringBuilder describe(StringBuilder out) {
        if (headerLength == 0) {
            return out.append("too short len=").append(length);
        }
        out.append(opcode.label());
        if (opcode == RdmapOpcode.RESERVED) {
            Hex.append(out.append(" 0x"), opcodeValue, 1);
        }
        if (opcode.invalidates() && !tagged) {
            Hex.stag(out.append(' '), stagField);
        }
        out.append(last ? " last" : "");
        if (tagged) {
            Hex.stag(out.append(" stag="), stag);
            Hex.to(out.append(" to="), to);
        } else {
            if (qn != opcode.qn()) {
                Hex.unsigned(out.append(" qn="), qn);
            }
            Hex.unsigned(out.append(" msn="), msn);
            out.append(" mo=").append(mo);
        }
        return out.append(" len=").append(payloadLength());
    }
}
