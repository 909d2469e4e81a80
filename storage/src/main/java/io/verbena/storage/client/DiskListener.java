package io.verbena.storage.client;

/** Is called when operations end. */
@FunctionalInterface
public interface DiskListener {
    /**
     * The operation has ended. Called by the thread of the client, which must not wait; the operation can be set and submitted again at once.
     * After the client was closed, the thread that submits calls.
     */
    void ended(DiskOperation operation);
}
