package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Writes the options of a TCP header one after the other, each padded so that the next one is aligned. */
public final class TcpOptionWriter {
    /** Bytes of the timestamps option with padding. */
    public static final int TIMESTAMPS_LENGTH = 12;

    /** Most bytes of options. */
    public static final int MAX_LENGTH = TcpHeader.MAX_LENGTH - TcpHeader.LENGTH;

    private static final int BLOCK = 8;
    private static final int NO_OPERATIONS = 0x0101_0000;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long start;
    private long at;

    /** Points this writer at the first option. */
    public TcpOptionWriter wrap(MemorySegment newSegment, long offset) {
        segment = newSegment;
        start = offset;
        at = offset;
        return this;
    }

    private void put(int word) {
        segment.set(U32, at, word);
        at += 4;
    }

    /** Maximum Segment Size: 4 bytes. */
    public TcpOptionWriter mss(int bytes) {
        put(0x0204_0000 | bytes);
        return this;
    }

    /** Window scale: 4 bytes. */
    public TcpOptionWriter windowScale(int shift) {
        put(0x0103_0300 | shift);
        return this;
    }

    /** SACK permitted: 4 bytes. */
    public TcpOptionWriter sackPermitted() {
        put(NO_OPERATIONS | 0x0402);
        return this;
    }

    /** Timestamps: 12 bytes. */
    public TcpOptionWriter timestamps(int value, int echo) {
        put(NO_OPERATIONS | 0x080a);
        put(value);
        put(echo);
        return this;
    }

    /** Number of SACK blocks for which there is space. */
    public int blockSpace() {
        return Math.max(0, (MAX_LENGTH - length() - 4) / BLOCK);
    }

    /** Begins the SACK option; this many blocks follow. */
    public TcpOptionWriter sack(int blocks) {
        put(NO_OPERATIONS | 0x0500 | 2 + BLOCK * blocks);
        return this;
    }

    /** A SACK block. */
    public TcpOptionWriter block(int left, int right) {
        put(left);
        put(right);
        return this;
    }

    /** Bytes written; a multiple of four. */
    public int length() {
        return (int) (at - start);
    }
}
