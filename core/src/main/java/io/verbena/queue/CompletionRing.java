package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionTypes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions from one engine to one polling thread. A CQ has one ring per engine, so that engines share no cache line.
 *
 * <p>The engine writes an entry and publishes {@code tail} (release); the poller reads {@code tail} (acquire), reads the
 * entry and returns it with {@code head} (release).
 */
public final class CompletionRing {

    /** Cause of an event: the sender of the message requested one. */
    public static final int SOLICITED = 1;

    /** Cause of an event: the entry reports an error. */
    public static final int FAILED = 2;

    /** Cause of an event: the work request itself requested one. */
    public static final int REQUESTED = 4;

    private static final int FIRST_TYPE = 3;

    /** Number of causes, including one for each {@link CompletionOpcode}. */
    public static final int CAUSES = FIRST_TYPE + CompletionOpcode.values().length;

    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(CompletionRing.class, "head", long.class);
            TAIL = lookup.findVarHandle(CompletionRing.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Slots at first. */
    private static final int FIRST_SLOTS = 64;

    private final Slots slots;

    /** For entries whose details are in a receive WQE: the queue's part that contains them. */
    private EarlyArrivals[] referred = {};

    private final int capacity;

    private long published;
    private int causes;
    private long tailSeen;

    @SuppressWarnings("UnusedVariable") // accessed through HEAD
    private long head;

    @SuppressWarnings("UnusedVariable") // accessed through TAIL
    private long tail;

    /** The cause that stands for the kind of the completed operation. */
    public static int type(CompletionOpcode opcode) {
        return 1 << FIRST_TYPE + opcode.ordinal();
    }

    /** The causes that a set of types selects. */
    public static int types(CompletionTypes types) {
        return types.opcodes() << FIRST_TYPE | (types.solicited() ? SOLICITED : 0);
    }

    /** A ring of this capacity in entries, whose memory grows with their number. */
    public CompletionRing(int capacity) {
        this.capacity = capacity;
        slots = new Slots(capacity, FIRST_SLOTS, Cqe.WORDS);
    }

    public int capacity() {
        return capacity;
    }

    /** Size of the ring in memory, in bytes; while it grows, the entries before are in addition to that. */
    public long bytes() {
        return slots.bytes();
    }

    // Called by the engine.

    /** Points {@code cqe} at the next free entry; false when the ring is full. */
    public boolean claim(Cqe cqe) {
        long at = (long) TAIL.getOpaque(this);
        if (!slots.isFree(at) && !slots.makeFree(at, (long) HEAD.getAcquire(this))) {
            return false;
        }
        Slots.Part part = slots.writing();
        cqe.wrap(part.words, part.at(at));
        return true;
    }

    /**
     * Publishes the claimed entry, which the caller has written.
     *
     * @param cause the entry's {@link #type}, with {@link #SOLICITED}, {@link #FAILED} and {@link #REQUESTED} as they apply
     */
    public void publish(int cause) {
        published++;
        causes |= cause;
        TAIL.setRelease(this, (long) TAIL.getOpaque(this) + 1);
    }

    /** Number of entries published so far. The engine uses it to decide about events. */
    public long published() {
        return published;
    }

    /** The causes of all entries since the previous call. The engine uses them to decide about events. */
    public int takeCauses() {
        int taken = causes;
        causes = 0;
        return taken;
    }

    /** Makes the claimed entry refer to a receive WQE, whose details are read when the entry is polled. */
    void refer(Cqe cqe, EarlyArrivals arrivals, long element, int queuePairNumber) {
        if (referred.length == 0) {
            referred = new EarlyArrivals[slots.most()];
        }
        referred[(int) (long) TAIL.getOpaque(this) & referred.length - 1] = arrivals;
        cqe.refer(element, queuePairNumber);
    }

    // Called by the polling thread.

    /** Points {@code cqe} at the oldest entry; false when there is none. */
    public boolean peek(Cqe cqe) {
        long at = (long) HEAD.getOpaque(this);
        if (at == tailSeen) {
            tailSeen = (long) TAIL.getAcquire(this);
            if (at == tailSeen) {
                return false;
            }
        }
        Slots.Part part = slots.reading(at);
        cqe.wrap(part.words, part.at(at));
        if (cqe.refers()) {
            referred[(int) at & referred.length - 1].read(cqe);
        }
        return true;
    }

    /** Returns the oldest entry to the engine, which may overwrite it. */
    public void release() {
        long next = (long) HEAD.getOpaque(this) + 1;
        slots.passed(next);
        HEAD.setRelease(this, next);
    }

    /** Number of entries in the ring. Any thread. */
    public int size() {
        return (int) ((long) TAIL.getAcquire(this) - (long) HEAD.getAcquire(this));
    }
}
