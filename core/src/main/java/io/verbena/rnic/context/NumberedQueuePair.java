package io.verbena.rnic.context;

import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePair;

/** A queue pair as seen by completion queues. */
public interface NumberedQueuePair extends QueuePair {

    /** What the engine serves. Any thread. */
    Endpoint endpoint();

    /** The reason why its work ended; empty while it has not ended. Any thread. */
    String reason();

    /** Uses the current rings of a CQ from now on, after the CQ was resized. Called on that engine. */
    void refreshRings(CompletionQueue cq, RnicEngine engine);
}
