package io.verbena.wire;

/**
 * Every reason a Terminate message can give: layer, error type, error code, and a sentence for people.
 *
 * <p>Sources: RFC 5040 section 4.8 (layer 0), RFC 5041 section 7.2 (layer 1), RFC 5044 section 8 and RFC 6581 section 8
 * (layer 2). RFC 7306 section 8.2 adds no codes; it uses {@link #RDMAP_STREAM_CATASTROPHIC} for misaligned atomics.
 */
public enum TerminateCode {
    /** Whatever code it carries: this error type has none of its own. */
    RDMAP_LOCAL_CATASTROPHIC(0x0, 0x0, 0x00, "The adapter of the terminating side failed by itself."),

    /** Invalid STag. */
    RDMAP_INVALID_STAG(0x0, 0x1, 0x00, "The key does not identify any memory."),
    /** Base or bounds violation. */
    RDMAP_BASE_OR_BOUNDS(0x0, 0x1, 0x01, "The requested range is not within the memory of the key."),
    /** Access rights violation. */
    RDMAP_ACCESS_RIGHTS(0x0, 0x1, 0x02, "The key does not grant this kind of access."),
    /** STag not associated with the stream. */
    RDMAP_STAG_NOT_ASSOCIATED(0x0, 0x1, 0x03, "The key must not be used on this connection."),
    /** TO wrap. */
    RDMAP_TO_WRAP(0x0, 0x1, 0x04, "Offset plus length exceeds the 64-bit offset space."),
    /** STag cannot be invalidated, as a protection error. */
    RDMAP_PROTECTION_CANNOT_INVALIDATE(0x0, 0x1, 0x09, "The sender of the message must not invalidate the key."),
    /** Unspecified protection error. */
    RDMAP_PROTECTION_UNSPECIFIED(0x0, 0x1, 0xff, "Memory protection denied the access; no reason was given."),

    /** Invalid RDMAP version. */
    RDMAP_VERSION(0x0, 0x2, 0x05, "The RDMAP version of the message is not supported."),
    /** Unexpected opcode. */
    RDMAP_UNEXPECTED_OPCODE(0x0, 0x2, 0x06, "The opcode of the message is unknown or unexpected."),
    /** Catastrophic error of this stream. */
    RDMAP_STREAM_CATASTROPHIC(0x0, 0x2, 0x07, "The terminating side cannot continue this connection."),
    /** Catastrophic error of everything. */
    RDMAP_GLOBAL_CATASTROPHIC(0x0, 0x2, 0x08, "The adapter of the terminating side cannot continue any connection."),
    /** STag cannot be invalidated. */
    RDMAP_CANNOT_INVALIDATE(0x0, 0x2, 0x09, "The key could not be invalidated."),
    /** Unspecified operation error. */
    RDMAP_OPERATION_UNSPECIFIED(0x0, 0x2, 0xff, "The message could not be processed; no reason was given."),

    /** Local catastrophic error. */
    DDP_LOCAL_CATASTROPHIC(0x1, 0x0, 0x00, "The DDP layer of the terminating side failed."),

    /** Invalid STag. */
    DDP_TAGGED_INVALID_STAG(0x1, 0x1, 0x00, "Data arrived for a key that does not identify any memory."),
    /** Base or bounds violation. */
    DDP_TAGGED_BASE_OR_BOUNDS(0x1, 0x1, 0x01, "Data arrived for a range that is not within the memory of the key."),
    /** STag not associated with the stream. */
    DDP_TAGGED_STAG_NOT_ASSOCIATED(0x1, 0x1, 0x02, "Data arrived for a key that must not be used on this connection."),
    /** TO wrap. */
    DDP_TAGGED_TO_WRAP(0x1, 0x1, 0x03, "Data arrived for an offset beyond the 64-bit offset space."),
    /** Invalid DDP version in a tagged segment. */
    DDP_TAGGED_VERSION(0x1, 0x1, 0x04, "A tagged segment has an unsupported DDP version."),

    /** Invalid QN. */
    DDP_UNTAGGED_INVALID_QN(0x1, 0x2, 0x01, "The queue number of a segment is unknown or does not match its message."),
    /** Invalid MSN: no buffer. */
    DDP_UNTAGGED_NO_BUFFER(0x1, 0x2, 0x02, "A message arrived, but no receive was posted."),
    /** Invalid MSN: out of range. */
    DDP_UNTAGGED_MSN_RANGE(0x1, 0x2, 0x03, "The message number of a segment is outside of the expected range."),
    /** Invalid MO. */
    DDP_UNTAGGED_INVALID_MO(0x1, 0x2, 0x04, "The message offset of a segment is wrong."),
    /** Message too long. */
    DDP_UNTAGGED_TOO_LONG(0x1, 0x2, 0x05, "A message is longer than its receive buffer."),
    /** Invalid DDP version in an untagged segment. */
    DDP_UNTAGGED_VERSION(0x1, 0x2, 0x06, "An untagged segment has an unsupported DDP version."),

    /** TCP connection closed or lost; rarely on the wire, since no connection is left to send it on. */
    MPA_CONNECTION_LOST(0x2, 0x0, 0x01, "The TCP connection ended."),
    /** CRC mismatch. */
    MPA_CRC(0x2, 0x0, 0x02, "The checksum of a frame is wrong: its bytes were corrupted in transit."),
    /** Marker and length fields disagree; also used for frames too short for what they carry. */
    MPA_FPDU_START(0x2, 0x0, 0x03, "A frame does not match its markers, or is too short for its headers."),
    /** Invalid MPA start frame. */
    MPA_START_FRAME(0x2, 0x0, 0x04, "The frame that starts the connection is malformed."),
    /** Local catastrophic error during enhanced connection set-up. */
    MPA_LOCAL_CATASTROPHIC(0x2, 0x0, 0x05, "The terminating side failed during connection set-up."),
    /** Insufficient IRD resources. */
    MPA_INSUFFICIENT_IRD(0x2, 0x0, 0x06, "The negotiated number of outstanding Reads is not supported."),
    /** No matching RTR option. */
    MPA_NO_MATCHING_RTR(0x2, 0x0, 0x07, "The two sides support no common ready-to-receive indication."),

    /** Represents every triple that no RFC defines. */
    UNKNOWN(0xf, 0xf, 0xff, "The given reason is not defined by any specification.");

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

    /** The reason with this layer, type and code, or {@link #UNKNOWN}. Never fails, does not allocate. */
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

    /** A sentence for people, for either side. The terminating side is the one that sends the Terminate message. */
    public String sentence() {
        return sentence;
    }

    /** Whether the Terminate should carry the length and the DDP header of the segment, if there is such a segment. */
    public boolean includesDdpHeader() {
        // RFC 5040 section 4.8 (HdrCt table): not for local errors of RDMAP, not for the layer below DDP.
        return layer == LAYER_DDP || layer == LAYER_RDMAP && etype != 0;
    }

    /** Whether the Terminate ought to carry the RDMAP header too, where the cause is a Read Request. */
    public boolean includesRdmapHeader() {
        // RFC 5040 section 4.8 (HdrCt table): remote protection errors only.
        return layer == LAYER_RDMAP && etype == ETYPE_PROTECTION;
    }
}
