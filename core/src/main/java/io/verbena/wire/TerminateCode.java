package io.verbena.wire;

/**
 * Every reason a Terminate message can give: layer, error type, error code, and a sentence for people.
 *
 * <p>Sources: RFC 5040 section 4.8 (layer 0), RFC 5041 section 7.2 (layer 1), RFC 5044 section 8 and RFC 6581 section 8
 * (layer 2). RFC 7306 section 8.2 adds no codes; it uses {@link #RDMAP_STREAM_CATASTROPHIC} for misaligned atomics.
 */
public enum TerminateCode {
    /** Whatever code it carries: this error type has none of its own. */
    RDMAP_LOCAL_CATASTROPHIC(0x0, 0x0, 0x00, "The peer's adapter failed on its own; no message of ours is to blame."),

    /** Invalid STag. */
    RDMAP_INVALID_STAG(0x0, 0x1, 0x00, "The key names no memory at the peer."),
    /** Base or bounds violation. */
    RDMAP_BASE_OR_BOUNDS(0x0, 0x1, 0x01, "The range asked for is not all inside the memory the key names."),
    /** Access rights violation. */
    RDMAP_ACCESS_RIGHTS(0x0, 0x1, 0x02, "The key does not allow this kind of access."),
    /** STag not associated with the stream. */
    RDMAP_STAG_NOT_ASSOCIATED(0x0, 0x1, 0x03, "The key is not for use on this connection."),
    /** TO wrap. */
    RDMAP_TO_WRAP(0x0, 0x1, 0x04, "The offset plus the length passes the end of the 64-bit offset space."),
    /** STag cannot be invalidated, as a protection error. */
    RDMAP_PROTECTION_CANNOT_INVALIDATE(0x0, 0x1, 0x09, "The key to invalidate may not be invalidated by us."),
    /** Unspecified protection error. */
    RDMAP_PROTECTION_UNSPECIFIED(0x0, 0x1, 0xff, "The peer's memory protection refused, without saying why."),

    /** Invalid RDMAP version. */
    RDMAP_VERSION(0x0, 0x2, 0x05, "The message has an RDMAP version the peer does not speak."),
    /** Unexpected opcode. */
    RDMAP_UNEXPECTED_OPCODE(0x0, 0x2, 0x06, "The message has an opcode that is unknown or out of place."),
    /** Catastrophic error of this stream. */
    RDMAP_STREAM_CATASTROPHIC(0x0, 0x2, 0x07, "The peer cannot go on with this connection; others are not concerned."),
    /** Catastrophic error of everything. */
    RDMAP_GLOBAL_CATASTROPHIC(0x0, 0x2, 0x08, "The peer's adapter cannot go on with any connection."),
    /** STag cannot be invalidated. */
    RDMAP_CANNOT_INVALIDATE(0x0, 0x2, 0x09, "The key could not be invalidated."),
    /** Unspecified operation error. */
    RDMAP_OPERATION_UNSPECIFIED(0x0, 0x2, 0xff, "The peer could not process the message, without saying why."),

    /** Local catastrophic error. */
    DDP_LOCAL_CATASTROPHIC(0x1, 0x0, 0x00, "The peer's placement layer failed on its own."),

    /** Invalid STag. */
    DDP_TAGGED_INVALID_STAG(0x1, 0x1, 0x00, "Data came for a key that names no memory."),
    /** Base or bounds violation. */
    DDP_TAGGED_BASE_OR_BOUNDS(0x1, 0x1, 0x01, "Data came for a range that is not all inside the memory the key names."),
    /** STag not associated with the stream. */
    DDP_TAGGED_STAG_NOT_ASSOCIATED(0x1, 0x1, 0x02, "Data came for a key that is not for use on this connection."),
    /** TO wrap. */
    DDP_TAGGED_TO_WRAP(0x1, 0x1, 0x03, "Data came for an offset that passes the end of the 64-bit offset space."),
    /** Invalid DDP version in a tagged segment. */
    DDP_TAGGED_VERSION(0x1, 0x1, 0x04, "A tagged segment has a DDP version the receiver does not speak."),

    /** Invalid QN. */
    DDP_UNTAGGED_INVALID_QN(0x1, 0x2, 0x01, "A segment names a queue that does not exist or is not for its message."),
    /** Invalid MSN: no buffer. */
    DDP_UNTAGGED_NO_BUFFER(0x1, 0x2, 0x02, "A message came for which no receive was posted."),
    /** Invalid MSN: out of range. */
    DDP_UNTAGGED_MSN_RANGE(0x1, 0x2, 0x03, "A segment's message number is outside the range the receiver expects."),
    /** Invalid MO. */
    DDP_UNTAGGED_INVALID_MO(0x1, 0x2, 0x04, "A segment's offset within its message is wrong."),
    /** Message too long. */
    DDP_UNTAGGED_TOO_LONG(0x1, 0x2, 0x05, "A message is longer than the buffer it goes to."),
    /** Invalid DDP version in an untagged segment. */
    DDP_UNTAGGED_VERSION(0x1, 0x2, 0x06, "An untagged segment has a DDP version the receiver does not speak."),

    /** TCP connection closed or lost; seldom on the wire, since there is no connection left to send it on. */
    MPA_CONNECTION_LOST(0x2, 0x0, 0x01, "The TCP connection ended."),
    /** CRC mismatch. */
    MPA_CRC(0x2, 0x0, 0x02, "The checksum of a frame is wrong: bytes changed on the way."),
    /** Marker and length fields disagree; also used for frames too short for what they carry. */
    MPA_FPDU_START(0x2, 0x0, 0x03, "Frame lengths and markers disagree, or a frame is too short for its headers."),
    /** Invalid MPA start frame. */
    MPA_START_FRAME(0x2, 0x0, 0x04, "The frame that starts the connection is malformed."),
    /** Local catastrophic error during enhanced connection set-up. */
    MPA_LOCAL_CATASTROPHIC(0x2, 0x0, 0x05, "The peer failed on its own while the connection was being set up."),
    /** Insufficient IRD resources. */
    MPA_INSUFFICIENT_IRD(0x2, 0x0, 0x06, "The peer cannot serve as many outstanding Reads as were agreed."),
    /** No matching RTR option. */
    MPA_NO_MATCHING_RTR(0x2, 0x0, 0x07, "The two sides have no ready-to-receive indication in common."),

    /** Stands for every triple no RFC defines. */
    UNKNOWN(0xf, 0xf, 0xff, "The peer gave a reason that no specification defines.");

    /** Layer 0: RDMAP. */
    public static final int LAYER_RDMAP = 0x0;
    /** Layer 1: DDP. */
    public static final int LAYER_DDP = 0x1;
    /** Layer 2: the one below DDP, here MPA. */
    public static final int LAYER_LLP = 0x2;

    private static final int ETYPE_PROTECTION = 0x1;
    private static final TerminateCode[] ALL = values();

    private final int layer;
    private final int etype;
    private final int code;
    private final String sentence;

    TerminateCode(int layer, int etype, int code, String sentence) {
        this.layer = layer;
        this.etype = etype;
        this.code = code;
        this.sentence = sentence;
    }

    /** The reason with this layer, type and code, or {@link #UNKNOWN}. Never fails, makes no object. */
    public static TerminateCode of(int layer, int etype, int code) {
        // RFC 5040 section 4.8 [note]: RDMAP's local catastrophic error has no code, any value will do.
        if (layer == LAYER_RDMAP && etype == 0) {
            return RDMAP_LOCAL_CATASTROPHIC;
        }
        for (TerminateCode each : ALL) {
            if (each.layer == layer && each.etype == etype && each.code == code) {
                return each;
            }
        }
        return UNKNOWN;
    }

    /** Layer, 4 bits. */
    public int layer() {
        return layer;
    }

    /** EType, 4 bits. */
    public int etype() {
        return etype;
    }

    /** Error Code, 8 bits. */
    public int code() {
        return code;
    }

    /** A sentence for people, seen from the side that caused the error where that matters. */
    public String sentence() {
        return sentence;
    }

    /** Whether the Terminate ought to carry the segment's length and DDP header, where there is such a segment. */
    public boolean includesDdpHeader() {
        // RFC 5040 section 4.8, Fig. 10: not for local errors of RDMAP, not for the layer below DDP.
        return layer == LAYER_DDP || layer == LAYER_RDMAP && etype != 0;
    }

    /** Whether the Terminate ought to carry the RDMAP header too, where the cause is a Read Request. */
    public boolean includesRdmapHeader() {
        // RFC 5040 section 4.8, Fig. 10: remote protection errors only.
        return layer == LAYER_RDMAP && etype == ETYPE_PROTECTION;
    }
}
