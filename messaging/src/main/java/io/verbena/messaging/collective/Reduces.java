package io.verbena.messaging.collective;

/** Reductions to one rank. */
final class Reduces {

    private Reduces() {}

    /**
     * A binomial tree. The subtree of a rank consists of consecutive ranks, so that operands are combined in the order of the ranks if the tree
     * begins at rank 0. A reduction that depends on the order is therefore made there, and its result sent to the root.
     */
    static void binomial(ScheduleBuilder steps, Place own, Place result, long bytes, int root) {
        int top = steps.commutative() ? root : 0;
        Place all = tree(steps, own, result, bytes, top, top == root);
        if (top == root) {
            return;
        }
        if (steps.rank == top) {
            steps.send(root, all, bytes);
        } else if (steps.rank == root) {
            steps.receive(top, result, bytes);
        }
        steps.await();
    }

    /** Returns where the result of this rank's subtree is. */
    private static Place tree(
            ScheduleBuilder steps, Place own, Place result, long bytes, int top, boolean topHasResult) {
        int size = steps.size;
        int relative = Math.floorMod(steps.rank - top, size);
        int span = Broadcasts.span(relative, size);
        boolean leaf = span == 1 || relative + 1 >= size;
        Place all = own;
        if (relative == 0 || !leaf) {
            all = relative == 0 && topHasResult ? result : steps.scratch(bytes);
            steps.copy(own, all, bytes);
        }
        if (!leaf) {
            Place next = steps.scratch(bytes);
            for (int distance = 1; distance < span && relative + distance < size; distance *= 2) {
                steps.receive(steps.after(distance), next, bytes);
                steps.await();
                steps.append(all, next, bytes);
            }
        }
        if (relative != 0) {
            steps.send(steps.after(-span), all, bytes);
            steps.await();
        }
        return all;
    }
}
