package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Walks the extension headers of an IPv6 packet to its content. The walk is bounded by the packet and by a number of headers.
 *
 * <pre>
 *   | Next Header 1 | Hdr Ext Len 1: in 8 bytes, without the first 8 | options or data ... |
 * </pre>
 *
 * <p>One object for all packets. Source: RFC 8200 section 4. A packet that this host must not process is rejected without an ICMP
 * report.
 */
public final class Ipv6Extensions {

    /** Most headers; a packet with more of them is rejected (RFC 8504 section 5.3 permits such a limit). */
    public static final int MOST_HEADERS = 8;

    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int UNIT = 8;

    /** The bits of an option type that say what to do with a packet whose option is not known: 0 is "skip". */
    private static final int UNKNOWN_ACTION = 0xc0;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private int protocol;
    private long content;

    /** Outcome of {@link #walk}. */
    public enum Outcome {
        /** {@link #protocol} and {@link #content} are valid. */
        CONTENT,
        /** A part of a packet. */
        FRAGMENT,
        /** Malformed, or not to be processed by this host. */
        REJECTED
    }

    /**
     * Walks the headers.
     *
     * @param first Next Header of the IPv6 header
     * @param from offset after the IPv6 header
     * @param to end of the packet
     */
    public Outcome walk(MemorySegment memory, int first, long from, long to) {
        segment = memory;
        protocol = first;
        content = from;
        for (int i = 0; i <= MOST_HEADERS; i++) {
            switch (protocol) {
                case HOP_BY_HOP, DESTINATION_OPTIONS -> {
                    // RFC 8200 section 4.1: Hop-by-Hop Options only directly after the IPv6 header.
                    if (protocol == HOP_BY_HOP && i > 0 || !fits(to) || !optionsAllowed(content + 2, end())) {
                        return Outcome.REJECTED;
                    }
                }
                case ROUTING -> {
                    // RFC 8200 section 4.4: this host routes no packets on.
                    if (!fits(to) || segment.get(U8, content + 3) != 0) {
                        return Outcome.REJECTED;
                    }
                }
                case FRAGMENT -> {
                    if (to - content < UNIT) {
                        return Outcome.REJECTED;
                    }
                    // RFC 6946 section 4: offset 0 and no more fragments is a whole packet.
                    if ((segment.get(U16, content + 2) & 0xfff9) != 0) {
                        return Outcome.FRAGMENT;
                    }
                }
                default -> {
                    return Outcome.CONTENT;
                }
            }
            long next = protocol == FRAGMENT ? content + UNIT : end();
            protocol = segment.get(U8, content) & 0xff;
            content = next;
        }
        return Outcome.REJECTED;
    }

    /** End of the header at {@link #content}. */
    private long end() {
        return content + UNIT + (segment.get(U8, content + 1) & 0xffL) * UNIT;
    }

    private boolean fits(long to) {
        return to - content >= UNIT && end() <= to;
    }

    /** RFC 8200 section 4.2: an unknown option may forbid to process the packet. */
    private boolean optionsAllowed(long from, long to) {
        long at = from;
        while (at < to) {
            int type = segment.get(U8, at) & 0xff;
            if (type == 0) {
                at++; // Pad1 has no length
                continue;
            }
            if ((type & UNKNOWN_ACTION) != 0 || to - at < 2) {
                return false;
            }
            at += 2 + (segment.get(U8, at + 1) & 0xff);
        }
        return at == to;
    }

    /** The protocol of the content. */
    public int protocol() {
        return protocol;
    }

    /** Offset of the content. */
    public long content() {
        return content;
    }
}
