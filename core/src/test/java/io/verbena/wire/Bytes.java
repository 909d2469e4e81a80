package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Bytes for tests, written as hexadecimal with blanks where they help. */
final class Bytes {
    private Bytes() {}

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    static MemorySegment segment(String text) {
        return MemorySegment.ofArray(hex(text));
    }

    static String text(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** A run of {@code length} bytes 1, 2, 3 and so on. */
    static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }
}
