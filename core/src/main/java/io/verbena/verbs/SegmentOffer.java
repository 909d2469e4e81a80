package io.verbena.verbs;

import java.time.Duration;
import java.util.List;

/**
 * An {@link AddressSegment} that other processes of this host can open with a token. The offer ends when it is closed, with
 * its segment, and with its process. In the processes that have opened the segment it is unmapped then, as if they had closed it
 * themselves. Any thread may call any method.
 */
public interface SegmentOffer extends AutoCloseable {

    /** What another process needs to open the segment, see {@link AddressSpace#open}. */
    SegmentToken token();

    /** The options of the offer. */
    SegmentOfferOptions options();

    /** The numbers of the processes that have the segment open through this offer, once for each opening. */
    List<Long> processes();

    /**
     * Ends the offer: the token becomes invalid, and every process that has opened the segment unmaps it.
     *
     * @param timeout maximum time to wait for these processes
     * @return whether no process has the segment any more; false if some do not respond, for example because they are
     *     stopped: {@link #processes} lists them. They can access the memory until they continue or end. It is never used for
     *     anything else in the meantime.
     */
    boolean revoke(Duration timeout);

    /** Ends the offer, and waits up to two seconds for the processes that have opened the segment. */
    @Override
    void close();
}
