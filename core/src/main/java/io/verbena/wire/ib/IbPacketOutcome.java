package io.verbena.wire.ib;

/** The result of {@link IbPacket#decode}. */
public enum IbPacketOutcome {
    /** The headers are complete. */
    OK,
    /** The packet is shorter than its headers, padding and ICRC. */
    TOO_SHORT,
    /** The length is not a multiple of 4 bytes. */
    MISALIGNED,
    /** TVer is not 0. */
    UNKNOWN_VERSION,
    /** The opcode is undefined. */
    UNKNOWN_OPCODE,
    /** The packet has payload or padding that its opcode does not permit. */
    UNEXPECTED_PAYLOAD
}
