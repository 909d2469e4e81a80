package io.verbena.rnic;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Figures;
import io.verbena.work.OutlivingWork;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What carries the messages of one connection in packets: prepared before the sides have agreed on it, begun when they
 * have, and ended once.
 */
public interface PacketCarriage {

    /**
     * What the sides have agreed on.
     *
     * @param work outlives the carriage
     * @param inboundReads Reads and atomics of the peer that this side serves at a time
     * @param outboundReads those of this side that the peer serves
     * @param silenceNs maximum silence of the peer
     * @param notReadyRetries how often a message is repeated while the peer has no receive; empty: without a limit
     */
    record Terms(
            OutlivingWork work, int inboundReads, int outboundReads, long silenceNs, OptionalInt notReadyRetries) {}

    /**
     * Why packets carry the connection no more.
     *
     * @param ofTransport whether only the way to the peer has failed, so that something else can carry the connection
     * @param event to be raised, if a request of the peer was the cause
     */
    record End(boolean ofTransport, String sentence, Optional<AsyncEventType> event) {}

    /** What the peer must know, at most {@link #MOST_OFFER_BYTES}. */
    byte[] offer();

    /** Most bytes of an {@link #offer}. */
    int MOST_OFFER_BYTES = 32;

    /**
     * Begins to serve the queue pair. Requests are sent when a packet of the peer has shown that packets arrive.
     *
     * @param peer the offer of the peer, which may be hostile
     * @return false if the offer cannot be used
     */
    boolean begin(byte[] peer, Terms terms);

    /** Sends what is to be sent. */
    void service(long nowNs);

    /** When {@link #onDeadline} is due. */
    long nextDeadlineNs();

    /** Time has passed; {@link #service} follows. */
    void onDeadline(long nowNs);

    /** Limits the operations of the peer, whatever the regions allow. */
    void peerRights(Set<AccessRight> rights);

    /** Whether the peer owes answers. */
    boolean answersOwed();

    /** Why it has ended by itself; empty until then. */
    Optional<End> ended();

    /** The next event to be raised. */
    Optional<AsyncEventType> pollEvent();

    /**
     * Ends it: after that nothing of the peer is executed, and packets of the peer find nothing. Work is not flushed.
     */
    void end(String sentence);

    /** After the end: completes remaining work, the failed request with its status. Returns false if a CQ is full. */
    boolean flush();

    /** Adds what is known about the path to the peer. Any thread. */
    void describePath(Figures.Builder figures);

    /** A hash of the state. */
    long stateDigest();
}
