package io.verbena.iwarp.startup;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Bytes that are queued for sending. */
final class FrameOutput {
    private byte[] bytes = new byte[0];
    private int sent;

    void append(byte[] more) {
        byte[] all = Arrays.copyOf(bytes, bytes.length + more.length);
        System.arraycopy(more, 0, all, bytes.length, more.length);
        bytes = all;
    }

    int fill(MemorySegment into, long offset, int capacity) {
        int piece = Math.min(capacity, pending());
        MemorySegment.copy(bytes, sent, into, ValueLayout.JAVA_BYTE, offset, piece);
        sent += piece;
        return piece;
    }

    int pending() {
        return bytes.length - sent;
    }

    /** Discards the bytes that have not been sent. */
    void drop() {
        bytes = Arrays.copyOf(bytes, sent);
    }

    long digest(long h) {
        return StartUpDigest.mix(StartUpDigest.mix(h, bytes, bytes.length), sent);
    }
}
