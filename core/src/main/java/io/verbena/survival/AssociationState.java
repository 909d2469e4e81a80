package io.verbena.survival;

/** The states of an association. */
public enum AssociationState {
    /** A queue pair carries requests. */
    CARRIED,
    /** The queue pair has failed; it is being fenced. */
    FENCING,
    /** The peer has sent RESUME; the answer is sent when the queue pair is fenced. */
    FENCING_TO_ANSWER,
    /** The queue pair is fenced; the association waits until an address may be tried. */
    PAUSED,
    /** RESUME was sent over a new connection, or the connection is being opened. */
    RESUMING,
    /** The association cannot continue: its requests fail. */
    LOST,
    /** The application has closed it. */
    CLOSED
}
