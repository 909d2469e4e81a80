package io.verbena.messaging.collective;

import java.util.Arrays;

/** Collects the steps of one rank. */
final class ScheduleBuilder {

    /** Alignment of parts of the scratch memory, and of parts of a vector that is divided without regard to its elements. */
    static final int ALIGNMENT = 64;

    final int rank;
    final int size;
    private final boolean commutative;
    private long[] steps = new long[16 * Schedule.WORDS];
    private int used;
    private long scratchBytes;
    private int pending;
    private int mostPending;

    ScheduleBuilder(int rank, int size, boolean commutative) {
        this.rank = rank;
        this.size = size;
        this.commutative = commutative;
    }

    /** Rank that is {@code distance} after this one. */
    int after(int distance) {
        return Math.floorMod(rank + distance, size);
    }

    boolean commutative() {
        return commutative;
    }

    /** Reserves scratch memory. */
    Place scratch(long bytes) {
        Place at = new Place(Schedule.SCRATCH, scratchBytes);
        scratchBytes += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return at;
    }

    void send(int to, Place from, long bytes) {
        add(Schedule.word(Schedule.SEND, to, from.buffer(), 0), from.offset(), 0, bytes);
        pending++;
    }

    void receive(int from, Place into, long bytes) {
        add(Schedule.word(Schedule.RECEIVE, from, into.buffer(), 0), into.offset(), 0, bytes);
        pending++;
    }

    /** Sends and receives at once, and waits for both. The receive is started first. */
    void exchange(int to, Place what, long sendBytes, int from, Place into, long receiveBytes) {
        receive(from, into, receiveBytes);
        send(to, what, sendBytes);
        await();
    }

    /** Like exchange; parts without bytes are left out on both sides. */
    void exchangeParts(int to, Place what, long sendBytes, int from, Place into, long receiveBytes) {
        startParts(to, what, sendBytes, from, into, receiveBytes);
        await();
    }

    /** The same without waiting. */
    void startParts(int to, Place what, long sendBytes, int from, Place into, long receiveBytes) {
        if (receiveBytes > 0) {
            receive(from, into, receiveBytes);
        }
        if (sendBytes > 0) {
            send(to, what, sendBytes);
        }
    }

    void copy(Place from, Place to, long bytes) {
        if (bytes > 0 && !from.equals(to)) {
            add(Schedule.word(Schedule.COPY, 0, from.buffer(), to.buffer()), from.offset(), to.offset(), bytes);
        }
    }

    /** {@code inout = in op inout}. */
    void combine(Place in, Place inout, long bytes) {
        if (bytes > 0) {
            add(Schedule.word(Schedule.COMBINE, 0, in.buffer(), inout.buffer()), in.offset(), inout.offset(), bytes);
        }
    }

    /** {@code all = all op next}; the memory of {@code next} is used up. */
    void append(Place all, Place next, long bytes) {
        if (commutative) {
            combine(next, all, bytes);
        } else {
            combine(all, next, bytes);
            copy(next, all, bytes);
        }
    }

    void await() {
        if (pending > 0) {
            add(Schedule.word(Schedule.AWAIT, 0, 0, 0), 0, 0, 0);
            mostPending = Math.max(mostPending, pending);
            pending = 0;
        }
    }

    Schedule build() {
        await();
        return new Schedule(Arrays.copyOf(steps, used), scratchBytes, mostPending);
    }

    private void add(long word, long first, long second, long bytes) {
        if (used == steps.length) {
            steps = Arrays.copyOf(steps, 2 * used);
        }
        steps[used++] = word;
        steps[used++] = first;
        steps[used++] = second;
        steps[used++] = bytes;
    }
}
