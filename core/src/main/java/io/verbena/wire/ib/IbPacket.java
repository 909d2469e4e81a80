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
 *
 * <p>A request that names its place (opcode D4) has a {@link PathEth} between the BTH and the other headers. It appears
 * with the opcode of the request in it, and {@link #sprayed} is true.
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
    private final PathEth pathEth = new PathEth();

    /** Number of bytes between the BTH and its place in front of the other headers: the length of a PathEth, or 0. */
    private int shift;

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
        shift = 0;
        if (bth.tver() != 0) {
            return IbPacketOutcome.UNKNOWN_VERSION;
        }
        if (opcode == IbOpcode.PATH_DATA && !unwrap(length)) {
            return length < Bth.LENGTH + PathEth.LENGTH + Icrc.LENGTH
                    ? IbPacketOutcome.TOO_SHORT
                    : IbPacketOutcome.UNKNOWN_OPCODE;
        }
        if (opcode == IbOpcode.RESERVED) {
            return IbPacketOutcome.UNKNOWN_OPCODE;
        }
        payloadBytes = length - headerBytes() - bth.pad() - Icrc.LENGTH;
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

    /** Takes the opcode of the request in a packet that names its place; false if there is no request of a connection. */
    private boolean unwrap(int length) {
        if (length < Bth.LENGTH + PathEth.LENGTH + Icrc.LENGTH) {
            return false;
        }
        opcode = pathEth.wrap(segment, offset + Bth.LENGTH).request();
        shift = PathEth.LENGTH;
        return opcode.service() == IbOpcode.Service.RC && opcode.request();
    }

    /**
     * Points at an IPv6 packet that a subnet has transported as it is. It appears as the payload of a packet of the transport.
     *
     * @param at offset of the IPv6 packet
     */
    public void raw(MemorySegment ipv6, long at, int length, int destQp) {
        segment = ipv6;
        opcode = IbOpcode.RAW_DATAGRAM;
        shift = 0;
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

    /** The memory that contains the packet. */
    MemorySegment segment() {
        return segment;
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
        return offset + headerBytes();
    }

    /** Length of the BTH and all headers after it. */
    public int headerBytes() {
        return shift + opcode.headerBytes();
    }

    /** Whether the packet is a request that names its place, with a {@link #pathEth}. */
    public boolean sprayed() {
        return shift != 0;
    }

    /** The ICRC in the packet; see {@link Icrc#read}. */
    public int icrc() {
        return Icrc.read(segment, offset + lengthBytes - Icrc.LENGTH);
    }

    // Each header is valid only if the opcode has it.

    public Rdeth rdeth() {
        assert opcode.hasRdeth();
        return rdeth.wrap(segment, offset + shift + opcode.rdethOffset());
    }

    public Deth deth() {
        assert opcode.hasDeth();
        return deth.wrap(segment, offset + shift + opcode.dethOffset());
    }

    public Reth reth() {
        assert opcode.hasReth();
        return reth.wrap(segment, offset + shift + opcode.rethOffset());
    }

    public AtomicEth atomicEth() {
        assert opcode.hasAtomicEth();
        return atomicEth.wrap(segment, offset + shift + opcode.atomicEthOffset());
    }

    public Aeth aeth() {
        assert opcode.hasAeth();
        return aeth.wrap(segment, offset + shift + opcode.aethOffset());
    }

    public AtomicAckEth atomicAckEth() {
        assert opcode.hasAtomicAckEth();
        return atomicAckEth.wrap(segment, offset + shift + opcode.atomicAckEthOffset());
    }

    public ImmDt immDt() {
        assert opcode.immediate();
        return immDt.wrap(segment, offset + shift + opcode.immOffset());
    }

    public Ieth ieth() {
        assert opcode.invalidates();
        return ieth.wrap(segment, offset + shift + opcode.iethOffset());
    }

    public PathEth pathEth() {
        assert sprayed();
        return pathEth.wrap(segment, offset + Bth.LENGTH);
    }

    /** Appends one line such as {@code RC_SEND_ONLY qp=0x000012 psn=7 ack, 64 bytes}. */
    public StringBuilder describe(StringBuilder out) {
        bth.describe(out);
        if (sprayed()) {
            pathEth().describe(out.append(' '));
        }
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
