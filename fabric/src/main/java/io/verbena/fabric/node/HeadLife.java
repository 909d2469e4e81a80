package io.verbena.fabric.node;

import java.util.Arrays;

/**
 * The limit of the time that a frame may be the first of a queue in a switch (HOQLife). What waits longer is discarded: so frames that wait for
 * each other in a cycle, which changing routes or wrong tables can cause, do not block the fabric indefinitely.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 18.2.5.4. Queues are looked at in intervals of this time, which costs
 * forwarding nothing.
 */
final class HeadLife {

    private final Switches switches;
    private final int[] slot;
    private final long[] readyAt;

    HeadLife(Switches switches) {
        this.switches = switches;
        slot = new int[switches.head.length];
        readyAt = new long[switches.head.length];
        Arrays.fill(slot, Switches.NONE);
    }

    /** Discards frames that have not moved since the last call. Returns their number. */
    int look(long now) {
        int expelled = 0;
        for (int q = 0; q < slot.length; q++) {
            int head = switches.head[q];
            if (head >= 0 && head == slot[q] && switches.readyAt(head) == readyAt[q]) {
                switches.expel(q, now);
                expelled++;
            }
        }
        for (int q = 0; q < slot.length; q++) {
            slot[q] = switches.head[q];
            readyAt[q] = slot[q] >= 0 ? switches.readyAt(slot[q]) : 0;
        }
        return expelled;
    }
}
