package io.verbena.fabric.link;

/**
 * The flits on the way from each port, in the order in which they arrive. A port has a ring of twice its window, because flits
 * that repeat others may be on the way together with them. Nothing is allocated after the constructor.
 */
final class Flights {

    // An entry: the tick of its arrival, its word, and sequence << 32 | acknowledgement.
    private static final int ENTRY = 3;

    private final long[] entries;
    /** For each port the start of its ring and its size less one. */
    private final int[] rings;
    /** For each port the number of flits that have arrived and of those that were sent. */
    private final long[] ends;

    /** Rings for ports with these windows, powers of two; 0 for a port without a link. */
    Flights(int[] windows) {
        rings = new int[2 * windows.length];
        ends = new long[2 * windows.length];
        int total = 0;
        for (int p = 0; p < windows.length; p++) {
            rings[2 * p] = total;
            rings[2 * p + 1] = 2 * windows[p] - 1;
            total += 2 * windows[p];
        }
        entries = new long[ENTRY * total];
    }

    boolean full(int p) {
        return ends[2 * p + 1] - ends[2 * p] > rings[2 * p + 1];
    }

    /** Adds a flit; returns whether it is the only one on the way. */
    boolean add(int p, long arrival, long word, long numbers) {
        long sent = ends[2 * p + 1]++;
        int entry = entry(p, sent);
        entries[entry] = arrival;
        entries[entry + 1] = word;
        entries[entry + 2] = numbers;
        return sent == ends[2 * p];
    }

    /** The entry of the flit that arrives next. It is valid until the ring is full again. */
    int take(int p) {
        return entry(p, ends[2 * p]++);
    }

    /** The tick at which the next flit arrives; {@link TimingWheel#NEVER} if none is on the way. */
    long nextArrival(int p) {
        long first = ends[2 * p];
        return first == ends[2 * p + 1] ? TimingWheel.NEVER : entries[entry(p, first)];
    }

    long word(int entry) {
        return entries[entry + 1];
    }

    /** Sequence number &lt;&lt; 32 | acknowledgement. */
    long numbers(int entry) {
        return entries[entry + 2];
    }

    private int entry(int p, long index) {
        return ENTRY * (rings[2 * p] + ((int) index & rings[2 * p + 1]));
    }
}
