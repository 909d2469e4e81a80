package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.wire.DataPointer;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;

/** A command that is executed, with its buffer. A queue makes all its commands when it is opened and uses them again. */
public final class Command {
    private final int index;
    private MemorySegment buffer;
    private final DeallocateRange range = new DeallocateRange();

    private int slot;
    private int commandId;
    private int opcode;
    private DataPointer pointer = DataPointer.UNKNOWN_TYPE;
    private long address;
    private int key;

    private DeviceOperation operation = DeviceOperation.NONE;
    private BlockDevice device;
    private MemorySegment data;
    private long dataOffset;
    private long firstBlock;
    private int blocks;
    private boolean durable;
    private CommandState state = CommandState.FREE;
    private int namespaceId;
    private int lengthBytes;
    private boolean failed;
    private long sinceNs;

    Command(int index, MemorySegment buffer) {
        this.index = index;
        this.buffer = buffer;
        this.data = buffer;
        this.device = NoDevice.INSTANCE;
    }

    /** The number of this command in its queue. */
    public int index() {
        return index;
    }

    /** The receive that has the capsule. */
    public int slot() {
        return slot;
    }

    /** The buffer of this command. */
    public MemorySegment buffer() {
        return buffer;
    }

    /** The memory of the queue has grown. */
    void moveTo(MemorySegment newBuffer) {
        buffer = newBuffer;
    }

    void begin(int slot, SubmissionEntry entry, long sinceNs) {
        this.sinceNs = sinceNs;
        failed = false;
        lengthBytes = 0;
        // The bytes are the type of a fabrics command.
        namespaceId = entry.opcode() == IoOpcode.FABRICS.code() ? 0 : entry.namespaceId();
        this.slot = slot;
        commandId = entry.commandId();
        opcode = entry.opcode();
        pointer = entry.dataPointer();
        address = entry.sglAddress();
        key = entry.sglKey();
        operation = DeviceOperation.NONE;
        firstBlock = entry.firstBlock();
        data = buffer;
        dataOffset = 0;
    }

    void prepare(DeviceOperation operation, BlockDevice device, long firstBlock, int blocks, boolean durable) {
        // First, because a device may throw: a command without an operation has not begun.
        lengthBytes = operation == DeviceOperation.DEALLOCATE || blocks == 0 ? 0 : blocks * device.blockBytes();
        this.operation = operation;
        this.device = device;
        this.firstBlock = firstBlock;
        this.blocks = blocks;
        this.durable = durable;
    }

    /** The command no longer needs its device. */
    void releaseDevice() {
        device = NoDevice.INSTANCE;
    }

    void dataInCapsule(MemorySegment capsules, long offset) {
        data = capsules;
        dataOffset = offset;
    }

    MemorySegment data() {
        return data;
    }

    long dataOffset() {
        return dataOffset;
    }

    int commandId() {
        return commandId;
    }

    int opcode() {
        return opcode;
    }

    DataPointer pointer() {
        return pointer;
    }

    long address() {
        return address;
    }

    int key() {
        return key;
    }

    DeviceOperation operation() {
        return operation;
    }

    BlockDevice device() {
        return device;
    }

    int lengthBytes() {
        return lengthBytes;
    }

    int namespaceId() {
        return namespaceId;
    }

    /** When the capsule arrived. */
    long sinceNs() {
        return sinceNs;
    }

    void failed(boolean value) {
        failed = value;
    }

    /** Whether the response has an error. */
    boolean failed() {
        return failed;
    }

    /** Of an I/O command. */
    long firstBlock() {
        return firstBlock;
    }

    int ranges() {
        return blocks;
    }

    /** Called by the counter of its queue only. */
    void state(CommandState value) {
        state = value;
    }

    CommandState state() {
        return state;
    }

    /** Whether the command has a device, and changes what is on it. */
    boolean changesBlocks() {
        return device != NoDevice.INSTANCE
                && switch (operation) {
                    case WRITE, WRITE_ZEROES, DEALLOCATE -> true;
                    case NONE, READ, FLUSH, COMPARE, VERIFY -> false;
                };
    }

    /** Whether {@link #runOnDevice} waits for a medium, so that another thread should execute it. */
    public boolean slow() {
        return switch (operation) {
            case NONE -> false;
            case READ -> device.mayWait(firstBlock, blocks);
            case WRITE -> durable || device.mayWait(firstBlock, blocks);
            case FLUSH, COMPARE, WRITE_ZEROES, DEALLOCATE, VERIFY -> true;
        };
    }

    /** Executes the operation. The engine has checked its blocks. */
    public DeviceStatus runOnDevice() {
        return switch (operation) {
            case NONE -> DeviceStatus.DONE;
            case READ -> device.read(firstBlock, blocks, buffer, 0);
            case WRITE -> device.write(firstBlock, blocks, data, dataOffset, durable);
            case FLUSH -> device.flush();
            case COMPARE -> device.compare(firstBlock, blocks, data, dataOffset);
            case WRITE_ZEROES -> device.writeZeroes(firstBlock, blocks, durable);
            case DEALLOCATE -> deallocate();
            case VERIFY -> verify();
        };
    }

    private DeviceStatus deallocate() {
        for (int i = 0; i < blocks; i++) {
            range.wrap(data, dataOffset + (long) i * DeallocateRange.LENGTH);
            if (range.blocks() != 0) {
                DeviceStatus status = device.deallocate(range.firstBlock(), Integer.toUnsignedLong(range.blocks()));
                if (status != DeviceStatus.DONE) {
                    return status;
                }
            }
        }
        return DeviceStatus.DONE;
    }

    /** Reads as much as the buffer takes at a time: Verify transfers nothing, so that it may be longer than a transfer. */
    private DeviceStatus verify() {
        int atOnce = (int) (buffer.byteSize() / device.blockBytes());
        for (int done = 0; done < blocks; done += atOnce) {
            int count = Math.min(atOnce, blocks - done);
            DeviceStatus status = device.read(firstBlock + done, count, buffer, 0);
            if (status != DeviceStatus.DONE) {
                return status;
            }
        }
        return DeviceStatus.DONE;
    }
}
