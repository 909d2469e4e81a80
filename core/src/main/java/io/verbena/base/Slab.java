package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Memory for socket I/O: a direct buffer and the segment that views it (DESIGN rule: sockets read and write only such
 * memory, and checksums run only over it). Owned by one engine.
 */
public final class Slab {

    private final ByteBuffer buffer;
    private final ByteBuffer summed;
    private final MemorySegment segment;
    private final long address;
    private final CRC32C crc = new CRC32C();

    /** A slab of this many bytes. */
    public Slab(int capacity) {
        buffer = ByteBuffer.allocateDirect(capacity);
        summed = buffer.duplicate();
        segment = MemorySegment.ofBuffer(buffer);
        address = segment.address();
    }

    public int capacity() {
        return buffer.capacity();
    }

    /** The whole slab as a segment. */
    public MemorySegment segment() {
        return segment;
    }

    /** Where its first byte lies in memory. */
    public long address() {
        return address;
    }

    /** The slab's one buffer with position and limit set around a range; for a channel call at once. */
    public ByteBuffer range(int from, int to) {
        return buffer.limit(to).position(from);
    }

    /** Copies bytes of another buffer, its limit being beyond them, to a place in the slab. */
    public void put(int offset, ByteBuffer source, int from, int count) {
        buffer.clear().put(offset, source, from, count);
    }

    /** CRC32C of a range (RFC 5044 section 4.4 [8]). */
    public int crc32c(int from, int to) {
        crc.reset();
        return crc32cOn(from, to);
    }

    /** CRC32C of what was summed last and of the range that follows it. */
    public int crc32cOn(int from, int to) {
        crc.update(summed.limit(to).position(from));
        return (int) crc.getValue();
    }
}
