package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Decodes the options of a TCP header: MSS, window scale, SACK permitted, SACK blocks and timestamps. Used for one header after the
 * other, without allocation.
 *
 * <p>RFC 9293 sections 3.1 [5, 6, 7, 8, 9] and 3.2 [1]: options of any kind and position are accepted, unknown ones are skipped by their length, and
 * an illegal length ends the decoding; what was decoded before counts.
 */
public final class TcpOptionReader {

    /** Result of {@link #mss} and {@link #windowScale} if the option is absent. */
    public static final int ABSENT = -1;

    /** Most SACK blocks of one segment: 40 bytes of options have space for four. */
    public static final int MAX_BLOCKS = 4;

    private static final int END = 0;
    private static final int NO_OPERATION = 1;
    private static final int MSS = 2;
    private static final int WINDOW_SCALE = 3;
    private static final int SACK_PERMITTED = 4;
    private static final int SACK = 5;
    private static final int TIMESTAMPS = 8;
    private static final int BLOCK = 8;

    /** RFC 7323 section 2.3: a larger shift counts as 14. */
    private static final int MAX_SHIFT = 14;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private int mss = ABSENT;
    private int windowScale = ABSENT;
    private boolean sackPermitted;
    private boolean timestamps;
    private int timestamp;
    private int echo;
    private int blocks;
    private final int[] left = new int[MAX_BLOCKS];
    private final int[] right = new int[MAX_BLOCKS];
    private boolean malformed;

    /** Decodes the bytes {@code from} to {@code to}: the options of one header. */
    public TcpOptionReader read(MemorySegment segment, long from, long to) {
        reset();
        long at = from;
        while (at < to && !malformed) {
            int kind = segment.get(U8, at) & 0xff;
            if (kind == END) {
                break;
            }
            if (kind == NO_OPERATION) {
                at++;
                continue;
            }
            int length = at + 1 < to ? segment.get(U8, at + 1) & 0xff : 0;
            if (length < 2 || at + length > to) {
                malformed = true;
                break;
            }
            option(segment, at, kind, length);
            at += length;
        }
        return this;
    }

    private void reset() {
        mss = ABSENT;
        windowScale = ABSENT;
        sackPermitted = false;
        timestamps = false;
        timestamp = 0;
        echo = 0;
        blocks = 0;
        malformed = false;
    }

    private void option(MemorySegment segment, long at, int kind, int length) {
        if (kind == MSS && length == 4) {
            mss = segment.get(U16, at + 2) & 0xffff;
        } else if (kind == WINDOW_SCALE && length == 3) {
            windowScale = Math.min(MAX_SHIFT, segment.get(U8, at + 2) & 0xff);
        } else if (kind == SACK_PERMITTED && length == 2) {
            sackPermitted = true;
        } else if (kind == TIMESTAMPS && length == 10) {
            timestamps = true;
            timestamp = segment.get(U32, at + 2);
            echo = segment.get(U32, at + 6);
        } else if (kind == SACK && length > 2 && (length - 2) % BLOCK == 0) {
            for (long block = at + 2; block < at + length && blocks < MAX_BLOCKS; block += BLOCK) {
                left[blocks] = segment.get(U32, block);
                right[blocks] = segment.get(U32, block + 4);
                blocks++;
            }
        }
    }

    /** Maximum Segment Size, or {@link #ABSENT}. */
    public int mss() {
        return mss;
    }

    /** Window scale, 0 to 14, or {@link #ABSENT}. */
    public int windowScale() {
        return windowScale;
    }

    /** Whether SACK is permitted. */
    public boolean sackPermitted() {
        return sackPermitted;
    }

    /** Whether there are timestamps. */
    public boolean timestamps() {
        return timestamps;
    }

    /** TSval. */
    public int timestamp() {
        return timestamp;
    }

    /** TSecr. */
    public int echo() {
        return echo;
    }

    /** Number of SACK blocks. */
    public int blocks() {
        return blocks;
    }

    /** Left edge of a SACK block. */
    public int left(int block) {
        return left[block];
    }

    /** Right edge of a SACK block: the sequence number after it. */
    public int right(int block) {
        return right[block];
    }

    /** Whether an option had an illegal length. */
    public boolean malformed() {
        return malformed;
    }

    /** Appends for example {@code mss=1460 wscale=7 sackOK ts=1/0}; nothing if there are no options. */
    public StringBuilder describe(StringBuilder out) {
        if (mss != ABSENT) {
            out.append(" mss=").append(mss);
        }
        if (windowScale != ABSENT) {
            out.append(" wscale=").append(windowScale);
        }
        if (sackPermitted) {
            out.append(" sackOK");
        }
        if (timestamps) {
            out.append(" ts=").append(Integer.toUnsignedLong(timestamp)).append('/');
            out.append(Integer.toUnsignedLong(echo));
        }
        for (int i = 0; i < blocks; i++) {
            out.append(i == 0 ? " sack=" : ",")
                    .append(Integer.toUnsignedLong(left[i]))
                    .append('-');
            out.append(Integer.toUnsignedLong(right[i]));
        }
        return out;
    }
}
