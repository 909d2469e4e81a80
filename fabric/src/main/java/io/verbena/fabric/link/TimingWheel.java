package io.verbena.fabric.link;

import java.util.Arrays;

/**
 * The events of a fabric in the order of their ticks. Every event is a number and is pending at most once, so an entry is
 * three array elements, and scheduling, moving and removing an event takes constant time without allocation.
 *
 * <p>A tick has two phases: all events of {@link #ARRIVE} are taken before those of {@link #DEPART}. Whatever arrives in a
 * tick takes part in the decisions of that tick, in any order of the arrivals. Events of one phase and tick are taken in
 * the order in which they were scheduled.
 *
 * <p>Events further away than the wheel has slots wait in the last slot and are put back when their slot comes round.
 */
public final class TimingWheel {
    /** First phase of a tick. */
    public static final int ARRIVE = 0;
    /** Second phase of a tick. */
    public static final int DEPART = 1;
    /** Tick of an event that is not pending, and answer of {@link #nextTick} if none is. */
    public static final long NEVER = Long.MAX_VALUE;

    private static final int NONE = -1;

    private final int mask;
    private final int firstDeparture;
    private final int[] first;
    private final int[] last;
    /** Two longs per event, so that they share a cache line: its tick, and next &lt;&lt; 32 | previous of its list. */
    private final long[] entries;

    private final long[] occupied;
    private long now;
    private int pending;

    /**
     * An empty wheel at tick 0.
     *
     * @param events events are numbered from 0
     * @param firstDeparture events from this number on belong to the second phase
     * @param slots number of ticks that are served without detour; a power of two, 64 or more
     */
    public TimingWheel(int events, int firstDeparture, int slots) {
        if (slots < 64 || Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException(slots + " slots: must be a power of two, 64 or more");
        }
        mask = slots - 1;
        this.firstDeparture = firstDeparture;
        first = filled(2 * slots);
        last = filled(2 * slots);
        entries = new long[2 * events];
        Arrays.fill(entries, NEVER);
        occupied = new long[slots >> 6];
    }

    private static int[] filled(int length) {
        int[] array = new int[length];
        Arrays.fill(array, NONE);
        return array;
    }

    /** The tick of the event that was taken last. */
    public long now() {
        return now;
    }

    /** Number of pending events. */
    public int pending() {
        return pending;
    }

    /** The tick at which an event is pending; {@link #NEVER} if it is not. */
    public long tickOf(int event) {
        return entries[2 * event];
    }

    /** Makes an event pending at a tick, or at its own if that is earlier. A tick in the past counts as the current one. */
    public void schedule(int event, long at) {
        long when = Math.max(at, now);
        if (entries[2 * event] <= when) {
            return;
        }
        if (entries[2 * event] != NEVER) {
            remove(event);
        }
        entries[2 * event] = when;
        pending++;
        link(event, slotOf(event, when));
    }

    /** Makes an event not pending. */
    public void cancel(int event) {
        if (entries[2 * event] != NEVER) {
            remove(event);
            entries[2 * event] = NEVER;
        }
    }

    private int next(int event) {
        return (int) (entries[2 * event + 1] >> 32);
    }

    private int previous(int event) {
        return (int) entries[2 * event + 1];
    }

    private void neighbours(int event, int before, int after) {
        entries[2 * event + 1] = (long) after << 32 | before & 0xffff_ffffL;
    }

    private int slotOf(int event, long when) {
        long near = Math.min(when, now + mask);
        return (int) (near & mask) << 1 | (event >= firstDeparture ? DEPART : ARRIVE);
    }

    private void link(int event, int slot) {
        int end = last[slot];
        neighbours(event, end, NONE);
        if (end == NONE) {
            first[slot] = event;
        } else {
            neighbours(end, previous(end), event);
        }
        last[slot] = event;
        occupied[slot >> 7] |= 1L << (slot >> 1);
    }

    /** Takes a pending event out of its slot; the slot is found through the neighbours or, at an end of its list, by search. */
    private void remove(int event) {
        int before = previous(event);
        int after = next(event);
        if (before == NONE || after == NONE) {
            int slot = slotHolding(event);
            if (before == NONE) {
                first[slot] = after;
            }
            if (after == NONE) {
                last[slot] = before;
            }
            clearIfEmpty(slot);
        }
        if (before != NONE) {
            neighbours(before, previous(before), after);
        }
        if (after != NONE) {
            neighbours(after, before, next(after));
        }
        pending--;
    }

    /** Near events are in the slot of their tick. A far one waits in whatever slot was the last one when it was scheduled. */
    private int slotHolding(int event) {
        int phase = event >= firstDeparture ? DEPART : ARRIVE;
        int slot = (int) (entries[2 * event] & mask) << 1 | phase;
        while (first[slot] != event && last[slot] != event) {
            slot = slot + 2 & 2 * mask + 1;
        }
        return slot;
    }

    private void clearIfEmpty(int slot) {
        int pair = slot & ~1;
        if (first[pair] == NONE && first[pair + 1] == NONE) {
            occupied[slot >> 7] &= ~(1L << (slot >> 1));
        }
    }

    /** The earliest tick that may have an event, {@link #NEVER} if none is pending. Far events count when they are put back. */
    public long nextTick() {
        if (pending == 0) {
            return NEVER;
        }
        int start = (int) (now & mask);
        int word = start >> 6;
        long bits = occupied[word] & -1L << start;
        if (bits == 0) {
            int words = occupied.length;
            do {
                word = word + 1 == words ? 0 : word + 1;
                bits = occupied[word];
            } while (bits == 0);
        }
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        return now + (slot - start & mask);
    }

    /** Lets time pass up to a tick before which no event is pending. */
    public void idleUntil(long at) {
        if (at > now && nextTick() > at) {
            now = at;
        }
    }

    /** Removes and returns the next event if its tick is {@code limit} or earlier, else -1; {@link #now} becomes its tick. */
    public int take(long limit) {
        while (true) {
            long at = now;
            int slot = (int) (at & mask) << 1;
            if (first[slot] == NONE && first[++slot] == NONE) {
                at = nextTick();
                if (at > limit) {
                    return NONE;
                }
                now = at;
                slot = (int) (at & mask) << 1;
                slot = first[slot] == NONE ? slot + 1 : slot;
            } else if (at > limit) {
                return NONE;
            }
            int event = first[slot];
            int after = next(event);
            first[slot] = after;
            if (after == NONE) {
                last[slot] = NONE;
                clearIfEmpty(slot);
            } else {
                neighbours(after, NONE, next(after));
            }
            if (entries[2 * event] == at) {
                entries[2 * event] = NEVER;
                pending--;
                return event;
            }
            link(event, slotOf(event, entries[2 * event]));
        }
    }
}
