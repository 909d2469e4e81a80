package io.verbena.tools.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Writes zeros: makes a file longer. */
final class Zeros {

    private Zeros() {}

    /** Writes zeros from one offset of a file to another; does nothing when that lies behind. */
    static void append(FileChannel file, long from, long to, int pieceBytes) throws IOException {
        if (from >= to) {
            return;
        }
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(pieceBytes, to - from));
        for (long at = from; at < to; ) {
            at += file.write(zeros.clear().limit((int) Math.min(zeros.capacity(), to - at)), at);
        }
    }
}
