package io.verbena.work;

import io.verbena.queue.Wqe;

/**
 * What outlives the transports of a connection, as the engine of one of them sees it: which elements of the send
 * queue an earlier transport has had executed, and what is counted so that a later one can continue. The engine that
 * serves the queue pair calls every method.
 *
 * <p>For transports whose acknowledgements state that a request was executed. An element completes when it is
 * acknowledged.
 */
public interface OutlivingWork {

    /**
     * A request of the peer, as the peer counts it. A Write with immediate data is two: a Write, and then a message.
     */
    enum Served {
        WRITE,
        /** Consumes a receive. */
        MESSAGE,
        /** Its last part has been accepted. */
        READ,
        ATOMIC
    }

    // As requester.

    /** Whether an earlier transport has had the element executed, so that nothing of it is sent. */
    boolean executedEarlier(Wqe element);

    /** The result of an atomic of which that is true. */
    long result(Wqe element);

    /** Whether an element with an answer may be sent: the peer remembers a limited number of results. */
    boolean mayAsk(long index);

    /** The first packet of an element has been built: from now on the peer can have executed it. */
    void onBegun(long index, Wqe element);

    /** An element was executed without a packet. */
    void onSkipped(long index);

    /** The oldest element completes next: {@link #onRetired} has what this returns. */
    int retiring();

    /** The oldest element has been completed. */
    void onRetired(int retiring);

    // As responder.

    /**
     * A request of the peer was executed, and everything that it placed can be seen. Returns whether the peer may send
     * such a request now.
     *
     * @param original what an atomic found; of other requests any value
     */
    boolean onServed(Served kind, long original);
}
