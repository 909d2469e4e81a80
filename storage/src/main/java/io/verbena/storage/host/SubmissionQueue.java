package io.verbena.storage.host;

import io.verbena.base.StateMachine;
import io.verbena.storage.wire.SubmissionEntry;
import java.util.Arrays;

/**
 * One queue of a host: its state, and the table of commands in flight. The place of a command in the table is the low part of its
 * identifier; a number above it changes with each use, so that an answer that comes twice is recognized.
 */
public final class SubmissionQueue {
    private static final int SLOT_BITS = 10;
    private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
    private static final int USES_MASK = 0xffff >>> SLOT_BITS;

    private final int id;
    private final HostMemory memory;
    private final StateMachine<QueueState, QueueState.Event> state =
            new StateMachine<>(QueueState.TABLE, QueueState.CLOSED);
    private final SubmissionEntry entry = new SubmissionEntry();
    private final int[] uses;
    private final boolean[] busy;
    private final long[] sentNs;
    private final AdminStep[] steps;
    private final BlockCommand[] commands;
    private final int[] free;
    private int freeCount;
    private int usable;

    SubmissionQueue(int id, int depth, HostMemory memory) {
        this.id = id;
        this.memory = memory;
        uses = new int[depth];
        busy = new boolean[depth];
        sentNs = new long[depth];
        steps = new AdminStep[depth];
        commands = new BlockCommand[depth];
        free = new int[depth];
        Arrays.fill(steps, AdminStep.NONE);
        Arrays.fill(commands, BlockCommand.NONE);
        for (int slot = depth - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
        usable = depth;
    }

    /** QID: 0 is the admin queue. */
    public int id() {
        return id;
    }

    /** Entries that Connect states: with flow control, one more than there can be commands in flight. */
    public int entries() {
        return free.length + 1;
    }

    /** Memory. */
    public HostMemory memory() {
        return memory;
    }

    /** The entry of a capsule. */
    public SubmissionEntry entry(int slot) {
        return entry.wrap(memory.capsules(), (long) slot * SubmissionEntry.LENGTH);
    }

    QueueState state() {
        return state.state();
    }

    boolean live() {
        return state.state() == QueueState.LIVE;
    }

    boolean closed() {
        return state.state() == QueueState.CLOSED;
    }

    boolean on(QueueState.Event event) {
        return state.on(event);
    }

    /** Commands in flight are limited by what the target accepts, too. */
    void limit(int mostCommands) {
        usable = Math.clamp(mostCommands, 1, free.length);
    }

    boolean hasRoom() {
        return free.length - freeCount < usable;
    }

    boolean idle() {
        return freeCount == free.length;
    }

    private int take(long nowNs) {
        assert hasRoom() : "the caller looks before";
        int slot = free[--freeCount];
        assert !busy[slot];
        busy[slot] = true;
        uses[slot] = uses[slot] + 1 & USES_MASK;
        sentNs[slot] = nowNs;
        entry(slot).clear().flags(SubmissionEntry.FLAGS_SGL).commandId(uses[slot] << SLOT_BITS | slot);
        return slot;
    }

    int begin(AdminStep step, long nowNs) {
        int slot = take(nowNs);
        steps[slot] = step;
        return slot;
    }

    int begin(BlockCommand command, long nowNs) {
        int slot = take(nowNs);
        commands[slot] = command;
        return slot;
    }

    /** The place of the command with this identifier; -1 if there is none in flight. */
    public int slot(int commandId) {
        int slot = commandId & SLOT_MASK;
        return slot < busy.length && busy[slot] && uses[slot] == commandId >>> SLOT_BITS ? slot : -1;
    }

    AdminStep step(int slot) {
        return steps[slot];
    }

    BlockCommand command(int slot) {
        return commands[slot];
    }

    void end(int slot) {
        assert busy[slot] : "a command ends once";
        busy[slot] = false;
        steps[slot] = AdminStep.NONE;
        commands[slot] = BlockCommand.NONE;
        free[freeCount++] = slot;
    }

    int depth() {
        return busy.length;
    }

    boolean busy(int slot) {
        return busy[slot];
    }

    /** Shortest time until a command has been in flight for too long; {@link Long#MAX_VALUE} if there is none that must be answered. */
    long remainingNs(long nowNs, long mostNs) {
        long remainingNs = Long.MAX_VALUE;
        for (int slot = 0; slot < busy.length; slot++) {
            if (busy[slot] && !steps[slot].waitsIndefinitely()) {
                remainingNs = Math.min(remainingNs, mostNs - (nowNs - sentNs[slot]));
            }
        }
        return remainingNs;
    }
}
