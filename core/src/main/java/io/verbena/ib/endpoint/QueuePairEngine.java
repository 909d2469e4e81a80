package io.verbena.ib.endpoint;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketSource;
import io.verbena.ib.settings.RcSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionPath;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The transport engine of one queue pair of any service. Inputs are calls; packets and events are polled. */
public interface QueuePairEngine extends PacketSource {

    /** The service that the opcodes of its packets name. */
    Service service();

    /** Processes a packet that {@link Admission} has admitted. */
    void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs);

    /**
     * Whether requests that continue the one which {@link #onPacket} has processed last may be passed to
     * {@link #onRun}.
     *
     * @param origin of all of them
     * @param psn of the first of them
     */
    default boolean takesRun(Origin origin, int psn) {
        return false;
    }

    /**
     * Processes packets after {@link #takesRun}, as far as each is a request that succeeds: the effect is the same as
     * that of {@link #onPacket}. Returns their number; the others have had no effect.
     */
    default int onRun(PacketRun run) {
        return 0;
    }

    /** Whether {@link #fillTransmit} has work to do now. */
    boolean hasTransmitWork(long nowNs);

    /** The time at which {@link #onDeadline} is due, or {@link Times#NEVER}. */
    long nextDeadlineNs();

    /** Processes a deadline that has passed. {@link #hasTransmitWork} may be true afterwards. */
    void onDeadline(long nowNs);

    /** Whether work waits for memory, or for other engines that may use a key. {@link #resume} continues it. */
    boolean suspended();

    /** Retries work that waits for memory, other engines or a place in a CQ. */
    void resume();

    /**
     * Permits requests (RTS).
     *
     * @param settings the properties that affect sending on a reliable connection; the other services have none
     */
    void readyToSend(RcSettings settings);

    /**
     * Starts no further work (SQD), or continues. The event SEND_QUEUE_DRAINED reports that all started work is
     * complete.
     */
    void drain(boolean on);

    /** Whether failed work has stopped the send queue (SQE). On a reliable connection failed work ends the queue pair. */
    default boolean sendQueueFailed() {
        return false;
    }

    /** Recovers the send queue (SQE to RTS). Returns false while work remains that must complete in error first. */
    default boolean recoverSendQueue() {
        return true;
    }

    /** Sets the operations that peers may use on this queue pair, in addition to the rights of each region. */
    default void peerRights(Set<AccessRight> rights) {}

    /** Loads an alternate path, which is used when the current path fails and the peer has also loaded one. */
    default void loadAlternate(PacketPath alternate) {}

    /** Migrates to the alternate path. Returns false if none is armed. */
    default boolean migrate() {
        return false;
    }

    /** Whether requests are unanswered. */
    default boolean answersOwed() {
        return false;
    }

    /** Whether the peer answers a {@link #probe}. The peer of an unreliable service answers nothing. */
    default boolean answersProbes() {
        return false;
    }

    /** Whether a packet with these addresses may be from the peer of a connection. */
    default boolean knows(Origin origin) {
        return true;
    }

    /** Sends a packet that the peer answers without any effect. Nothing is outstanding. */
    default void probe() {}

    /** The system of the peer reports that no process has its port; if the peer is silent, it is lost. */
    default void portGone() {}

    /** Fails because the peer does not answer any more. */
    default void peerLost(String sentence) {
        abort(sentence);
    }

    /** Ends without a failure, since the queue pair is moved to RESET. No work is pending. */
    default void detach() {}

    /** Fails immediately, with a reason of the application. */
    void abort(String sentence);

    /** The next asynchronous event, if any. */
    Optional<AsyncEventType> pollEvent();

    /**
     * The reason why the queue pair is in error, if it is. Packets are then ignored; call {@link #flush} until it
     * returns true.
     */
    Optional<Failure> failure();

    /**
     * After a failure: completes the remaining work. The work that caused the failure completes with its status, all
     * other work is flushed.
     *
     * @return false when a CQ is full and the method must be called again
     */
    boolean flush();

    /** What a reliable connection knows about its path. Any thread: the numbers are read while the engine works. */
    default Optional<RequestFigures> figures() {
        return Optional.empty();
    }

    /** The paths of a connection that has several. Any thread: the numbers are read while the engine works. */
    default List<ConnectionPath> paths() {
        return List.of();
    }

    /** Digest of the complete state, for trace hashes and exploration. */
    long stateDigest();
}
