package io.verbena.storage.subsystem;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.subsystem.CommandState.Event;
import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.DataPointer;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * One queue of a host: takes capsules, executes commands, answers. Commands for which no buffer is free wait in their receives, which
 * bounds the memory of the queue. Capsules and the calls of {@link QueueOutput}'s user come from one thread.
 */
public final class TargetQueue extends AssociationQueue {
    private final StorageTarget target;
    private QueueMemory memory;
    private boolean grown;
    private final int slots;
    private final QueueOutput output;
    private final HostPath path;
    private final int id;
    private final AdminCommands admin;
    private final IoCommands io;
    private final SubmissionEntry entry = new SubmissionEntry();
    private final CompletionEntry completion;

    private Command[] commands = {};
    private Command[] free = {};
    private int freeCount;
    private final int[] waitingSlots;
    private final int[] waitingBytes;
    private final long[] waitingSinceNs;
    private final CommandFigures figures = new CommandFigures();
    private final StateCounts.Counter states = new StateCounts.Counter();
    private int mostDepth;
    private int waitingHead;
    private int waitingCount;
    private final long[] commandIdsInUse = new long[1024];

    private Optional<Controller> controller = Optional.empty();
    private int entries;
    private boolean flowControl = true;
    private int submissionHead;
    private boolean closing;
    private boolean closed;

    /** @param slots entries that the host asked for */
    TargetQueue(StorageTarget target, int id, int slots, QueueMemory memory, QueueOutput output, HostPath path) {
        this.slots = slots;
        this.target = target;
        this.id = id;
        this.path = path;
        this.memory = memory;
        this.output = output;
        this.admin = new AdminCommands(target, this);
        this.io = new IoCommands(target, this);
        this.completion = new CompletionEntry().wrap(MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]), 0);
        divide();
        waitingSlots = new int[slots];
        waitingBytes = new int[slots];
        waitingSinceNs = new long[slots];
    }

    /** Divides the memory among the commands. Those that there are keep their numbers. */
    private void divide() {
        int before = commands.length;
        commands = Arrays.copyOf(commands, memory.buffers());
        free = Arrays.copyOf(free, memory.buffers());
        for (int i = 0; i < commands.length; i++) {
            MemorySegment buffer = memory.data().asSlice((long) i * memory.bufferBytes(), memory.bufferBytes());
            if (i < before) {
                commands[i].moveTo(buffer);
            } else {
                commands[i] = new Command(i, buffer);
                free[freeCount++] = commands[i];
                states.added();
            }
        }
    }

    /** The command with this number. */
    public Command command(int index) {
        return commands[index];
    }

    @Override
    public int id() {
        return id;
    }

    /** The controller, once Connect has succeeded. */
    Optional<Controller> controller() {
        return controller;
    }

    /** The address that the host connected to. */
    TargetAddress address() {
        return path.to();
    }

    HostPath path() {
        return path;
    }

    int bufferBytes() {
        return memory.bufferBytes();
    }

    /** The entry of a command whose receive has not been posted again. */
    SubmissionEntry entryOf(Command command, SubmissionEntry flyweight) {
        return flyweight.wrap(memory.capsules(), (long) command.slot() * memory.capsuleBytes());
    }

    int slots() {
        return slots;
    }

    // ---- Inputs

    /** A capsule of {@code lengthBytes} bytes arrived in the receive {@code slot}. */
    public void onCapsule(int slot, int lengthBytes, long nowNs) {
        assert slot >= 0 && slot < slots && lengthBytes <= memory.capsuleBytes() : "the receive is one of the queue's";
        target.at(nowNs);
        if (closing) {
            target.droppedWhileClosing();
            return;
        }
        // A shorter capsule has no command identifier that an answer could name.
        if (lengthBytes < SubmissionEntry.LENGTH) {
            target.droppedTooShort(this);
            return;
        }
        if (freeCount == 0 || waitingCount > 0) {
            int at = (waitingHead + waitingCount++) % waitingSlots.length;
            waitingSlots[at] = slot;
            waitingBytes[at] = lengthBytes;
            waitingSinceNs[at] = nowNs;
        } else {
            start(slot, lengthBytes, nowNs, nowNs);
        }
        mostDepth = Math.max(mostDepth, depth());
    }

    private int depth() {
        return commands.length - freeCount + waitingCount;
    }

    private void start(int slot, int lengthBytes, long sinceNs, long nowNs) {
        assert freeCount > 0 : "a capsule waits while no command is free";
        Command command = free[--freeCount];
        states.on(command, Event.START);
        long at = (long) slot * memory.capsuleBytes();
        entry.wrap(memory.capsules(), at);
        command.begin(slot, entry, sinceNs);
        if (entries > 0) {
            submissionHead = (submissionHead + 1) % entries;
        }
        Status status = takeCommandId(command.commandId())
                ? dispatch(command, lengthBytes - SubmissionEntry.LENGTH, nowNs)
                : Status.COMMAND_ID_CONFLICT;
        if (status != Status.SUCCESS) {
            respond(command, status, 0);
        }
    }

    private boolean takeCommandId(int commandId) {
        long bit = 1L << (commandId & 63);
        boolean unused = (commandIdsInUse[commandId >>> 6] & bit) == 0;
        commandIdsInUse[commandId >>> 6] |= bit;
        return unused;
    }

    private Status dispatch(Command command, int dataBytes, long nowNs) {
        if ((entry.flags() & 0xc3) != SubmissionEntry.FLAGS_SGL) {
            return Status.INVALID_FIELD;
        }
        if (controller.isPresent() && (id != 0 || entry.opcode() != AdminOpcode.KEEP_ALIVE.code())) {
            controller.get().used(nowNs);
        }
        if (id == 0) {
            return admin.execute(command, entry, dataBytes, nowNs);
        }
        return io.execute(command, entry, dataBytes, nowNs);
    }

    /** The data that {@link QueueOutput#fetch} asked for are in the buffer. */
    public void onFetched(Command command, boolean succeeded, long nowNs) {
        target.at(nowNs);
        if (closed) {
            return;
        }
        assert commands[command.index()] == command : "the command is one of this queue";
        states.on(command, closing ? Event.END : Event.FETCHED);
        if (closing) {
            return;
        }
        if (!succeeded) {
            respond(command, Status.DATA_TRANSFER_ERROR, 0);
        } else {
            Status status = command.operation() == DeviceOperation.NONE
                    ? target.connections().onData(this, command, nowNs)
                    : io.onData(command);
            if (status != Status.SUCCESS) {
                respond(command, status, 0);
            }
        }
    }

    /** {@link QueueOutput#run} ended. */
    public void onRun(Command command, DeviceStatus result) {
        states.on(command, closing ? Event.END : Event.RAN);
        if (closing) {
            freeIfDrained();
            target.settle();
            return;
        }
        Status status = IoCommands.status(result);
        if (id == 0) {
            admin.onFlushed(command, status);
            return;
        }
        if (status == Status.SUCCESS && command.operation() == DeviceOperation.READ) {
            output.put(command, command.address(), command.key(), command.lengthBytes());
        }
        respond(command, status, 0);
    }

    /** The response of the command has left; its buffer is free. */
    public void onSent(Command command, long nowNs) {
        if (closed) {
            return;
        }
        states.on(command, Event.SENT);
        count(command, nowNs - command.sinceNs());
        free[freeCount++] = command;
        assert closing || freeCount == states.now(CommandState.FREE) : "each command that is free is in the list once";
        while (!closing && waitingCount > 0 && freeCount > 0) {
            int at = waitingHead;
            waitingHead = (waitingHead + 1) % waitingSlots.length;
            waitingCount--;
            start(waitingSlots[at], waitingBytes[at], waitingSinceNs[at], nowNs);
        }
        if (id != 0 && target.connections().anyWaits()) {
            target.settle(); // a Connect on another path of the host may have waited for this command
        }
    }

    private void count(Command command, long spanNs) {
        figures.ended(command, spanNs);
        if (id != 0 && controller.isPresent()) {
            controller.get().view().figures(command.namespaceId()).ended(command, spanNs);
        }
    }

    @Override
    Optional<TargetFigures.OfQueue> figures() {
        return controller.map(it -> new TargetFigures.OfQueue(
                it.subsystem().name(),
                it.host().name(),
                it.id(),
                id,
                new TargetFigures.Depth(depth(), mostDepth, entries, states.counts()),
                figures.counts()));
    }

    /** The connection has ended, and no transfer touches memory any more. */
    public void onClosed() {
        closing = true;
        closed = true;
        for (Command command : commands) {
            CommandState state = command.state();
            if (state != CommandState.FREE && state != CommandState.ON_DEVICE) {
                states.on(command, Event.END);
            }
        }
        freeIfDrained();
        target.lost(this);
    }

    private void freeIfDrained() {
        if (drained()) {
            target.freed(memory);
        }
    }

    // ---- For the commands

    /** Gets the memory for all commands. Returns false if there is none. */
    boolean grow() {
        if (grown) {
            return true; // for an earlier Connect, which failed later
        }
        if (!target.hasMemoryFor(this, memory)) {
            return false;
        }
        Optional<QueueMemory> all = output.grow(memory);
        if (all.isPresent()) {
            grown = true;
            target.freed(memory);
            memory = all.get();
            target.took(memory);
            divide();
        }
        return grown;
    }

    void join(Controller joined, int queueEntries, boolean withFlowControl) {
        controller = Optional.of(joined);
        entries = queueEntries;
        flowControl = withFlowControl;
        submissionHead = 1 % queueEntries;
        joined.queues().add(this);
    }

    @Override
    void close() {
        if (!closing) {
            closing = true;
            output.close();
        }
    }

    boolean closing() {
        return closing;
    }

    @Override
    public boolean drained() {
        return closed && states.now(CommandState.ON_DEVICE) == 0;
    }

    @Override
    boolean uses(BlockDevice device) {
        for (Command command : commands) {
            if (command.device() == device && (command.state() == CommandState.ON_DEVICE || !closing)) {
                return true;
            }
        }
        return false;
    }

    @Override
    boolean changesBlocksSince(long sinceNs) {
        for (Command command : commands) {
            if (command.changesBlocks()
                    && (command.state() == CommandState.ON_DEVICE || !closing)
                    && sinceNs - command.sinceNs() >= 0) {
                return true;
            }
        }
        // What waits in its receive may be a Write.
        return !closing && id != 0 && waitingCount > 0 && sinceNs - waitingSinceNs[waitingHead] >= 0;
    }

    void run(Command command) {
        states.on(command, Event.RUN);
        output.run(command);
    }

    @Override
    void waits(Command command) {
        states.on(command, Event.WAIT);
    }

    StateCounts states() {
        return states.counts();
    }

    /** A device threw. */
    Status failed(Throwable cause) {
        output.failed(cause);
        return Status.INTERNAL;
    }

    /** Finds the data of a command that the host sends, in the capsule or by a fetch. */
    Status takeData(Command command, SubmissionEntry from, int dataBytes) {
        long length = from.sglLength();
        if (command.pointer() == DataPointer.IN_CAPSULE) {
            // Both numbers are the host's: the sum must not wrap.
            if (Long.compareUnsigned(from.sglAddress(), dataBytes) > 0 || length > dataBytes - from.sglAddress()) {
                return Status.SGL_OFFSET;
            }
            long capsule = (long) command.slot() * memory.capsuleBytes();
            command.dataInCapsule(memory.capsules(), capsule + SubmissionEntry.LENGTH + from.sglAddress());
            return Status.SUCCESS;
        }
        if (length > memory.bufferBytes()) {
            return Status.SGL_LENGTH;
        }
        states.on(command, Event.FETCH);
        output.fetch(command, command.address(), command.key(), (int) length);
        return Status.SUCCESS;
    }

    static Status pointerStatus(DataPointer pointer) {
        return switch (pointer) {
            case UNKNOWN_TYPE -> Status.SGL_TYPE;
            case UNKNOWN_SUBTYPE -> Status.INVALID_FIELD;
            default -> Status.SUCCESS;
        };
    }

    /** Sends the start of the buffer, then the response. */
    void respondWithData(Command command, int lengthBytes) {
        output.put(command, command.address(), command.key(), lengthBytes);
        respond(command, Status.SUCCESS, 0);
    }

    @Override
    void respond(Command command, Status status, long result) {
        if (closing) {
            return;
        }
        states.on(command, Event.RESPOND);
        command.releaseDevice();
        command.failed(status != Status.SUCCESS);
        int commandId = command.commandId();
        if (status != Status.COMMAND_ID_CONFLICT) {
            commandIdsInUse[commandId >>> 6] &= ~(1L << (commandId & 63));
        }
        if (status != Status.SUCCESS && controller.isPresent()) {
            controller.get().errors().add(id, command, status);
        }
        completion
                .result(result)
                .submissionHead(flowControl ? submissionHead : 0xffff)
                .submissionQueue(id);
        completion.commandId(commandId).status(status.field());
        output.respond(command, completion, command.pointer() == DataPointer.KEYED_INVALIDATE, command.key());
    }
}
