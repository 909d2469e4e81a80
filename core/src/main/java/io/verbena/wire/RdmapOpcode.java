package io.verbena.wire;

import java.util.Arrays;

/**
 * The RDMAP opcodes and their properties; the single source of these facts.
 *
 * <p>Source: RFC 5040 section 4.1, RFC 7306 section 4.1 (tables of opcodes).
 */
public enum RdmapOpcode {
    /** RDMA Write: places into a tagged buffer, consumes nothing at the receiver. */
    WRITE(0x0, "Write", Model.TAGGED, -1, Flags.NONE, -1),
    /** RDMA Read Request: requests data; carries a {@link ReadRequest}. */
    READ_REQUEST(0x1, "ReadRequest", Model.UNTAGGED, 1, Flags.NONE, ReadRequest.LENGTH),
    /** RDMA Read Response: the requested data. */
    READ_RESPONSE(0x2, "ReadResponse", Model.TAGGED, -1, Flags.NONE, -1),
    /** Send. */
    SEND(0x3, "Send", Model.UNTAGGED, 0, Flags.NONE, -1),
    /** Send with Invalidate. */
    SEND_INVALIDATE(0x4, "Send Inv", Model.UNTAGGED, 0, Flags.INVALIDATES, -1),
    /** Send with Solicited Event. */
    SEND_SE(0x5, "Send SE", Model.UNTAGGED, 0, Flags.SOLICITED, -1),
    /** Send with Solicited Event and Invalidate. */
    SEND_SE_INVALIDATE(0x6, "Send SE Inv", Model.UNTAGGED, 0, Flags.SOLICITED | Flags.INVALIDATES, -1),
    /** Terminate: states why the stream ends; carries a {@link Terminate}. */
    TERMINATE(0x7, "Terminate", Model.UNTAGGED, 2, Flags.NONE, -1),
    /** Immediate Data: eight bytes that complete a receive; carries an {@link ImmediateData}. */
    IMMEDIATE(0x8, "Immediate", Model.UNTAGGED, 0, Flags.EXTENSION, ImmediateData.LENGTH),
    /** Immediate Data with Solicited Event. */
    IMMEDIATE_SE(0x9, "Immediate SE", Model.UNTAGGED, 0, Flags.EXTENSION | Flags.SOLICITED, ImmediateData.LENGTH),
    /** Atomic Request: carries an {@link AtomicRequest}. */
    ATOMIC_REQUEST(0xa, "AtomicRequest", Model.UNTAGGED, 1, Flags.EXTENSION, AtomicRequest.LENGTH),
    /** Atomic Response: carries an {@link AtomicResponse}. */
    ATOMIC_RESPONSE(0xb, "AtomicResponse", Model.UNTAGGED, 3, Flags.EXTENSION, AtomicResponse.LENGTH),
    /** Represents the values 0xC to 0xF, which no RFC defines; its {@link #value()} is 0xF. */
    RESERVED(0xf, "Reserved", Model.UNTAGGED, -1, Flags.NONE, -1);

    /** How many untagged queues RDMAP uses: 0 Send, 1 Read and Atomic Request, 2 Terminate, 3 Atomic Response. */
    public static final int QUEUES = 4;

    private enum Model {
        TAGGED,
        UNTAGGED
    }

    private static final class Flags {
        static final int NONE = 0;
        static final int SOLICITED = 1;
        static final int INVALIDATES = 2;
        static final int EXTENSION = 4;
    }

    private static final RdmapOpcode[] BY_VALUE = new RdmapOpcode[16];

    static {
        Arrays.fill(BY_VALUE, RESERVED);
        for (RdmapOpcode opcode : values()) {
            BY_VALUE[opcode.value] = opcode;
        }
    }

    private final int value;
    private final String label;
    private final boolean tagged;
    private final int qn;
    private final boolean solicited;
    private final boolean invalidates;
    private final boolean extension;
    private final int fixedPayloadLength;

    RdmapOpcode(int value, String label, Model model, int qn, int flags, int fixedPayloadLength) {
        this.value = value;
        this.label = label;
        this.tagged = model == Model.TAGGED;
        this.qn = qn;
        this.solicited = (flags & Flags.SOLICITED) != 0;
        this.invalidates = (flags & Flags.INVALIDATES) != 0;
        this.extension = (flags & Flags.EXTENSION) != 0;
        this.fixedPayloadLength = fixedPayloadLength;
    }

    /** The opcode with the low four bits of {@code value}; {@link #RESERVED} where none is defined. Never fails. */
    public static RdmapOpcode of(int value) {
        return BY_VALUE[value & 0xf];
    }

    /** The four bits on the wire. */
    public int value() {
        return value;
    }

    /** A short name for one-line printing. */
    public String label() {
        return label;
    }

    /** Whether the message is tagged (T set, {@link DdpTagged}); otherwise it has a {@link DdpUntagged} header. */
    public boolean tagged() {
        return tagged;
    }

    /** The queue number the message must name; -1 for tagged messages and for {@link #RESERVED}. */
    public int qn() {
        return qn;
    }

    /** Whether the message carries the solicited-event flag. */
    public boolean solicited() {
        return solicited;
    }

    /** Whether the message requests the invalidation of an STag, {@link DdpUntagged#invalidateStag()}. */
    public boolean invalidates() {
        return invalidates;
    }

    /** Whether RFC 7306 added the opcode, so that a peer with RFC 5040 only does not support it. */
    public boolean extension() {
        return extension;
    }

    /** The only payload length in bytes the message may have, or -1 where it may have any. */
    public int fixedPayloadLength() {
        return fixedPayloadLength;
    }

    /** Whether the message consumes a receive of the application (queue 0). */
    public boolean consumesReceive() {
        return qn == 0;
    }

    /** The length of the DDP header in bytes: 14 tagged, 18 untagged. */
    public int headerLength() {
        return tagged ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
    }
}
