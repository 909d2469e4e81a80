package io.verbena.survival;

/** What changes the state of an association. */
public enum AssociationEvent {
    /** The current queue pair has failed, or the application wants another one. */
    TRANSPORT_ENDED,
    /** A RESUME with a higher epoch, or of the side that has precedence, has arrived. */
    RESUME_ARRIVED,
    /** No engine executes work of the old queue pair any more. */
    FENCED,
    /** The pause is over and an address can be tried. */
    ATTEMPT_BEGAN,
    /** The answer to the current RESUME has arrived. */
    RESUMED_ARRIVED,
    /** The current attempt has failed, was refused, or took too long. */
    ATTEMPT_FAILED,
    /** The association was without a queue pair for too long, no address is left, or the peer violates the protocol. */
    GIVEN_UP,
    /** The application closes the association. */
    CLOSE
}
