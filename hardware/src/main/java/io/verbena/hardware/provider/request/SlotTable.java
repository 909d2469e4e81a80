package io.verbena.hardware.provider.request;

import io.verbena.verbs.CompletionOpcode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The requests of one queue that an adapter has: a ring of slots in the order of posting, because the requests of a send queue, and
 * those of a receive queue, complete in this order. The adapter is given the number of the slot instead of the number that the
 * program chose.
 *
 * <p>The thread that posts moves the head, the thread that polls moves the tail. A request that is not signalled is done when
 * a later one of the queue is.
 */
public final class SlotTable {

    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(SlotTable.class, "head", long.class);
            TAIL = MethodHandles.lookup().findVarHandle(SlotTable.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();

    private final long[] wrIds;
    private final int[] lengths;
    private final byte[] opcodes;
    private final boolean[] reported;
    private final boolean[] signalled;

    @SuppressWarnings("UnusedVariable") // through HEAD
    private volatile long head;

    @SuppressWarnings("UnusedVariable") // through TAIL
    private volatile long tail;

    private final boolean[] first;
    private final boolean[] second;

    /** Requests that complete although it is not known whether they were executed. */
    private final boolean[] unknown;

    /** The slot of the head, because a division for each look costs more than the rest of a post. For the thread that posts. */
    private int headSlot;

    private long unsignalled;

    /** The first request of a pair has failed. For the thread that polls. */
    private boolean firstFailed;

    public SlotTable(int depth) {
        wrIds = new long[depth];
        lengths = new int[depth];
        opcodes = new byte[depth];
        reported = new boolean[depth];
        signalled = new boolean[depth];
        first = new boolean[depth];
        second = new boolean[depth];
        unknown = new boolean[depth];
    }

    public int depth() {
        return wrIds.length;
    }

    /** Whether every slot is in use. For the thread that posts. */
    public boolean full() {
        return !free(1);
    }

    /** Whether this many slots are free. For the thread that posts. */
    public boolean free(int count) {
        return (long) HEAD.get(this) - (long) TAIL.getAcquire(this) <= (long) wrIds.length - count;
    }

    /** Number of requests that are not known to be done. */
    public int outstanding() {
        return (int) ((long) HEAD.getAcquire(this) - (long) TAIL.getAcquire(this));
    }

    /** The slot that {@link #add} will fill. */
    public int next() {
        return headSlot;
    }

    /**
     * Fills the next slot.
     *
     * @param report whether the program wants an entry if the request succeeds
     * @return whether the adapter must signal the request: because the program wants an entry, or because slots would otherwise
     *     never become free
     */
    public boolean add(long wrId, CompletionOpcode opcode, int length, boolean report) {
        int slot = next();
        wrIds[slot] = wrId;
        opcodes[slot] = (byte) opcode.ordinal();
        lengths[slot] = length;
        reported[slot] = report;
        first[slot] = false;
        second[slot] = false;
        unknown[slot] = false;
        boolean signal = report || unsignalled + 1 >= Math.max(1, wrIds.length / 2);
        signalled[slot] = signal;
        unsignalled = signal ? 0 : unsignalled + 1;
        headSlot = slot + 1 == wrIds.length ? 0 : slot + 1;
        HEAD.setRelease(this, (long) HEAD.get(this) + 1);
        return signal;
    }

    /**
     * Fills the next slot with the first of two requests that are one for the program. If it fails, its entry is that of both.
     *
     * @return whether the adapter must signal the request
     */
    public boolean addFirst(long wrId, CompletionOpcode opcode, int length) {
        int slot = next();
        boolean signal = add(wrId, opcode, length, false);
        first[slot] = true;
        return signal;
    }

    /** Makes the request that was added last the second of two. */
    public void pair() {
        second[slot((long) HEAD.get(this) - 1)] = true;
    }

    /** Whether the request in a slot is the first of two, whose entry is that of the second. */
    public boolean isFirst(int slot) {
        return first[slot];
    }

    /** Whether the failure of the request in a slot is for the program, which has one entry for two requests. In their order. */
    public boolean showsFailure(int slot) {
        boolean shown = !second[slot] || !firstFailed;
        firstFailed = first[slot];
        return shown;
    }

    /**
     * Takes back the request that was added last, which the adapter has refused. If it was the one to be signalled, the next one is: a
     * queue that is full of requests without a signal would stay full.
     */
    public void takeBack() {
        long last = (long) HEAD.get(this) - 1;
        headSlot = slot(last);
        HEAD.setRelease(this, last);
        unsignalled = 0;
        while (unsignalled < Math.min(last, wrIds.length - 1) && !signalled[slot(last - 1 - unsignalled)]) {
            unsignalled++;
        }
    }

    private int slot(long request) {
        return (int) (request % wrIds.length);
    }

    /** The request in a slot, and all before it, are done. For the thread that polls. */
    public void completeThrough(int slot) {
        long before = (long) TAIL.get(this);
        long distance = Math.floorMod(slot - before, (long) wrIds.length);
        TAIL.setRelease(this, before + distance + 1);
    }

    public long wrId(int slot) {
        return wrIds[slot];
    }

    public CompletionOpcode opcode(int slot) {
        return OPCODES[opcodes[slot]];
    }

    public int length(int slot) {
        return lengths[slot];
    }

    /** Whether an entry that reports success is for the program: it wants one, or the outcome is not known. */
    public boolean reported(int slot) {
        return reported[slot] || unknown[slot];
    }

    /** It will not be known whether the request in a slot was executed. Not while the adapter has it. */
    public void markUnknown(int slot) {
        unknown[slot] = true;
    }

    public boolean unknown(int slot) {
        return unknown[slot];
    }

    /** Number of requests that were ever added. */
    public long posted() {
        return (long) HEAD.getAcquire(this);
    }

    /** Number of requests that are known to be done. */
    public long completed() {
        return (long) TAIL.getAcquire(this);
    }
}
