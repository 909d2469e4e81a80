package io.verbena.hardware.provider;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;

/** A queue pair as the entries of its work see it. */
interface PostedWork extends QueuePair {

    /** The slots of its send queue. */
    SlotTable sends();

    /** The slots of its receive queue. */
    SlotTable receives();

    /** The request in a slot of the send queue has failed. */
    void failedSend(int slot);

    /** An entry reports a failure, after which the adapter executes no more work of the queue pair. */
    void onFailedWork(CompletionStatus status);

    /** A key of its domain was invalidated. */
    void invalidated(int key);
}
