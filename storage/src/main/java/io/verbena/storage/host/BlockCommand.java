package io.verbena.storage.host;

import io.verbena.storage.wire.IoOpcode;

/** One command of a {@link BlockRequest}, while it is in flight and until it need not be repeated any more. */
public final class BlockCommand {
    private static final BlockRequest NO_REQUEST = new BlockRequest(_ -> {});
    static final BlockCommand NONE = new BlockCommand();

    /** Attempts of Linux for a command that fails but may succeed later. */
    private static final int MOST_REPEATS = 5;

    private BlockCommandState state = BlockCommandState.FREE;
    private BlockRequest request = NO_REQUEST;
    private long skippedBlocks;
    private long blocks;
    private int repeats;
    private boolean delayed;
    private long notBeforeNs;
    private boolean inCapsule;

    void begin(BlockRequest of, long afterBlocks, long count) {
        request = of;
        skippedBlocks = afterBlocks;
        blocks = count;
        repeats = 0;
        delayed = false;
    }

    BlockCommandState state() {
        return state;
    }

    void state(BlockCommandState value) {
        state = value;
    }

    void release() {
        request = NO_REQUEST;
    }

    /** The request. */
    public BlockRequest request() {
        return request;
    }

    /** Whether the data are memory of the request. */
    public boolean hasData() {
        return request.hasData();
    }

    /** Whether the data are the range of a Dataset Management command, which the host has written to its page. */
    public boolean hasRange() {
        return request.opcode() == IoOpcode.DATASET_MANAGEMENT;
    }

    /** Whether the target writes the data. */
    public boolean reads() {
        return request.opcode() == IoOpcode.READ;
    }

    /** Where the data are in the memory of the request. */
    public long offset() {
        return request.offset() + skippedBlocks * request.namespace().blockBytes();
    }

    /** Bytes of data. */
    public int lengthBytes() {
        return hasData() ? (int) (blocks * request.namespace().blockBytes()) : 0;
    }

    /** Whether the data follow in the capsule. */
    public boolean inCapsule() {
        return inCapsule;
    }

    void inCapsule(boolean value) {
        inCapsule = value;
    }

    long firstBlock() {
        return request.firstBlock() + skippedBlocks;
    }

    long blocks() {
        return blocks;
    }

    /** Whether the command may be sent once more. */
    boolean mayRepeat() {
        return repeats < MOST_REPEATS;
    }

    void repeatAfter(long delayNs, long nowNs) {
        repeats++;
        delayed = delayNs > 0;
        notBeforeNs = nowNs + delayNs;
    }

    /** Time until the command may be repeated. */
    long remainingNs(long nowNs) {
        return delayed ? Math.max(0, notBeforeNs - nowNs) : 0;
    }
}
