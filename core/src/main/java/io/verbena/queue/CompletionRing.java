package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionTypes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions from one engine to one polling thread: a CQ has one such ring an engine, so that engines share no line.
 *
 * <p>The engine writes an entry and publishes {@code tail} (release); the poller reads {@code tail} (acquire), reads the
 * entry and gives it back with {@code head} (release).
 */
public final class CompletionRing {

    /** Why an entry may ask for an event: its sender asked for one. */
    public static final int SOLICITED = 1;

    /** It is in error. */
    public static final int FAILED = 2;

    /** Its own work request asked for one. */
    public static final int REQUESTED = 4;

    private static final int FIRST_TYPE = 3;

    /** Causes that there are. */
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

    private final long[] words;
    private final int capacity;
    private final int mask;

    private long published;
    private int causes;
    private long headSeen;
    private long tailSeen;

    @SuppressWarnings("UnusedVariable") // through HEAD
    private long head;

    @SuppressWarnings("UnusedVariable") // through TAIL
    private long tail;

    /** What completed is a cause as well. */
    public static int type(CompletionOpcode opcode) {
        return 1 << FIRST_TYPE + opcode.ordinal();
    }

    /** The causes of a set of types. */
    public static int types(CompletionTypes types) {
        return types.opcodes() << FIRST_TYPE | (types.solicited() ? SOLICITED : 0);
    }

    /** A ring for this many entries. */
    public CompletionRing(int capacity) {
        this.capacity = capacity;
        int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << (capacity > 1 ? 1 : 0);
        this.mask = slots - 1;
        this.words = new long[Math.multiplyExact(slots, Cqe.WORDS)];
    }

    public int capacity() {
        return capacity;
    }

    /** Bytes of memory it holds. */
    public long bytes() {
        return (long) words.length * Long.BYTES;
    }

    // Engine's side.

    /** Points {@code cqe} at the next free entry; false when the ring is full. */
    public boolean claim(Cqe cqe) {
        long at = (long) TAIL.getOpaque(this);
        if (at - headSeen >= capacity) {
            headSeen = (long) HEAD.getAcquire(this);
            if (at - headSeen >= capacity) {
                return false;
            }
        }
        cqe.wrap(words, ((int) at & mask) * Cqe.WORDS);
        return true;
    }

    /** The claimed entry is written: shows it. The causes: its {@link #type}, and {@link #SOLICITED}, {@link #FAILED}, {@link #REQUESTED}. */
    public void publish(int cause) {
        published++;
        causes |= cause;
        TAIL.setRelease(this, (long) TAIL.getOpaque(this) + 1);
    }

    /** Entries published so far, for the engine that decides about events. */
    public long published() {
        return published;
    }

    /** The causes of all entries since this was asked last, for the engine that decides about events. */
    public int takeCauses() {
        int taken = causes;
        causes = 0;
        return taken;
    }

    // Poller's side.

    /** Points {@code cqe} at the oldest entry; false when there is none. */
    public boolean peek(Cqe cqe) {
        long at = (long) HEAD.getOpaque(this);
        if (at == tailSeen) {
            tailSeen = (long) TAIL.getAcquire(this);
            if (at == tailSeen) {
                return false;
            }
        }
        cqe.wrap(words, ((int) at & mask) * Cqe.WORDS);
        return true;
    }

    /** Gives the oldest entry back to the engine: it may be overwritten. */
    public void release() {
        HEAD.setRelease(this, (long) HEAD.getOpaque(this) + 1);
    }

    /** Entries in it, as anybody may look. */
    public int size() {
        return (int) ((long) TAIL.getAcquire(this) - (long) HEAD.getAcquire(this));
    }
}
