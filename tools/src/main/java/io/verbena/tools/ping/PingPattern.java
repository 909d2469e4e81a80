package io.verbena.tools.ping;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The text that rping sends: {@code rdma-ping-N: } for round N, then characters from 65 to 122 that go round and start one
 * further each round, and a zero byte at the end.
 */
public final class PingPattern {

    private static final int FIRST = 65;
    private static final int LAST = 122;
    private static final int CHARACTERS = LAST - FIRST + 1;

    private PingPattern() {}

    /** Fills a segment with the text of a round. */
    public static void fill(MemorySegment segment, long round) {
        byte[] prefix = prefix(round);
        for (long i = 0; i < segment.byteSize(); i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, at(prefix, round, i, segment.byteSize()));
        }
    }

    /** Where a segment first differs from the text of a round; -1 when it does not. */
    public static long mismatch(MemorySegment segment, long round) {
        byte[] prefix = prefix(round);
        for (long i = 0; i < segment.byteSize(); i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, i) != at(prefix, round, i, segment.byteSize())) {
                return i;
            }
        }
        return -1;
    }

    /** The text up to its zero byte, for people. Control characters and what is not ASCII show as dots. */
    public static String text(MemorySegment segment) {
        StringBuilder text = new StringBuilder();
        for (long i = 0; i < segment.byteSize(); i++) {
            byte b = segment.get(ValueLayout.JAVA_BYTE, i);
            if (b == 0) {
                break;
            }
            text.append(b >= 0x20 && b < 0x7f ? (char) b : '.');
        }
        return text.toString();
    }

    private static byte[] prefix(long round) {
        return ("rdma-ping-" + round + ": ").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte at(byte[] prefix, long round, long index, long size) {
        if (index == size - 1) {
            return 0;
        }
        if (index < prefix.length) {
            return prefix[(int) index];
        }
        long start = round % CHARACTERS;
        return (byte) (FIRST + (start + index - prefix.length) % CHARACTERS);
    }
}
