package io.verbena.base;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Memory for socket I/O: a direct buffer and a segment over the same bytes. Sockets and checksums use only slabs or
 * memory that cannot be changed or released meanwhile. Owned by one engine.
 */
public final class Slab {

    /** A slab without bytes, for what has none yet. */
    public static final Slab NONE = new Slab(0);

    private final ByteBuffer buffer;
    private final ByteBuffer summed;
    private final MemorySegment segment;
    private final long address;
    private final CRC32C crc = new CRC32C();

    /** Creates a slab of this size. */
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

    /** Memory address of the first byte. */
    public long address() {
        return address;
    }

    /** The single buffer of the slab, with position and limit set to a range; for an immediate channel call. */
    public ByteBuffer range(int from, int to) {
        return buffer.limit(to).position(from);
    }

    /** Copies bytes of another buffer, whose limit is beyond them, to an offset of the slab. */
    public void put(int offset, ByteBuffer source, int from, int count) {
        buffer.clear().put(offset, source, from, count);
    }

    /** CRC32C of a range (RFC 5044 section 4.4 [8]). */
    public int crc32c(int from, int to) {
        crc.reset();
        return crc32cOn(from, to);
    }

    /** CRC32C of the range summed last, continued with the range that follows it. */
    public int crc32cOn(int from, int to) {
        crc.update(summed.limit(to).position(from));
        return (int) crc.getValue();
    }
}
