package io.verbena.notify;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The event records of one CQ handler, in memory of their own, so that handlers share no cache line.
 *
 * <pre>
 *    0 | tail 64 |  alone on its line: where signallers write
 *   64 | head 64 |  alone on its line: where the handler's processor reads
 *  128 | records of 64 bytes
 *
 *   record:  0 | turn                                       64 |
 *            8 | datum (handler identification) 32 | cause  32 |
 *           16 | time of the signal, nanoseconds            64 |
 *           24 | reserved                                      |
 * </pre>
 *
 * Any number of threads put and take: engines and re-arming consumers put; the processor takes, and so does a thread that withdraws events
 * back from a handler. A record's turn says whose turn the slot is: the number of the put that may write it, one more when
 * it can be taken.
 */
public final class EventRing {

    /** What an event is about. At most one record of it exists, so it keeps the contents of its record. */
    public interface Subject {
        void onTaken(int datum, int cause, long signalledNs);
    }

    static final long FULL = -1;

    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final long TAIL = 0;
    private static final long HEAD = 64;
    private static final long RECORDS = 128;
    private static final int RECORD_BYTES = 64;

    private final MemorySegment memory;
    private final int mask;

    /** Beside the records: flat memory cannot hold references. */
    private final @Nullable Subject[] subjects;

    /** A ring for this many records, a power of two. */
    public EventRing(int capacity) {
        assert Integer.bitCount(capacity) == 1;
        mask = capacity - 1;
        memory = Arena.ofAuto().allocate(RECORDS + (long) capacity * RECORD_BYTES, 64);
        subjects = new @Nullable Subject[capacity];
        for (int i = 0; i < capacity; i++) {
            memory.set(JAVA_LONG, record(i), i);
        }
        VarHandle.releaseFence();
    }

    private long record(long number) {
        return RECORDS + (number & mask) * RECORD_BYTES;
    }

    /** Puts a record; false when the ring is full. Any thread. */
    public boolean offer(Subject subject, int datum, int cause, long nowNs) {
        long number = claim();
        if (number == FULL) {
            return false;
        }
        write(number, subject, datum, cause, nowNs);
        return true;
    }

    /** The number of a record that this thread must {@link #write}; FULL when the ring is full. Records after it are not taken before it is written. */
    public long claim() {
        while (true) {
            long number = (long) LONG.getVolatile(memory, TAIL);
            long turn = (long) LONG.getAcquire(memory, record(number));
            if (turn - number < 0) {
                return FULL;
            }
            if (turn == number && LONG.compareAndSet(memory, TAIL, number, number + 1)) {
                return number;
            }
        }
    }

    public void write(long number, Subject subject, int datum, int cause, long nowNs) {
        long at = record(number);
        memory.set(JAVA_INT, at + 8, datum);
        memory.set(JAVA_INT, at + 12, cause);
        memory.set(JAVA_LONG, at + 16, nowNs);
        subjects[(int) (number & mask)] = subject;
        LONG.setRelease(memory, at, number + 1);
    }

    /** Takes the oldest record and reports it to its subject; null if there is none or it is being written. Any thread. */
    public @Nullable Subject poll() {
        while (true) {
            long number = (long) LONG.getVolatile(memory, HEAD);
            long at = record(number);
            long turn = (long) LONG.getAcquire(memory, at);
            if (turn - (number + 1) < 0) {
                return null;
            }
            if (turn == number + 1 && LONG.compareAndSet(memory, HEAD, number, number + 1)) {
                return take(number, at);
            }
        }
    }

    private @Nullable Subject take(long number, long at) {
        int index = (int) (number & mask);
        Subject subject = subjects[index];
        int datum = memory.get(JAVA_INT, at + 8);
        int cause = memory.get(JAVA_INT, at + 12);
        long signalledNs = memory.get(JAVA_LONG, at + 16);
        subjects[index] = null;
        LONG.setRelease(memory, at, number + mask + 1);
        if (subject != null) {
            subject.onTaken(datum, cause, signalledNs);
        }
        return subject;
    }

    /** Whether a record can be taken now. */
    public boolean ready() {
        long number = (long) LONG.getVolatile(memory, HEAD);
        return (long) LONG.getAcquire(memory, record(number)) == number + 1;
    }

    /** Records in it, those that are being written included. */
    public int size() {
        return (int) ((long) LONG.getVolatile(memory, TAIL) - (long) LONG.getVolatile(memory, HEAD));
    }

    public int capacity() {
        return mask + 1;
    }
}
