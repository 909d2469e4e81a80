package io.verbena.messaging.collective;

/** Blocks of all ranks to one rank, and from it. */
final class Gathers {

    private Gathers() {}

    /** Every rank sends to the root; {@code bytes} is the length of this rank's block. */
    static void gather(ScheduleBuilder steps, Place own, boolean inPlace, long bytes, Blocks blocks, int root) {
        if (steps.rank != root) {
            if (bytes > 0) {
                steps.send(root, Place.SEND, bytes);
            }
            return;
        }
        for (int i = 0; i < steps.size; i++) {
            Place at = Place.RECEIVE.plus(blocks.offset(i));
            if (i != root && blocks.length(i) > 0) {
                steps.receive(i, at, blocks.length(i));
            } else if (i == root && !inPlace) {
                steps.copy(own, at, blocks.length(i));
            }
        }
    }

    /** A binomial tree: a rank collects the blocks of its subtree, which are those of consecutive ranks, before it sends them. */
    static void gatherInTree(ScheduleBuilder steps, Place own, boolean inPlace, long bytes, int root) {
        int size = steps.size;
        int relative = Math.floorMod(steps.rank - root, size);
        int span = Broadcasts.span(relative, size);
        int count = Math.min(span, size - relative);
        boolean direct = relative == 0 && root == 0;
        Place source = relative == 0 && inPlace ? Place.RECEIVE.plus(bytes * root) : relative == 0 ? own : Place.SEND;
        if (count == 1 && relative != 0) {
            steps.send(steps.after(-span), Place.SEND, bytes);
            return;
        }
        Place all = direct ? Place.RECEIVE : steps.scratch(bytes * count);
        steps.copy(source, all, bytes);
        for (int distance = 1; distance < span && relative + distance < size; distance *= 2) {
            int blocks = Math.min(distance, size - relative - distance);
            steps.receive(steps.after(distance), all.plus(bytes * distance), bytes * blocks);
        }
        steps.await();
        if (relative != 0) {
            steps.send(steps.after(-span), all, bytes * count);
        } else if (!direct) {
            steps.copy(all, Place.RECEIVE.plus(bytes * root), bytes * (size - root));
            steps.copy(all.plus(bytes * (size - root)), Place.RECEIVE, bytes * root);
        }
    }

    /** The root sends to every rank; {@code bytes} is the length of this rank's block. */
    static void scatter(ScheduleBuilder steps, boolean inPlace, long bytes, Blocks blocks, int root) {
        if (steps.rank != root) {
            if (bytes > 0) {
                steps.receive(root, Place.RECEIVE, bytes);
            }
            return;
        }
        for (int i = 0; i < steps.size; i++) {
            Place at = Place.SEND.plus(blocks.offset(i));
            if (i != root && blocks.length(i) > 0) {
                steps.send(i, at, blocks.length(i));
            } else if (i == root && !inPlace) {
                steps.copy(at, Place.RECEIVE, blocks.length(i));
            }
        }
    }

    /** A binomial tree: a rank receives the blocks of its subtree and sends those of the subtrees below it. */
    static void scatterInTree(ScheduleBuilder steps, boolean inPlace, long bytes, int root) {
        int size = steps.size;
        int relative = Math.floorMod(steps.rank - root, size);
        int span = Broadcasts.span(relative, size);
        int count = Math.min(span, size - relative);
        Place all = Place.RECEIVE;
        if (relative == 0) {
            all = Place.SEND;
            if (root != 0) {
                all = steps.scratch(bytes * size);
                steps.copy(Place.SEND.plus(bytes * root), all, bytes * (size - root));
                steps.copy(Place.SEND, all.plus(bytes * (size - root)), bytes * root);
            }
        } else {
            all = count == 1 ? Place.RECEIVE : steps.scratch(bytes * count);
            steps.receive(steps.after(-span), all, bytes * count);
            steps.await();
        }
        for (int distance = span / 2; distance >= 1; distance /= 2) {
            if (relative + distance < size) {
                int blocks = Math.min(distance, size - relative - distance);
                steps.send(steps.after(distance), all.plus(bytes * distance), bytes * blocks);
            }
        }
        if (relative != 0 || !inPlace) {
            steps.copy(all, Place.RECEIVE, bytes);
        }
    }
}
