package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads a received Terminate payload, of any bytes and any length, leniently: Linux's Soft-iWARP on little-endian
 * machines sends the two halves of the first byte exchanged (layer in the low half) and M, D, R as the bits 0x01, 0x02,
 * 0x04 of the third byte. This reader decides which order the message is in:
 *
 * <ol>
 * <li>M, D or R at the positions defined by the RFC: the order of the RFC;
 * <li>otherwise M, D or R in the low bits, which the RFC reserves and sets to zero: the exchanged order;
 * <li>otherwise the order that gives a defined reason; the order of the RFC if both do ({@link #alternative()} then
 * returns the other meaning) or neither does.
 * </ol>
 *
 * <p>Reusable, does not allocate; one thread. Source: RFC 5040 section 4.8; the messages that Linux 6.1 sends.
 */
public final class TerminateReader {
    /** Result of {@link #read}. */
    public enum Outcome {
        /** Everything announced by M, D and R is present. */
        OK,
        /** Fewer than four bytes: nothing can be read; the code is UNKNOWN. */
        TOO_SHORT,
        /**
         * The reason can be read, but the message is shorter than M, D or R announce; missing parts are treated as
         * absent.
         */
        TRUNCATED
    }

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final int RFC_BITS = 0xe0;
    private static final int EXCHANGED_BITS = 0x07;

    private final Terminate header = new Terminate();
    private boolean exchanged;
    private int layer;
    private int etype;
    private int errorCode;
    private TerminateCode code = TerminateCode.UNKNOWN;
    private TerminateCode alternative = TerminateCode.UNKNOWN;
    private int ddpSegmentLength = -1;
    private long ddpHeaderOffset = -1;
    private int ddpHeaderLength;
    private long rdmapHeaderOffset = -1;

    /**
     * Reads the payload of a Terminate message.
     *
     * @param segment the memory with the payload
     * @param offset offset of the first byte, after the DDP header
     * @param length payload length in bytes, 0 or more
     */
    public Outcome read(MemorySegment segment, long offset, int length) {
        clear();
        if (!Terminate.fits(length)) {
            return Outcome.TOO_SHORT;
        }
        header.wrap(segment, offset);
        int bits = segment.get(U8, offset + 2) & 0xff;
        decide(bits);
        boolean m = (bits & (exchanged ? 0x01 : 0x80)) != 0;
        boolean d = (bits & (exchanged ? 0x02 : 0x40)) != 0;
        boolean r = (bits & (exchanged ? 0x04 : 0x20)) != 0;
        return headers(segment, offset, length, m, d, r);
    }

    private void clear() {
        exchanged = false;
        layer = 0xf;
        etype = 0xf;
        errorCode = 0xff;
        code = TerminateCode.UNKNOWN;
        alternative = TerminateCode.UNKNOWN;
        ddpSegmentLength = -1;
        ddpHeaderOffset = -1;
        ddpHeaderLength = 0;
        rdmapHeaderOffset = -1;
    }

    private void decide(int bits) {
        errorCode = header.errorCode();
        TerminateCode asRfc = header.code();
        TerminateCode asExchanged =
                TerminateCode.of(/* layer= */ header.etype(), /* etype= */ header.layer(), errorCode);
        if ((bits & RFC_BITS) == 0) {
            boolean exchangedBits = (bits & EXCHANGED_BITS) != 0;
            exchanged = exchangedBits || asRfc == TerminateCode.UNKNOWN && asExchanged != TerminateCode.UNKNOWN;
            if (!exchanged && asExchanged != asRfc) {
                alternative = asExchanged;
            }
        }
        code = exchanged ? asExchanged : asRfc;
        layer = exchanged ? header.etype() : header.layer();
        etype = exchanged ? header.layer() : header.etype();
    }

    private Outcome headers(MemorySegment segment, long offset, int length, boolean m, boolean d, boolean r) {
        int at = Terminate.LENGTH;
        if (m || d) {
            if (length < at + Terminate.SEGMENT_LENGTH_LENGTH) {
                return Outcome.TRUNCATED;
            }
            // RFC 5040 section 4.8 [5, 6]: the length is valid with M; with D alone it is only present.
            ddpSegmentLength = m ? header.ddpSegmentLength() : -1;
            at += Terminate.SEGMENT_LENGTH_LENGTH;
        }
        if (d) {
            if (length < at + DdpControl.LENGTH) {
                return Outcome.TRUNCATED;
            }
            boolean tagged = DdpControl.t(segment.get(U8, offset + at));
            int headerLength = tagged ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
            if (length < at + headerLength) {
                return Outcome.TRUNCATED;
            }
            ddpHeaderOffset = offset + at;
            ddpHeaderLength = headerLength;
            at += headerLength;
        }
        if (r) {
            if (length < at + ReadRequest.LENGTH) {
                return Outcome.TRUNCATED;
            }
            rdmapHeaderOffset = offset + at;
        }
        return Outcome.OK;
    }

    /** Layer, 0 to 15. */
    public int layer() {
        return layer;
    }

    /** EType, 0 to 15. */
    public int etype() {
        return etype;
    }

    /** Error Code, 0 to 255. */
    public int errorCode() {
        return errorCode;
    }

    /** What layer, type and code mean. */
    public TerminateCode code() {
        return code;
    }

    /** The meaning in the exchanged order, if the message does not determine the order; otherwise UNKNOWN. */
    public TerminateCode alternative() {
        return alternative;
    }

    /** Whether the message was read in the exchanged order. */
    public boolean exchanged() {
        return exchanged;
    }

    /** DDP Segment Length in bytes, or -1 where it is absent or not valid. */
    public int ddpSegmentLength() {
        return ddpSegmentLength;
    }

    /** Where the terminated DDP header starts in the segment, or -1. */
    public long ddpHeaderOffset() {
        return ddpHeaderOffset;
    }

    /** Bytes of the terminated DDP header: 14 (tagged), 18, or 0 where it is absent. */
    public int ddpHeaderLength() {
        return ddpHeaderLength;
    }

    /** Where the terminated Read Request header starts in the segment, or -1. */
    public long rdmapHeaderOffset() {
        return rdmapHeaderOffset;
    }

    /** Appends one line such as {@code DDP_UNTAGGED_NO_BUFFER (1/2/0x02) exchanged}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(code.name())
                .append(" (")
                .append(layer)
                .append('/')
                .append(etype)
                .append("/0x");
        Hex.append(out, errorCode, 2).append(exchanged ? ") exchanged" : ")");
        if (alternative != TerminateCode.UNKNOWN) {
            out.append(" or ").append(alternative.name());
        }
        if (ddpSegmentLength >= 0) {
            out.append(" segment=").append(ddpSegmentLength);
        }
        return out;
    }
}
