package io.verbena.hardware.provider;

import io.verbena.verbs.Connection;

/** A connection as its queue pair sees it. */
interface QueuePairOwner extends Connection {

    /** The queue pair has failed: the connection ends on both sides. */
    void failed(String sentence);

    /** Ends the connection at once. */
    void abort();
}
