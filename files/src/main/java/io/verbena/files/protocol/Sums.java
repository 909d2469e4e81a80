package io.verbena.files.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * CRC32C over files and buffers. It detects accidental errors at tens of gigabytes a second. A cryptographic digest would not
 * protect against an attacker either, who can change the digest as well as the bytes.
 *
 * <p>A file is read and never mapped: a checksum over a mapped file that is truncated would crash the JVM.
 */
public final class Sums {

    private static final int PIECE_BYTES = 1 << 18;
    private static final MemorySegment ZEROS =
            Arena.global().allocate(PIECE_BYTES).asReadOnly();

    private final MemorySegment piece;
    private final CRC32C crc = new CRC32C();

    /** For one thread. */
    public Sums() {
        piece = Arena.ofAuto().allocate(PIECE_BYTES);
    }

    /**
     * The checksum of a range of a file.
     *
     * @throws EOFException if the file ends before
     */
    public FileMessage.Summed of(FileChannel file, long offset, long length) throws IOException {
        crc.reset();
        boolean zero = true;
        for (long done = 0; done < length; ) {
            int bytes = (int) Math.min(PIECE_BYTES, length - done);
            ByteBuffer buffer = piece.asSlice(0, bytes).asByteBuffer();
            readFully(file, offset + done, buffer);
            crc.update(buffer.flip());
            zero = zero && zero(piece, 0, bytes);
            done += bytes;
        }
        return new FileMessage.Summed((int) crc.getValue(), zero);
    }

    /** The checksum of a number of zeros. */
    public FileMessage.Summed ofZeros(long length) {
        crc.reset();
        for (long done = 0; done < length; done += PIECE_BYTES) {
            crc.update(ZEROS.asSlice(0, Math.min(PIECE_BYTES, length - done)).asByteBuffer());
        }
        return new FileMessage.Summed((int) crc.getValue(), true);
    }

    /** The checksum of memory that cannot be unmapped meanwhile. */
    public int of(MemorySegment memory) {
        crc.reset();
        crc.update(memory.asByteBuffer());
        return (int) crc.getValue();
    }

    /** Whether all bytes are 0. */
    public static boolean zero(MemorySegment memory, long offset, long bytes) {
        if (bytes >= Long.BYTES && memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset) != 0) {
            return false;
        }
        for (long done = 0; done < bytes; done += PIECE_BYTES) {
            long length = Math.min(PIECE_BYTES, bytes - done);
            if (MemorySegment.mismatch(memory, offset + done, offset + done + length, ZEROS, 0, length) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** Fills a buffer from a position of a file. */
    public static void readFully(FileChannel file, long offset, ByteBuffer buffer) throws IOException {
        int start = buffer.position();
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offset + buffer.position() - start) < 0) {
                throw new EOFException("the file ends before byte " + (offset + buffer.limit() - start));
            }
        }
    }
}
