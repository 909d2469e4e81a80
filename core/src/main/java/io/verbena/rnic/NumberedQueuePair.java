package io.verbena.rnic;

import io.verbena.engine.RnicEngine;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePair;

/** A queue pair as completion queues know it. */
interface NumberedQueuePair extends QueuePair {

    /** Why its work ended; empty while it has not. Any thread. */
    String reason();

    /** A CQ has other rings on an engine: a queue pair there that completes on it uses them from now on. On that engine. */
    void refreshRings(CompletionQueue cq, RnicEngine engine);
}
