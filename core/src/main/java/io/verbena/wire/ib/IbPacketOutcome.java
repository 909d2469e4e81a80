package io.verbena.wire.ib;

/** What {@link IbPacket#decode} found. */
public enum IbPacketOutcome {
    /** A packet whose headers are whole. */
    OK,
    /** Shorter than its headers, padding and ICRC. */
    TOO_SHORT,
    /** The length is no multiple of 4 bytes. */
    MISALIGNED,
    /** TVer is not 0. */
    UNKNOWN_VERSION,
    /** The opcode has no meaning here. */
    UNKNOWN_OPCODE,
    /** Payload or padding behind headers that have none. */
    UNEXPECTED_PAYLOAD
}
