package io.verbena.storage.client;

import io.verbena.storage.host.StorageHost;

/** What a queue asks of the driver that it belongs to. */
interface QueueOwner {

    /** The engine that the events of a queue are for. */
    StorageHost host();

    /** The time of the present round. */
    long nowNs();

    /** Executes an action in the thread of the rounds. */
    void execute(Runnable action);
}
