package io.verbena.messaging.ring;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Memory of a channel that its peer writes: a control block for each virtual channel, and a place for each receive, where a word arrives
 * that is a Send.
 *
 * <pre>
 *   0                      control blocks
 *   blocks * BYTES         words, 4 bytes each, big endian
 * </pre>
 */
public final class ControlMemory implements AutoCloseable {

    /** Length of a word. */
    public static final int WORD_BYTES = Integer.BYTES;

    static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemoryRegion region;
    private final long blocksBytes;

    public ControlMemory(ProtectionDomain domain, int virtualChannels, int receives) {
        blocksBytes = (long) virtualChannels * ControlBlock.BYTES;
        region = domain.allocate(bytes(virtualChannels, receives), AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
    }

    /** Length of the memory of a channel. */
    public static long bytes(int virtualChannels, int receives) {
        return (long) virtualChannels * ControlBlock.BYTES + (long) receives * WORD_BYTES;
    }

    public long length() {
        return region.length();
    }

    /** The control blocks, as the peer is given them. */
    public RemoteRegion remote() {
        return new RemoteRegion(region.address(), blocksBytes, region.rkey());
    }

    MemoryRegion region() {
        return region;
    }

    MemorySegment segment() {
        return region.segment();
    }

    long wordAt(int receive) {
        return blocksBytes + (long) receive * WORD_BYTES;
    }

    /** The word that has arrived in a receive. */
    public long word(int receive) {
        return Integer.toUnsignedLong(region.segment().get(WORD, wordAt(receive)));
    }

    @Override
    public void close() {
        region.close();
    }
}
