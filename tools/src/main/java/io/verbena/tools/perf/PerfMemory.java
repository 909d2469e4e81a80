package io.verbena.tools.perf;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory of a connection that is measured, the same on both sides: two equal areas (what is sent, then what comes in), an 8-byte
 * word for atomics and one for their results.
 */
final class PerfMemory {

    private static final int WORD_APART = 64;
    private static final int PAGE = 4096;

    /** A peer can access a region of this size, and no smaller one, without the engine of its owner. */
    private static final int LEAST_BYTES = 1 << 16;

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final MemoryRegion region;
    private final MemorySegment segment;
    private final long areaBytes;

    PerfMemory(ProtectionDomain pd, int maxBytes) {
        areaBytes = areaBytes(maxBytes);
        region = pd.allocate(bytes(maxBytes), LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        segment = region.segment();
    }

    /** Bytes that a connection takes on each side. */
    static long bytes(int maxBytes) {
        return Math.max(LEAST_BYTES, 2 * areaBytes(maxBytes) + PAGE);
    }

    private static long areaBytes(int maxBytes) {
        return Math.ceilDiv((long) maxBytes, WORD_APART) * WORD_APART;
    }

    MemoryRegion region() {
        return region;
    }

    /** Where messages arrive. */
    long inboundOffset() {
        return areaBytes;
    }

    /** The word that the peer's atomics change. */
    long wordOffset() {
        return 2 * areaBytes;
    }

    /** Where the results of atomics arrive. */
    long resultOffset() {
        return 2 * areaBytes + WORD_APART;
    }

    // The flag of write_lat: the last byte of a message, which is placed last and published.

    void clearFlag(int bytes) {
        segment.set(ValueLayout.JAVA_BYTE, areaBytes + bytes - 1, (byte) 0);
    }

    void flagToSend(int bytes, byte flag) {
        segment.set(ValueLayout.JAVA_BYTE, bytes - 1, flag);
    }

    boolean flagCame(int bytes, byte flag) {
        return (byte) BYTE.getAcquire(segment, areaBytes + bytes - 1) == flag;
    }
}
