package io.verbena.wire.ib;

import java.lang.foreign.MemorySegment;

/**
 * A decoded packet of the InfiniBand transport, from its BTH to its ICRC: the offsets of the headers and the length of
 * the payload. One flyweight per header is reused for every packet. For any bytes, {@link #decode} returns an {@link
 * IbPacketOutcome} and accesses nothing outside the packet.
 *
 * <pre>
 *   | BTH | RDETH | DETH | RETH, AtomicETH, AETH, ImmDt, IETH .. | payload | pad | ICRC |
 * </pre>
 *
 * {@link Icrc} checks the ICRC.
 */
public final class IbPacket {

    private final Bth bth = new Bth();
    private final Rdeth rdeth = new Rdeth();
    private final Deth deth = new Deth();
    private final Reth reth = new Reth();
    private final AtomicEth atomicEth = new AtomicEth();
    private final Aeth aeth = new Aeth();
    private final AtomicAckEth atomicAckEth = new AtomicAckEth();
    private final ImmDt immDt = new ImmDt();
    private final Ieth ieth = new Ieth();

    /** The BTH that packets without one appear to have. */
    private final MemorySegment rawBth = MemorySegment.ofArray(new byte[Bth.LENGTH]);

    private MemorySegment segment = MemorySegment.NULL;
    private IbOpcode opcode = IbOpcode.RESERVED;
    private long offset;
    private int lengthBytes;
    private int payloadBytes;

    /**
     * Decodes a packet.
     *
     * @param offset offset of the BTH
     * @param length number of bytes including the ICRC
     */
    public IbPacketOutcome decode(MemorySegment segment, long offset, int length) {
        if (length < Bth.LENGTH + Icrc.LENGTH) {
            return IbPacketOutcome.TOO_SHORT;
        }
        this.segment = segment;
        this.offset = offset;
        this.lengthBytes = length;
        bth.wrap(segment, offset);
        opcode = bth.opcode();
        if (bth.tver() != 0) {
            return IbPacketOutcome.UNKNOWN_VERSION;
        }
        if (opcode == IbOpcode.RESERVED) {
            return IbPacketOutcome.UNKNOWN_OPCODE;
        }
        payloadBytes = length - opcode.headerBytes() - bth.pad() - Icrc.LENGTH;
        if (payloadBytes < 0) {
            return IbPacketOutcome.TOO_SHORT;
        }
        if ((length & 3) != 0) {
            return IbPacketOutcome.MISALIGNED;
        }
        if (!opcode.hasPayload() && (payloadBytes > 0 || bth.pad() > 0)) {
            return IbPacketOutcome.UNEXPECTED_PAYLOAD;
        }
        return IbPacketOutcome.OK;
    }

    /**
     * Points at an IPv6 packet that a subnet has transported as it is. It appears as the payload of a packet of the transport.
     *
     * @param at offset of the IPv6 packet
     */
    public void raw(MemorySegment ipv6, long at, int length, int destQp) {
        segment = ipv6;
        opcode = IbOpcode.RAW_DATAGRAM;
        offset = at - opcode.headerBytes();
        lengthBytes = opcode.headerBytes() + length;
        payloadBytes = length;
        bth.wrap(rawBth, 0).set(opcode, destQp, 0);
    }

    public Bth bth() {
        return bth;
    }

    public IbOpcode opcode() {
        return opcode;
    }

    /** Offset of the BTH. */
    public long offset() {
        return offset;
    }

    /** Length from the BTH to the end of the ICRC. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Length of the payload without padding. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** Offset of the payload. */
    public long payloadOffset() {
        return offset + opcode.headerBytes();
    }

    /** The ICRC in the packet; see {@link Icrc#read}. */
    public int icrc() {
        return Icrc.read(segment, offset + lengthBytes - Icrc.LENGTH);
    }

    // Each header is valid only if the opcode has it.

    public Rdeth rdeth() {
        assert opcode.hasRdeth();
        return rdeth.wrap(segment, offset + opcode.rdethOffset());
    }

    public Deth deth() {
        assert opcode.hasDeth();
        return deth.wrap(segment, offset + opcode.dethOffset());
    }

    public Reth reth() {
        assert opcode.hasReth();
        return reth.wrap(segment, offset + opcode.rethOffset());
    }

    public AtomicEth atomicEth() {
        assert opcode.hasAtomicEth();
        return atomicEth.wrap(segment, offset + opcode.atomicEthOffset());
    }

    public Aeth aeth() {
        assert opcode.hasAeth();
        return aeth.wrap(segment, offset + opcode.aethOffset());
    }

    public AtomicAckEth atomicAckEth() {
        assert opcode.hasAtomicAckEth();
        return atomicAckEth.wrap(segment, offset + opcode.atomicAckEthOffset());
    }

    public ImmDt immDt() {
        assert opcode.immediate();
        return immDt.wrap(segment, offset + opcode.immOffset());
    }

    public Ieth ieth() {
        assert opcode.invalidates();
        return ieth.wrap(segment, offset + opcode.iethOffset());
    }

    /** Appends one line such as {@code RC_SEND_ONLY qp=0x000012 psn=7 ack, 64 bytes}. */
    public StringBuilder describe(StringBuilder out) {
        bth.describe(out);
        if (opcode.hasRdeth()) {
            rdeth().describe(out.append(' '));
        }
        if (opcode.hasDeth()) {
            deth().describe(out.append(' '));
        }
        if (opcode.hasReth()) {
            reth().describe(out.append(' '));
        }
        if (opcode.hasAtomicEth()) {
            atomicEth().describe(out.append(' '));
        }
        if (opcode.hasAeth()) {
            aeth().describe(out.append(' '));
        }
        if (opcode.hasAtomicAckEth()) {
            atomicAckEth().describe(out.append(' '));
        }
        if (opcode.immediate()) {
            immDt().describe(out.append(' '));
        }
        if (opcode.invalidates()) {
            ieth().describe(out.append(' '));
        }
        return opcode.hasPayload() ? out.append(", ").append(payloadBytes).append(" bytes") : out;
    }
}
