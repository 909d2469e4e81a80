package io.verbena.port;

/**
 * A stream that need not copy payload when it is written: it may lend user memory to the peer, which copies it from there. The
 * memory must not change until the loan is returned.
 *
 * <p>Only pieces that {@link io.verbena.base.TransmitList#addLendable} added are lent, and only after {@link #lend}.
 */
public interface LendingStream extends ByteStream {

    /** The owner observes loans: from now on writes may lend. */
    void lend();

    /** A number that grows with each loan. It is passed by {@link #returned} when all loans so far are returned. */
    long lent();

    /** Has reached {@link #lent} when all loans are returned. {@link StreamEvents#onReturned} reports progress. */
    long returned();

    /** Ends the stream as a reset does: the peer uses nothing that it copies from now on from memory that was lent to it. */
    void withdraw();
}
