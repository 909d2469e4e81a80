package io.verbena.notify;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The event records of one CQ handler, in memory of their own, so that handlers share no cache line.
 *
 * <pre>
 *    0 | unused: the line may be shared with another object
 *   64 | tail 64 |  alone on its line: where signallers write
 *  128 | head 64 |  alone on its line: where the handler's processor reads
 *  192 | records of 64 bytes
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

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    // In words.
    private static final int LINE = 8;
    private static final int TAIL = LINE;
    private static final int HEAD = 2 * LINE;
    private static final int RECORDS = 3 * LINE;
    private static final int WHAT = 1;
    private static final int WHEN = 2;
    private static final int HIGH = 32;

    private final long[] words;
    private final int mask;

    /** Beside the records: flat memory cannot hold references. */
    private final @Nullable Subject[] subjects;

    /** A ring for this many records, a power of two. */
    public EventRing(int capacity) {
        assert Integer.bitCount(capacity) == 1;
        mask = capacity - 1;
        words = new long[RECORDS + capacity * LINE];
        subjects = new @Nullable Subject[capacity];
        for (int i = 0; i < capacity; i++) {
            words[record(i)] = i;
        }
        VarHandle.releaseFence();
    }

    private int record(long number) {
        return RECORDS + (int) (number & mask) * LINE;
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
            long number = (long) WORD.getVolatile(words, TAIL);
            long turn = (long) WORD.getAcquire(words, record(number));
            if (turn - number < 0) {
                return FULL;
            }
            if (turn == number && WORD.compareAndSet(words, TAIL, number, number + 1)) {
                return number;
            }
        }
    }

    public void write(long number, Subject subject, int datum, int cause, long nowNs) {
        int at = record(number);
        words[at + WHAT] = (long) cause << HIGH | datum & 0xffff_ffffL;
        words[at + WHEN] = nowNs;
        subjects[(int) (number & mask)] = subject;
        WORD.setRelease(words, at, number + 1);
    }

    /** Takes the oldest record and reports it to its subject; null if there is none or it is being written. Any thread. */
    public @Nullable Subject poll() {
        while (true) {
            long number = (long) WORD.getVolatile(words, HEAD);
            int at = record(number);
            long turn = (long) WORD.getAcquire(words, at);
            if (turn - (number + 1) < 0) {
                return null;
            }
            if (turn == number + 1 && WORD.compareAndSet(words, HEAD, number, number + 1)) {
                return take(number, at);
            }
        }
    }

    private @Nullable Subject take(long number, int at) {
        int index = (int) (number & mask);
        Subject subject = subjects[index];
        long what = words[at + WHAT];
        long signalledNs = words[at + WHEN];
        subjects[index] = null;
        WORD.setRelease(words, at, number + mask + 1);
        if (subject != null) {
            subject.onTaken((int) what, (int) (what >>> HIGH), signalledNs);
        }
        return subject;
    }

    /** Whether a record can be taken now. */
    public boolean ready() {
        long number = (long) WORD.getVolatile(words, HEAD);
        return (long) WORD.getAcquire(words, record(number)) == number + 1;
    }

    /** Records in it, those that are being written included. */
    public int size() {
        return (int) ((long) WORD.getVolatile(words, TAIL) - (long) WORD.getVolatile(words, HEAD));
    }

    public int capacity() {
        return mask + 1;
    }
}
