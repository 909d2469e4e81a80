package io.verbena.tools.demo;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 over memory of any size. */
final class Digests {

    private static final int CHUNK_BYTES = 1 << 18;

    private Digests() {}

    /**
     * The checksum in hexadecimal. Runs over a copy, piece by piece: memory mapped from a file can go away.
     *
     * @param bar shows how far it is
     * @throws IOException when the memory went away
     * @throws StopSignal.Stopped when the user wants to stop
     */
    static String sha256(MemorySegment memory, ProgressBar bar, StopSignal stop) throws IOException {
        MessageDigest digest = newDigest();
        byte[] chunk = new byte[CHUNK_BYTES];
        long startNs = System.nanoTime();
        try {
            for (long offset = 0; offset < memory.byteSize(); offset += CHUNK_BYTES) {
                stop.check();
                int length = (int) Math.min(CHUNK_BYTES, memory.byteSize() - offset);
                MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, chunk, 0, length);
                digest.update(chunk, 0, length);
                bar.updateBytes(offset + length, startNs);
            }
        } catch (InternalError e) {
            throw new IOException("The file became shorter, or its device failed, while it was in use", e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
