package io.verbena.messaging;

/**
 * The collective operations that this rank has abandoned because a rank died. Their messages must not be taken for those of a later
 * operation. Collective operations have consecutive tags, so one tag describes all.
 */
final class AbandonedCollectives {

    private boolean any;
    private int last;

    void add(int tag) {
        if (!any || tag - last > 0) {
            any = true;
            last = tag;
        }
    }

    boolean contains(int tag) {
        return any && tag - last <= 0;
    }
}
