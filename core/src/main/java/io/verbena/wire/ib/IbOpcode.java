package io.verbena.wire.ib;

import java.util.Arrays;

/**
 * The opcodes of the Base Transport Header and their properties, which are defined here only.
 *
 * <p>The high three bits are the transport service: 0 RC, 1 UC, 2 RD, 3 UD. The headers of an opcode follow the BTH in
 * the order RDETH, DETH, then RETH, AtomicETH, AETH, ImmDt, IETH or AtomicAckETH.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.2 (table of opcodes) and annex A17 for RoCEv2.
 */
public enum IbOpcode {
    RC_SEND_FIRST(0x00, Operation.SEND, Position.FIRST, 0),
    RC_SEND_MIDDLE(0x01, Operation.SEND, Position.MIDDLE, 0),
    RC_SEND_LAST(0x02, Operation.SEND, Position.LAST, 0),
    RC_SEND_LAST_IMM(0x03, Operation.SEND, Position.LAST, Part.IMM),
    RC_SEND_ONLY(0x04, Operation.SEND, Position.ONLY, 0),
    RC_SEND_ONLY_IMM(0x05, Operation.SEND, Position.ONLY, Part.IMM),
    RC_WRITE_FIRST(0x06, Operation.WRITE, Position.FIRST, Part.RETH),
    RC_WRITE_MIDDLE(0x07, Operation.WRITE, Position.MIDDLE, 0),
    RC_WRITE_LAST(0x08, Operation.WRITE, Position.LAST, 0),
    RC_WRITE_LAST_IMM(0x09, Operation.WRITE, Position.LAST, Part.IMM),
    RC_WRITE_ONLY(0x0a, Operation.WRITE, Position.ONLY, Part.RETH),
    RC_WRITE_ONLY_IMM(0x0b, Operation.WRITE, Position.ONLY, Part.RETH | Part.IMM),
    RC_READ_REQUEST(0x0c, Operation.READ, Position.ONLY, Part.RETH | Part.NO_PAYLOAD),
    RC_READ_RESPONSE_FIRST(0x0d, Operation.READ_RESPONSE, Position.FIRST, Part.AETH),
    RC_READ_RESPONSE_MIDDLE(0x0e, Operation.READ_RESPONSE, Position.MIDDLE, 0),
    RC_READ_RESPONSE_LAST(0x0f, Operation.READ_RESPONSE, Position.LAST, Part.AETH),
    RC_READ_RESPONSE_ONLY(0x10, Operation.READ_RESPONSE, Position.ONLY, Part.AETH),
    RC_ACKNOWLEDGE(0x11, Operation.ACKNOWLEDGE, Position.ONLY, Part.AETH | Part.NO_PAYLOAD),
    RC_ATOMIC_ACKNOWLEDGE(
            0x12, Operation.ATOMIC_ACKNOWLEDGE, Position.ONLY, Part.AETH | Part.ATOMIC_ACK | Part.NO_PAYLOAD),
    RC_COMPARE_SWAP(0x13, Operation.COMPARE_SWAP, Position.ONLY, Part.ATOMIC | Part.NO_PAYLOAD),
    RC_FETCH_ADD(0x14, Operation.FETCH_ADD, Position.ONLY, Part.ATOMIC | Part.NO_PAYLOAD),
    RC_SEND_LAST_INVALIDATE(0x16, Operation.SEND, Position.LAST, Part.IETH),
    RC_SEND_ONLY_INVALIDATE(0x17, Operation.SEND, Position.ONLY, Part.IETH),

    UC_SEND_FIRST(0x20, Operation.SEND, Position.FIRST, 0),
    UC_SEND_MIDDLE(0x21, Operation.SEND, Position.MIDDLE, 0),
    UC_SEND_LAST(0x22, Operation.SEND, Position.LAST, 0),
    UC_SEND_LAST_IMM(0x23, Operation.SEND, Position.LAST, Part.IMM),
    UC_SEND_ONLY(0x24, Operation.SEND, Position.ONLY, 0),
    UC_SEND_ONLY_IMM(0x25, Operation.SEND, Position.ONLY, Part.IMM),
    UC_WRITE_FIRST(0x26, Operation.WRITE, Position.FIRST, Part.RETH),
    UC_WRITE_MIDDLE(0x27, Operation.WRITE, Position.MIDDLE, 0),
    UC_WRITE_LAST(0x28, Operation.WRITE, Position.LAST, 0),
    UC_WRITE_LAST_IMM(0x29, Operation.WRITE, Position.LAST, Part.IMM),
    UC_WRITE_ONLY(0x2a, Operation.WRITE, Position.ONLY, Part.RETH),
    UC_WRITE_ONLY_IMM(0x2b, Operation.WRITE, Position.ONLY, Part.RETH | Part.IMM),

    RD_SEND_FIRST(0x40, Operation.SEND, Position.FIRST, Part.RD_REQUEST),
    RD_SEND_MIDDLE(0x41, Operation.SEND, Position.MIDDLE, Part.RD_REQUEST),
    RD_SEND_LAST(0x42, Operation.SEND, Position.LAST, Part.RD_REQUEST),
    RD_SEND_LAST_IMM(0x43, Operation.SEND, Position.LAST, Part.RD_REQUEST | Part.IMM),
    RD_SEND_ONLY(0x44, Operation.SEND, Position.ONLY, Part.RD_REQUEST),
    RD_SEND_ONLY_IMM(0x45, Operation.SEND, Position.ONLY, Part.RD_REQUEST | Part.IMM),
    RD_WRITE_FIRST(0x46, Operation.WRITE, Position.FIRST, Part.RD_REQUEST | Part.RETH),
    RD_WRITE_MIDDLE(0x47, Operation.WRITE, Position.MIDDLE, Part.RD_REQUEST),
    RD_WRITE_LAST(0x48, Operation.WRITE, Position.LAST, Part.RD_REQUEST),
    RD_WRITE_LAST_IMM(0x49, Operation.WRITE, Position.LAST, Part.RD_REQUEST | Part.IMM),
    RD_WRITE_ONLY(0x4a, Operation.WRITE, Position.ONLY, Part.RD_REQUEST | Part.RETH),
    RD_WRITE_ONLY_IMM(0x4b, Operation.WRITE, Position.ONLY, Part.RD_REQUEST | Part.RETH | Part.IMM),
    RD_READ_REQUEST(0x4c, Operation.READ, Position.ONLY, Part.RD_REQUEST | Part.RETH | Part.NO_PAYLOAD),
    RD_READ_RESPONSE_FIRST(0x4d, Operation.READ_RESPONSE, Position.FIRST, Part.RDETH | Part.AETH),
    RD_READ_RESPONSE_MIDDLE(0x4e, Operation.READ_RESPONSE, Position.MIDDLE, Part.RDETH),
    RD_READ_RESPONSE_LAST(0x4f, Operation.READ_RESPONSE, Position.LAST, Part.RDETH | Part.AETH),
    RD_READ_RESPONSE_ONLY(0x50, Operation.READ_RESPONSE, Position.ONLY, Part.RDETH | Part.AETH),
    RD_ACKNOWLEDGE(0x51, Operation.ACKNOWLEDGE, Position.ONLY, Part.RDETH | Part.AETH | Part.NO_PAYLOAD),
    RD_ATOMIC_ACKNOWLEDGE(
            0x52,
            Operation.ATOMIC_ACKNOWLEDGE,
            Position.ONLY,
            Part.RDETH | Part.AETH | Part.ATOMIC_ACK | Part.NO_PAYLOAD),
    RD_COMPARE_SWAP(0x53, Operation.COMPARE_SWAP, Position.ONLY, Part.RD_REQUEST | Part.ATOMIC | Part.NO_PAYLOAD),
    RD_FETCH_ADD(0x54, Operation.FETCH_ADD, Position.ONLY, Part.RD_REQUEST | Part.ATOMIC | Part.NO_PAYLOAD),
    RD_RESYNC(0x55, Operation.RESYNC, Position.ONLY, Part.RD_REQUEST | Part.NO_PAYLOAD),

    UD_SEND_ONLY(0x64, Operation.SEND, Position.ONLY, Part.DETH),
    UD_SEND_ONLY_IMM(0x65, Operation.SEND, Position.ONLY, Part.DETH | Part.IMM),

    /** Congestion notification packet of RoCEv2: 16 bytes of zeros follow. */
    CNP(0x81, Operation.CONGESTION_NOTIFICATION, Position.ONLY, 0),

    /**
     * An extension between two Verbenas with a manufacturer opcode: reports the packets that arrived after a lost one.
     */
    SELECTIVE_ACKNOWLEDGE(0xd1, Operation.SELECTIVE_ACKNOWLEDGE, Position.ONLY, Part.AETH),

    /** An extension between two Verbenas: an RDMA Write of one packet as an unreliable datagram. */
    UD_WRITE_ONLY(0xd2, Operation.WRITE, Position.ONLY, Part.DETH | Part.RETH),

    /** An extension between two Verbenas: a complete IPv6 packet. */
    RAW_DATAGRAM(0xd3, Operation.RAW, Position.ONLY, 0),

    /**
     * An extension between two Verbenas: a request of a reliable connection that names its final place ({@link PathEth}).
     * A decoded packet shows the opcode of the request instead.
     */
    PATH_DATA(0xd4, Operation.NONE, Position.ONLY, 0),

    /** An extension between two Verbenas: an acknowledgement that echoes the path of a packet ({@link PathEcho}). */
    PATH_ACKNOWLEDGE(0xd5, Operation.PATH_ACKNOWLEDGE, Position.ONLY, Part.AETH),

    /** An extension between two Verbenas: asks whether a path works, or answers ({@link PathProbe}). */
    PATH_PROBE(0xd6, Operation.PATH_PROBE, Position.ONLY, 0),

    /** Any undefined value; its {@link #value()} is 0xFF. */
    RESERVED(0xff, Operation.NONE, Position.ONLY, 0);

    /** The transport service of an opcode, which its high three bits select. */
    public enum Service {
        RC,
        UC,
        RD,
        UD,
        /** Congestion notification, and undefined opcodes. */
        OTHER
    }

    /** The operation of a packet. */
    public enum Operation {
        SEND,
        WRITE,
        READ,
        COMPARE_SWAP,
        FETCH_ADD,
        RESYNC,
        READ_RESPONSE,
        ACKNOWLEDGE,
        ATOMIC_ACKNOWLEDGE,
        CONGESTION_NOTIFICATION,
        SELECTIVE_ACKNOWLEDGE,
        PATH_ACKNOWLEDGE,
        PATH_PROBE,
        RAW,
        NONE
    }

    /** The position of a packet in its message. */
    public enum Position {
        FIRST,
        MIDDLE,
        LAST,
        ONLY
    }

    /** The headers after the BTH, as bits. */
    private static final class Part {
        static final int RDETH = 1;
        static final int DETH = 2;
        static final int RETH = 4;
        static final int ATOMIC = 8;
        static final int AETH = 16;
        static final int ATOMIC_ACK = 32;
        static final int IMM = 64;
        static final int IETH = 128;
        static final int NO_PAYLOAD = 256;
        static final int RD_REQUEST = RDETH | DETH;
    }

    private static final IbOpcode[] BY_VALUE = new IbOpcode[256];

    static {
        Arrays.fill(BY_VALUE, RESERVED);
        for (IbOpcode opcode : values()) {
            BY_VALUE[opcode.value] = opcode;
        }
    }

    private final int value;
    private final Service service;
    private final Operation operation;
    private final Position position;
    private final int parts;
    private final int headerBytes;
    private final boolean request;
    private final int rethOffset;
    private final int aethOffset;

    IbOpcode(int value, Operation operation, Position position, int parts) {
        this.value = value;
        this.operation = operation;
        this.position = position;
        this.parts = parts;
        this.service = serviceOf(value);
        this.headerBytes = Bth.LENGTH + before(parts, Part.NO_PAYLOAD);
        this.request = sentByRequester(operation);
        this.rethOffset = Bth.LENGTH + before(parts, Part.RETH);
        this.aethOffset = Bth.LENGTH + before(parts, Part.AETH);
    }

    private static boolean sentByRequester(Operation operation) {
        return switch (operation) {
            case SEND, WRITE, READ, COMPARE_SWAP, FETCH_ADD, RESYNC, RAW -> true;
            case READ_RESPONSE,
                    ACKNOWLEDGE,
                    ATOMIC_ACKNOWLEDGE,
                    CONGESTION_NOTIFICATION,
                    SELECTIVE_ACKNOWLEDGE,
                    PATH_ACKNOWLEDGE,
                    PATH_PROBE,
                    NONE -> false;
        };
    }

    private static Service serviceOf(int value) {
        switch (value) {
            case 0xd1, 0xd4, 0xd5, 0xd6 -> {
                return Service.RC;
            }
            case 0xd2 -> {
                return Service.UD;
            }
            default -> {}
        }
        return value >>> 5 < 4 ? Service.values()[value >>> 5] : Service.OTHER;
    }

    /** The opcode of a byte, or {@link #RESERVED} if the value is undefined. */
    public static IbOpcode of(int value) {
        return BY_VALUE[value & 0xff];
    }

    /** The byte on the wire. */
    public int value() {
        return value;
    }

    public Service service() {
        return service;
    }

    public Operation operation() {
        return operation;
    }

    public Position position() {
        return position;
    }

    /** Whether a requester sends it; otherwise a responder does. */
    public boolean request() {
        return request;
    }

    /** Whether it is a compare-and-swap or a fetch-and-add. */
    public boolean atomic() {
        return operation == Operation.COMPARE_SWAP || operation == Operation.FETCH_ADD;
    }

    /** Whether it begins a message. */
    public boolean starts() {
        return position == Position.FIRST || position == Position.ONLY;
    }

    /** Whether it ends a message. */
    public boolean ends() {
        return position == Position.LAST || position == Position.ONLY;
    }

    /** Whether this packet completes a receive: the last packet of a Send or of a Write with immediate. */
    public boolean completesReceive() {
        return ends() && (operation == Operation.SEND || operation == Operation.WRITE && immediate());
    }

    public boolean immediate() {
        return has(Part.IMM);
    }

    public boolean invalidates() {
        return has(Part.IETH);
    }

    public boolean hasRdeth() {
        return has(Part.RDETH);
    }

    public boolean hasDeth() {
        return has(Part.DETH);
    }

    public boolean hasReth() {
        return has(Part.RETH);
    }

    public boolean hasAtomicEth() {
        return has(Part.ATOMIC);
    }

    public boolean hasAeth() {
        return has(Part.AETH);
    }

    public boolean hasAtomicAckEth() {
        return has(Part.ATOMIC_ACK);
    }

    /** Whether payload may follow the headers. */
    public boolean hasPayload() {
        return !has(Part.NO_PAYLOAD);
    }

    private boolean has(int part) {
        return (parts & part) != 0;
    }

    /** Length of the BTH and all headers after it, in bytes. */
    public int headerBytes() {
        return headerBytes;
    }

    /** Offset of the RDETH from the first byte of the BTH. */
    public int rdethOffset() {
        return Bth.LENGTH;
    }

    /** Offset of the DETH. */
    public int dethOffset() {
        return Bth.LENGTH + before(parts, Part.DETH);
    }

    /** Offset of the RETH. */
    public int rethOffset() {
        return rethOffset;
    }

    /** Offset of the AtomicETH. */
    public int atomicEthOffset() {
        return Bth.LENGTH + before(parts, Part.ATOMIC);
    }

    /** Offset of the AETH. */
    public int aethOffset() {
        return aethOffset;
    }

    /** Offset of the AtomicAckETH. */
    public int atomicAckEthOffset() {
        return Bth.LENGTH + before(parts, Part.ATOMIC_ACK);
    }

    /** Offset of the immediate data. */
    public int immOffset() {
        return Bth.LENGTH + before(parts, Part.IMM);
    }

    /** Offset of the IETH. */
    public int iethOffset() {
        return Bth.LENGTH + before(parts, Part.IETH);
    }

    /** Length of the headers before this one: the bits are in the order of the wire. */
    private static int before(int parts, int part) {
        int bytes = 0;
        for (int bit = 1; bit < part; bit <<= 1) {
            if ((parts & bit) != 0) {
                bytes += lengthOf(bit);
            }
        }
        return bytes;
    }

    private static int lengthOf(int part) {
        return switch (part) {
            case Part.RDETH -> Rdeth.LENGTH;
            case Part.DETH -> Deth.LENGTH;
            case Part.RETH -> Reth.LENGTH;
            case Part.ATOMIC -> AtomicEth.LENGTH;
            case Part.AETH -> Aeth.LENGTH;
            case Part.ATOMIC_ACK -> AtomicAckEth.LENGTH;
            case Part.IMM -> ImmDt.LENGTH;
            case Part.IETH -> Ieth.LENGTH;
            default -> throw new AssertionError(part);
        };
    }
}
