package io.verbena.verbs;

/**
 * How an SRQ is made.
 *
 * @param depth most receives in it
 * @param maxScatter most elements in a list
 */
public record SharedReceiveQueueOptions(int depth, int maxScatter) {

    /** With one element a receive. */
    public static SharedReceiveQueueOptions depth(int depth) {
        return new SharedReceiveQueueOptions(depth, 1);
    }
}
