package io.verbena.tools.handlers;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A disk write command, as it travels in a Send from the host to the adapter; the adapter fetches the block by RDMA Read.
 *
 * <pre>
 *    0 | position in the file, bytes    64 |
 *    8 | CRC32C of the block 32 | tag   32 |
 *   16 | where the host keeps the block: RemoteRegion, 20 bytes
 * </pre>
 *
 * The answer is the tag and a status, 4 bytes each; status 0 is success.
 */
final class BlockCommand {

    static final int BYTES = 40;
    static final int ANSWER_BYTES = 8;

    private static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BlockCommand() {}

    static void write(MemorySegment at, long offset, long position, int crc, int tag, RemoteRegion block) {
        at.set(LONG, offset, position);
        at.set(INT, offset + 8, crc);
        at.set(INT, offset + 12, tag);
        block.write(at, offset + 16);
    }

    static long position(MemorySegment at, long offset) {
        return at.get(LONG, offset);
    }

    static int crc(MemorySegment at, long offset) {
        return at.get(INT, offset + 8);
    }

    static int tag(MemorySegment at, long offset) {
        return at.get(INT, offset + 12);
    }

    static RemoteRegion block(MemorySegment at, long offset) {
        return RemoteRegion.read(at, offset + 16);
    }

    static void answer(MemorySegment at, long offset, int tag, int status) {
        at.set(INT, offset, tag);
        at.set(INT, offset + 4, status);
    }

    static int answerTag(MemorySegment at, long offset) {
        return at.get(INT, offset);
    }

    static int answerStatus(MemorySegment at, long offset) {
        return at.get(INT, offset + 4);
    }
}
