package io.verbena.verbs;

/**
 * Attributes of a new SRQ.
 *
 * @param depth maximum number of receives
 * @param maxScatter maximum number of elements in the scatter list of a receive
 */
public record SharedReceiveQueueOptions(int depth, int maxScatter) {

    /** The given depth, with one element per receive. */
    public static SharedReceiveQueueOptions depth(int depth) {
        return new SharedReceiveQueueOptions(depth, 1);
    }
}
