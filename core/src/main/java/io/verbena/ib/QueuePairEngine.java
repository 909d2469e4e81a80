package io.verbena.ib;

import io.verbena.base.Times;
import io.verbena.verbs.AsyncEventType;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The transport engine of one queue pair, whatever its service: calls come in, packets and events are fetched. */
public interface QueuePairEngine {

    /** A packet that {@link Admission} has let in. */
    void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs);

    /** Whether {@link #fillTransmit} has something to do now. */
    boolean hasTransmitWork(long nowNs);

    /** Builds packets until {@code byteBudget} is reached, the list is full or nothing is left. */
    void fillTransmit(PacketBuilder out, int byteBudget, long nowNs);

    /** When {@link #onDeadline} wants to be called, {@link Times#NEVER} for never. */
    long nextDeadlineNs();

    /** A deadline has passed: {@link #hasTransmitWork} may be true now. */
    void onDeadline(long nowNs);

    /** Whether memory is awaited. */
    boolean suspended();

    /** Memory may be there now. */
    void resume();

    /** The next asynchronous event; empty when there is none. */
    Optional<AsyncEventType> pollEvent();

    /** Why the queue pair is in error, once it is. From then on packets are ignored; call {@link #flush} until it is true. */
    Optional<Failure> failure();

    /**
     * After a failure: completes all work that is left, the culprit with its status and the rest flushed.
     *
     * @return false when a CQ is full and it must be called again
     */
    boolean flush();

    /** Digest of all state, for trace hashes and exploration. */
    long stateDigest();
}
