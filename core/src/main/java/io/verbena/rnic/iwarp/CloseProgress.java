package io.verbena.rnic.iwarp;

/** How far the graceful close of a connection that survives had come when its transport ended. */
enum CloseProgress {
    /** Neither side closes the connection, or work of this side is not complete. */
    OPEN,
    /** This side has completed its work and said so. The peer has perhaps done the same, and may be gone. */
    COMPLETE,
    /**
     * Both sides have completed all work, and this one knows it: the connection is closed, whether or not the peer
     * returns to hear it.
     */
    BOTH_COMPLETE;

    static CloseProgress of(boolean complete, boolean bothComplete) {
        if (bothComplete) {
            return BOTH_COMPLETE;
        }
        return complete ? COMPLETE : OPEN;
    }
}
