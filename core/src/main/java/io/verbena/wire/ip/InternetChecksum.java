package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The checksum of IPv4, ICMP, ICMPv6 and TCP: the complement of the ones' complement sum of all 16-bit words, an odd last byte
 * padded with zero (RFC 1071). Sums of parts can be added as long as each part but the last has an even length.
 */
public final class InternetChecksum {

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long LOW = 0xffff_ffffL;

    private InternetChecksum() {}

    /** The sum of a range, not folded and not complemented. A range has less than 2 GiB, so nothing overflows. */
    public static long sum(MemorySegment segment, long offset, long length) {
        long sum = 0;
        long at = offset;
        long end = offset + length;
        for (; end - at >= 8; at += 8) {
            long word = segment.get(U64, at);
            sum += (word >>> 32) + (word & LOW);
        }
        if (end - at >= 4) {
            sum += segment.get(U32, at) & LOW;
            at += 4;
        }
        if (end - at >= 2) {
            sum += segment.get(U16, at) & 0xffff;
            at += 2;
        }
        if (at < end) {
            sum += (segment.get(U8, at) & 0xff) << 8;
        }
        return sum;
    }

    /** The sum of the pseudo-header of IPv4 (RFC 9293 section 3.1 [note]); addresses are 32 bits. */
    public static long pseudoHeader(int source, int destination, int protocol, int length) {
        return (source & LOW) + (destination & LOW) + protocol + length;
    }

    /** The sum of the pseudo-header of IPv6 (RFC 8200 section 8.1); addresses are two words. */
    public static long pseudoHeader(
            long sourceHigh, long sourceLow, long destinationHigh, long destinationLow, int protocol, int length) {
        return words(sourceHigh)
                + words(sourceLow)
                + words(destinationHigh)
                + words(destinationLow)
                + protocol
                + length;
    }

    private static long words(long value) {
        return (value >>> 32) + (value & LOW);
    }

    /** Folds a sum to 16 bits. */
    public static int fold(long sum) {
        long folded = (sum >>> 32) + (sum & LOW);
        folded = (folded >>> 16) + (folded & 0xffff);
        folded = (folded >>> 16) + (folded & 0xffff);
        folded = (folded >>> 16) + (folded & 0xffff);
        return (int) folded;
    }

    /** The checksum field for a sum that was computed with zero in that field. */
    public static int of(long sum) {
        return ~fold(sum) & 0xffff;
    }

    /** Whether a sum that includes the checksum field shows no error. */
    public static boolean intact(long sum) {
        return fold(sum) == 0xffff;
    }
}
