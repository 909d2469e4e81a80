package io.verbena.survival;

/** A rule of the protocol that the nodes of the model do not keep. Each must be found. */
enum Flaw {
    NONE(""),
    /** The old queue pair is not fenced: requests that it delivers later are executed. */
    NO_FENCE("is executed again"),
    /** The requester does not leave the old queue pair: answers that it delivers later complete requests. */
    NO_FENCE_OF_REQUESTER("completed a request that was not sent"),
    /** The responder counts what it has executed while an engine still executes work of the old queue pair. */
    COUNTED_BEFORE_FENCE("completed a request that was not sent"),
    /** The requester completes Reads that the peer has executed, although their data have not arrived. */
    READS_COUNT_WHEN_EXECUTED("before its data arrived"),
    /** The requester counts what was acknowledged as executed, and sends the rest again. */
    ACKNOWLEDGED_FOR_EXECUTED("lost: VIOLATION");

    /** A part of what the first course that it spoils reports. */
    final String violates;

    Flaw(String violates) {
        this.violates = violates;
    }
}
