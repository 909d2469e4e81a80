package io.verbena.storage.host;

import java.util.UUID;

/** A namespace as the target describes it. Any thread may read. */
public final class RemoteNamespace {
    private final int id;
    private final UUID uuid;
    private final int blockShift;
    private volatile long blocks;
    private volatile boolean readOnly;
    private volatile boolean present = true;

    RemoteNamespace(int id, UUID uuid, int blockShift) {
        this.id = id;
        this.uuid = uuid;
        this.blockShift = blockShift;
    }

    /** NSID. */
    public int id() {
        return id;
    }

    /** What identifies the contents: they are the same whenever this is the same. All zeros if the target does not state it. */
    public UUID uuid() {
        return uuid;
    }

    /** Bytes of a block: a power of two. */
    public int blockBytes() {
        return 1 << blockShift;
    }

    /** Number of blocks. It may change while the host is connected. */
    public long blocks() {
        return blocks;
    }

    /** Whether writes fail. */
    public boolean readOnly() {
        return readOnly;
    }

    /**
     * Whether the namespace exists. One with other contents, or other blocks, under the same number is another namespace: requests for
     * the earlier one must not reach it.
     */
    public boolean present() {
        return present;
    }

    boolean same(RemoteNamespace other) {
        return uuid.equals(other.uuid) && blockShift == other.blockShift;
    }

    /** Takes what can change. Returns whether it has changed. */
    boolean update(RemoteNamespace newer) {
        boolean changed = blocks != newer.blocks || readOnly != newer.readOnly;
        blocks = newer.blocks;
        readOnly = newer.readOnly;
        return changed;
    }

    void size(long newBlocks, boolean protectedFromWrites) {
        blocks = newBlocks;
        readOnly = protectedFromWrites;
    }

    void gone() {
        present = false;
    }
}
