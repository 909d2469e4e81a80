package io.verbena.verbs;

/**
 * The calling thread was interrupted while it waited for something that had not happened. The interrupt status of the thread
 * is still set, as with {@link java.nio.channels.ClosedByInterruptException}.
 *
 * <p>Every wait for data or for a peer throws it: {@link CompletionQueue#await}, {@link CompletionQueue#take}, {@link
 * Listener#nextRequest}, {@link Connection#awaitEstablished}, {@link Connection#awaitClosed}, {@link
 * Rnic#pollAsyncEvents}, {@link Rnic#progress(java.time.Duration)}, {@link HandlerLoop#await}. A wait whose condition holds
 * already returns as usual, and so does a wait with a time-out of zero. {@link Rnic#connect} and {@link
 * ConnectionRequest#accept} end the connection that they began. Methods that close, destroy or modify objects are not
 * interruptible; they keep the interrupt status.
 */
public class WaitInterruptedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public WaitInterruptedException() {
        super("The thread was interrupted while it waited; its interrupt status is set.");
    }
}
