package io.verbena.survival;

/**
 * The outstanding requests of one side of an association, as far as the exchange of RESUME and RESUMED needs them.
 * Requests are numbered from 1 on, in the order of posting.
 */
public interface ResumableRequests {

    /** Number of requests that are complete. */
    long completed();

    /** Whether this side can have sent what the peer claims to have executed, and the peer has each result. */
    boolean agreesWith(ResumePoint peer);

    /**
     * Continues over a new queue pair: completes what the peer has executed, and sends the rest again from the
     * beginning.
     *
     * @param peer agrees with these requests
     */
    void resume(ResumePoint peer);

    /** Changes whenever the state does. */
    long stateDigest();
}
