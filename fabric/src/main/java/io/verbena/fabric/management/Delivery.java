package io.verbena.fabric.management;

/**
 * What became of a management datagram.
 *
 * @param outcome whether it was answered
 * @param node the node that it reached, or where it was lost
 * @param port the port of that node; 0 for a switch itself
 * @param reason for a lost datagram: why, as a sentence; empty otherwise
 */
public record Delivery(Outcome outcome, int node, int port, String reason) {

    /** The kinds of outcome. */
    public enum Outcome {
        /** An agent answered: the buffer contains the response, which has reached the requester. */
        ANSWERED,
        /** It reached an endport, and is for a manager or an application there. */
        FORWARDED,
        /** It reached an agent, which needs no response. */
        CONSUMED,
        /** The request or its response was discarded on its way. */
        LOST
    }

    static Delivery lost(int node, int port, String reason) {
        return new Delivery(Outcome.LOST, node, port, reason);
    }
}
