package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.wire.DataPointer;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.FabricsType;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;

/** The commands of an I/O queue: a chain of checks for each, then work for the device. */
final class IoCommands {
    private final StorageTarget target;
    private final TargetQueue queue;
    private final DeallocateRange range = new DeallocateRange();

    IoCommands(StorageTarget target, TargetQueue queue) {
        this.target = target;
        this.queue = queue;
    }

    Status execute(Command command, SubmissionEntry entry, int dataBytes, long nowNs) {
        IoOpcode opcode = IoOpcode.of(entry.opcode());
        if (opcode == IoOpcode.FABRICS) {
            return FabricsType.of(entry.fabricsType()) == FabricsType.CONNECT
                    ? target.connections().connect(queue, command, entry, dataBytes, nowNs)
                    : Status.INVALID_OPCODE;
        }
        if (queue.controller().isEmpty() || !queue.controller().get().ready()) {
            return Status.SEQUENCE;
        }
        try {
            return execute(opcode, command, entry, dataBytes);
        } catch (RuntimeException | Error e) {
            if (command.operation() != DeviceOperation.NONE) {
                throw e; // the command was given to the device or to the transport
            }
            return queue.failed(e);
        }
    }

    private Status execute(IoOpcode opcode, Command command, SubmissionEntry entry, int dataBytes) {
        BlockDevice device = queue.controller().orElseThrow().view().device(entry.namespaceId());
        if (opcode == IoOpcode.UNKNOWN) {
            return Status.INVALID_OPCODE;
        }
        if (device == NoDevice.INSTANCE) {
            return Status.INVALID_NAMESPACE;
        }
        return switch (opcode) {
            case FLUSH -> start(command, DeviceOperation.FLUSH, device, entry);
            case READ -> read(command, entry, device);
            case WRITE -> withData(command, entry, device, dataBytes, DeviceOperation.WRITE);
            case COMPARE -> withData(command, entry, device, dataBytes, DeviceOperation.COMPARE);
            case WRITE_ZEROES -> withoutData(command, entry, device, DeviceOperation.WRITE_ZEROES);
            case VERIFY -> withoutData(command, entry, device, DeviceOperation.VERIFY);
            case DATASET_MANAGEMENT -> deallocate(command, entry, device, dataBytes);
            case FABRICS, UNKNOWN -> Status.INVALID_OPCODE;
        };
    }

    private Status start(Command command, DeviceOperation operation, BlockDevice device, SubmissionEntry entry) {
        int blocks = operation == DeviceOperation.FLUSH ? 0 : entry.blocksMinusOne() + 1;
        boolean writes = operation == DeviceOperation.WRITE || operation == DeviceOperation.WRITE_ZEROES;
        command.prepare(operation, device, entry.firstBlock(), blocks, writes && durable(entry));
        queue.run(command);
        return Status.SUCCESS;
    }

    private boolean durable(SubmissionEntry entry) {
        return entry.forceUnitAccess() || !queue.controller().orElseThrow().writeCache();
    }

    /** Checks without additions, which would wrap at the end of the 64-bit range. */
    private static Status range(BlockDevice device, long first, long count) {
        boolean inside = Long.compareUnsigned(first, device.blocks()) < 0 && count <= device.blocks() - first;
        return inside ? Status.SUCCESS : Status.LBA_RANGE;
    }

    private Status transfer(SubmissionEntry entry, BlockDevice device) {
        Status pointer = TargetQueue.pointerStatus(entry.dataPointer());
        if (pointer != Status.SUCCESS) {
            return pointer;
        }
        int blocks = entry.blocksMinusOne() + 1;
        long bytes = (long) blocks * device.blockBytes();
        if (bytes > target.limits().transferBytes()) {
            return Status.INVALID_FIELD;
        }
        if (entry.sglLength() != bytes) {
            return Status.SGL_LENGTH;
        }
        return range(device, entry.firstBlock(), blocks);
    }

    private Status read(Command command, SubmissionEntry entry, BlockDevice device) {
        Status status = transfer(entry, device);
        if (status != Status.SUCCESS) {
            return status;
        }
        return command.pointer().keyed() ? start(command, DeviceOperation.READ, device, entry) : Status.INVALID_FIELD;
    }

    private static boolean refuses(BlockDevice device, DeviceOperation operation) {
        return device.readOnly() && operation != DeviceOperation.COMPARE && operation != DeviceOperation.VERIFY;
    }

    private Status withData(
            Command command, SubmissionEntry entry, BlockDevice device, int dataBytes, DeviceOperation operation) {
        Status status = transfer(entry, device);
        if (status != Status.SUCCESS) {
            return status;
        }
        if (refuses(device, operation)) {
            return Status.WRITE_PROTECTED;
        }
        boolean durable = operation == DeviceOperation.WRITE && durable(entry);
        command.prepare(operation, device, entry.firstBlock(), entry.blocksMinusOne() + 1, durable);
        return takeData(command, entry, dataBytes);
    }

    private Status takeData(Command command, SubmissionEntry entry, int dataBytes) {
        Status status = queue.takeData(command, entry, dataBytes);
        if (status == Status.SUCCESS && command.pointer() == DataPointer.IN_CAPSULE) {
            return onData(command);
        }
        return status;
    }

    private Status withoutData(Command command, SubmissionEntry entry, BlockDevice device, DeviceOperation operation) {
        if (refuses(device, operation)) {
            return Status.WRITE_PROTECTED;
        }
        Status status = range(device, entry.firstBlock(), entry.blocksMinusOne() + 1);
        return status == Status.SUCCESS ? start(command, operation, device, entry) : status;
    }

    private Status deallocate(Command command, SubmissionEntry entry, BlockDevice device, int dataBytes) {
        Status pointer = TargetQueue.pointerStatus(entry.dataPointer());
        if (pointer != Status.SUCCESS) {
            return pointer;
        }
        if (!device.deallocates()) {
            return Status.INVALID_OPCODE; // the host was not offered the command
        }
        // The other attributes announce how a host will use the blocks, whose contents must remain.
        if ((entry.cdw11() & SubmissionEntry.DEALLOCATE) == 0) {
            queue.respond(command, Status.SUCCESS, 0);
            return Status.SUCCESS;
        }
        if (refuses(device, DeviceOperation.DEALLOCATE)) {
            return Status.WRITE_PROTECTED;
        }
        int ranges = (entry.cdw10() & 0xff) + 1;
        // Linux sends 4096 bytes whatever the number of ranges.
        if (entry.sglLength() < (long) ranges * DeallocateRange.LENGTH) {
            return Status.SGL_LENGTH;
        }
        command.prepare(DeviceOperation.DEALLOCATE, device, 0, ranges, false);
        return takeData(command, entry, dataBytes);
    }

    /** The data of the command are there. */
    Status onData(Command command) {
        if (command.operation() == DeviceOperation.DEALLOCATE) {
            Status status = ranges(command);
            if (status != Status.SUCCESS) {
                return status;
            }
        }
        queue.run(command);
        return Status.SUCCESS;
    }

    private Status ranges(Command command) {
        try {
            for (int i = 0; i < command.ranges(); i++) {
                range.wrap(command.data(), command.dataOffset() + (long) i * DeallocateRange.LENGTH);
                long blocks = Integer.toUnsignedLong(range.blocks());
                if (blocks > 0 && range(command.device(), range.firstBlock(), blocks) != Status.SUCCESS) {
                    return Status.LBA_RANGE;
                }
            }
            return Status.SUCCESS;
        } catch (RuntimeException | Error e) {
            return queue.failed(e);
        }
    }

    static Status status(DeviceStatus result) {
        return switch (result) {
            case DONE -> Status.SUCCESS;
            case READ_ERROR -> Status.READ_ERROR;
            case WRITE_ERROR -> Status.WRITE_FAULT;
            case NO_SPACE -> Status.CAPACITY;
            case READ_ONLY -> Status.WRITE_PROTECTED;
            case NOT_READY -> Status.NOT_READY;
            case DIFFERENT -> Status.COMPARE_FAILURE;
            case FAILED -> Status.INTERNAL;
        };
    }
}
