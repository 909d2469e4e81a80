package io.verbena.hardware.provider.survival;

import io.verbena.hardware.provider.request.SlotTable;

/**
 * How far one queue of a queue pair came whose connection survives: its slots in the order of posting, from 0 on, over
 * all its native queues. The owner has a lock.
 */
public final class QueueProgress {

    private final SlotTable slots;

    /** Slots that the program has given away. */
    private long given;

    /** Slots that a native queue was given; those after them wait. */
    private long posted;

    /** Slots that any native queue was given. */
    private long everPosted;

    /** Slots whose entry the current native queue has reported. */
    private long reported;

    /** Slots that succeeded. */
    private long done;

    /** A queue that begins with what its slots have now. */
    public QueueProgress(SlotTable slots) {
        this.slots = slots;
        given = slots.posted();
        posted = given;
        everPosted = given;
        done = slots.completed();
        reported = done;
    }

    /**
     * The program gives the next slots away.
     *
     * @param open whether a native queue gets them at once
     */
    public void give(int count, boolean open) {
        given += count;
        if (open) {
            postAll();
        }
    }

    /** The native queue has refused the last slots. */
    public void takeBack(int count) {
        given -= count;
        posted = Math.min(posted, given);
        everPosted = Math.min(everPosted, given);
    }

    /** An entry of the native queue was fetched. */
    public void onEntry(int slot, boolean success) {
        reported += Math.floorMod(slot - reported, (long) slots.depth()) + 1;
        if (success) {
            done = reported;
        }
    }

    /** Whether every slot of the native queue has an entry. */
    public boolean drained() {
        return reported == posted;
    }

    /** There is another native queue, which has nothing yet. */
    public void restart() {
        posted = done;
        reported = done;
    }

    /** The native queue was given everything. */
    public void postAll() {
        posted = given;
        everPosted = Math.max(everPosted, given);
    }

    /** Everything that was given away has an entry, or will have one. */
    public void finish() {
        posted = given;
        done = reported;
    }

    public long done() {
        return done;
    }

    public long reported() {
        return reported;
    }

    public long posted() {
        return posted;
    }

    public long everPosted() {
        return everPosted;
    }

    public long given() {
        return given;
    }

    /** The slot with a number. */
    public int slot(long number) {
        return (int) (number % slots.depth());
    }
}
