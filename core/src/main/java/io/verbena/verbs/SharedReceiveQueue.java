package io.verbena.verbs;

/**
 * Receives shared by several queue pairs of one protection domain (ibv_srq). One thread at a time may post. Posting
 * throws {@link IllegalStateException} after the SRQ was closed.
 */
public interface SharedReceiveQueue extends AutoCloseable {

    /** The protection domain of the SRQ. */
    ProtectionDomain protectionDomain();

    /** Posts a receive of one buffer. Returns false, without effect, if the SRQ is full. */
    boolean postReceive(long wrId, MemoryRegion region, long offset, int length);

    /**
     * Posts a template with a receive. Returns false, without effect, if the SRQ is full.
     *
     * @throws IllegalArgumentException if the template is not a receive, or was created by another RNIC
     */
    boolean post(WorkRequest receive);

    /** A new, empty template for {@link #post}. */
    WorkRequest newWorkRequest();

    /** Maximum number of receives. */
    int capacity();

    /** Number of receives that no message has used yet. */
    int available();

    /**
     * Requests one event {@link AsyncEventType#SRQ_LIMIT_REACHED} when fewer than {@code limit} receives are available.
     */
    void armLimit(int limit);

    /**
     *
     * Destroys the SRQ.
     *
     * @throws IllegalStateException if queue pairs use it
     */
    @Override
    void close();
}
