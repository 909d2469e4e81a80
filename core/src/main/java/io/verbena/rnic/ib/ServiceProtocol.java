package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.QueuePairEngine;
import io.verbena.ib.RcSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.ib.IbOpcode.Service;
import java.util.Set;

/** The protocol engine of a queue pair with what its transport service adds to {@link QueuePairEngine}. */
interface ServiceProtocol {

    /** The engine. */
    QueuePairEngine engine();

    /** The transport service, which packets name. */
    Service service();

    /** Requests may be sent from now on (RTS), with what the settings state about sending. */
    void readyToSend(RcSettings settings);

    /** Stops the send queue (SQD), or continues it. */
    void drain(boolean on);

    /** Limits the operations of the peer, whatever the regions allow. */
    void peerRights(Set<AccessRight> rights);

    /** Ends the protocol with an error of this side. */
    void abort(String sentence);

    /** Whether failed work has stopped the send queue (SQE). */
    default boolean sendQueueFailed() {
        return false;
    }

    /** Continues a send queue that failed work has stopped; false while work is left that must be flushed first. */
    default boolean recoverSendQueue() {
        return true;
    }

    /** Loads an alternate path. */
    default void loadAlternate(PacketPath path) {}

    /** Moves to the alternate path; false if none is armed. */
    default boolean migrate() {
        return false;
    }
}
