package io.verbena.messaging.protocol;

/**
 * The collective operations that this rank has abandoned, for example because a rank died. Their messages must not be taken for those of a later
 * operation. Collective operations have consecutive tags, so one tag describes all.
 */
public final class AbandonedCollectives {

    private boolean any;
    private int last;

    public void add(int tag) {
        if (!any || follows(tag, last)) {
            any = true;
            last = tag;
        }
    }

    public boolean contains(int tag) {
        return any && !follows(tag, last);
    }

    /** Returns whether one tag of 31 bits comes after another one; tags wrap around. */
    private static boolean follows(int tag, int other) {
        return (tag - other) << 1 > 0;
    }
}
