package io.verbena.files.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Extends a file with zeros. */
public final class Zeros {

    private Zeros() {}

    /** Writes zeros from one offset of a file up to another; does nothing if there are no bytes between them. */
    public static void append(FileChannel file, long from, long to, int pieceBytes) throws IOException {
        if (from >= to) {
            return;
        }
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(pieceBytes, to - from));
        for (long at = from; at < to; ) {
            at += file.write(zeros.clear().limit((int) Math.min(zeros.capacity(), to - at)), at);
        }
    }
}
