package io.verbena.storage.subsystem;

/** States of a {@link Controller}. */
public enum ControllerState {
    /** CC.EN is 0. */
    DISABLED,
    /** CSTS.RDY is 1. */
    READY,
    /** CSTS.CFS is 1: the host asked for something that is not supported. */
    FATAL,
    /** Namespaces are flushed for a shutdown. */
    SHUTTING_DOWN,
    /** A shutdown is complete. */
    SHUT_DOWN,
    /** The association has ended. */
    ENDED;

    /** What moves a controller. */
    public enum Event {
        /** CC.EN was set. */
        ENABLE,
        /** CC.EN was set with parameters that are not supported. */
        ENABLE_UNSUPPORTED,
        /** CC.EN was cleared. */
        DISABLE,
        /** CC.SHN was set. */
        SHUT_DOWN,
        /** All namespaces have been flushed. */
        FLUSHED,
        /** A namespace could not be flushed. */
        FLUSH_FAILED,
        /** The admin queue was lost, the keep-alive time passed, or the target ends the association. */
        END
    }
}
