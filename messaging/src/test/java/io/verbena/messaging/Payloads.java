package io.verbena.messaging;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Contents of messages and elements, each determined by its length and a seed. */
public final class Payloads {

    private Payloads() {}

    public static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return bytes;
    }

    public static MemorySegment segment(int length, int seed) {
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, length));
        MemorySegment.copy(bytes(length, seed), 0, segment, ValueLayout.JAVA_BYTE, 0, length);
        return segment;
    }
}
