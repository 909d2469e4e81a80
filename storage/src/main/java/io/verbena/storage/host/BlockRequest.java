package io.verbena.storage.host;

import io.verbena.storage.wire.IoOpcode;
import java.util.UUID;

/**
 * A request of a user: an operation on a range of blocks, which the host divides into commands that the target accepts. The object can be
 * used again when the request has ended.
 */
public final class BlockRequest {
    /** {@link #status()}: the request succeeded. */
    public static final int SUCCESS = 0;

    /** {@link #status()}: the host gave up to connect again. The data of a write may have been written or not. */
    public static final int LOST = -1;

    /** {@link #status()}: the host was closed. */
    public static final int CLOSED = -2;

    /** {@link #status()}: the namespace does not exist any more. */
    public static final int GONE = -3;

    /** {@link #status()}: the target does not have this command. */
    public static final int UNSUPPORTED = -4;

    static final RemoteNamespace NOWHERE = new RemoteNamespace(0, new UUID(0, 0), 9);

    private final RequestOwner owner;
    private IoOpcode opcode = IoOpcode.FLUSH;
    private RemoteNamespace namespace = NOWHERE;
    private long firstBlock;
    private long blocks;
    private boolean durable;
    private int memory;
    private long offset;

    private long issuedBlocks;
    private boolean issued;
    private int underWay;
    private int status;

    /** A request that {@code owner} uses again and again. */
    public BlockRequest(RequestOwner owner) {
        this.owner = owner;
    }

    /** The owner of the request. */
    public RequestOwner owner() {
        return owner;
    }

    /**
     * States the operation.
     *
     * @param forced whether a write is durable when the request has ended
     */
    public BlockRequest set(IoOpcode operation, RemoteNamespace of, long first, long count, boolean forced) {
        opcode = operation;
        namespace = of;
        firstBlock = first;
        blocks = count;
        durable = forced;
        issuedBlocks = 0;
        issued = false;
        underWay = 0;
        status = SUCCESS;
        return this;
    }

    /** States where the data are: memory that the caller of the engine knows by a number, and an offset in it. */
    public BlockRequest data(int memoryNumber, long offsetBytes) {
        memory = memoryNumber;
        offset = offsetBytes;
        return this;
    }

    /** The operation. */
    public IoOpcode opcode() {
        return opcode;
    }

    /** What it concerns. */
    public RemoteNamespace namespace() {
        return namespace;
    }

    /** The number of the memory. */
    public int memory() {
        return memory;
    }

    /** Where the data of the first block are. */
    public long offset() {
        return offset;
    }

    /** How the request ended: 0, the status of a target, or one of the negative constants. */
    public int status() {
        return status;
    }

    long firstBlock() {
        return firstBlock;
    }

    boolean durable() {
        return durable;
    }

    /** Whether data of the request are sent or received. */
    boolean hasData() {
        return opcode == IoOpcode.READ || opcode == IoOpcode.WRITE || opcode == IoOpcode.COMPARE;
    }

    /** Whether a command is to be made of it. */
    boolean hasMore() {
        return status == SUCCESS && !issued;
    }

    /** Makes the next command. */
    void issue(BlockCommand command, long mostBlocks) {
        long count = Math.min(blocks - issuedBlocks, mostBlocks);
        command.begin(this, issuedBlocks, count);
        issuedBlocks += count;
        issued = issuedBlocks == blocks;
        underWay++;
    }

    /** A command of it has ended. The first failure is the status of the request. */
    void onCommandEnded(int commandStatus) {
        underWay--;
        fail(commandStatus);
    }

    void fail(int reason) {
        if (status == SUCCESS) {
            status = reason;
        }
    }

    boolean hasEnded() {
        return underWay == 0 && !hasMore();
    }
}
