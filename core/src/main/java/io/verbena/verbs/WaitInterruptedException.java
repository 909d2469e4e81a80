package io.verbena.verbs;

/**
 * The calling thread was interrupted while it waited. Its interrupt status remains set, as with
 * {@link java.nio.channels.ClosedByInterruptException}.
 *
 * <p>Every wait for data or for a peer throws this exception: {@link CompletionQueue#await},
 * {@link CompletionQueue#take}, {@link Listener#nextRequest}, {@link Connection#awaitEstablished},
 * {@link Connection#awaitClosed}, {@link Rnic#pollAsyncEvents}, {@link Rnic#progress(java.time.Duration)},
 * {@link HandlerLoop#await}. A wait whose condition already holds returns normally, and so does a wait with a timeout
 * of zero. {@link Rnic#connect} and {@link ConnectionRequest#accept} close the connection that they started. Methods
 * that close, destroy or modify objects are not interruptible; they preserve the interrupt status.
 */
public class WaitInterruptedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public WaitInterruptedException() {
        super("The thread was interrupted while waiting; its interrupt status is set.");
    }
}
