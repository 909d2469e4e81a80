package io.verbena.survival;

/** What the owner of an association does next. */
public sealed interface AssociationStep {

    /**
     * End the queue pair of this epoch and wait until no engine executes work of it, as responder or as requester;
     * then call {@link Association#fenced}.
     */
    record Fence(long epoch) implements AssociationStep {}

    /**
     * Open a connection to this address and send the message over it. Nothing else of the connection is served before
     * {@link Carry} of the same epoch. Call {@link Association#attemptFailed} if it cannot be opened or ends.
     */
    record Offer(int address, ResumeMessage resume) implements AssociationStep {}

    /** Close the connection of an attempt; nothing was executed over it. */
    record Abandon(long epoch) implements AssociationStep {}

    /**
     * Send the message over the connection on which the RESUME of the epoch {@code to} came. After STALE, close this
     * connection.
     */
    record Answer(long to, ResumeMessage message) implements AssociationStep {}

    /** The connection of this epoch carries the association: send {@link RequestLog#send} and execute what arrives. */
    record Carry(long epoch) implements AssociationStep {}

    /** Fail all requests. */
    record Fail(LostReason reason) implements AssociationStep {}
}
