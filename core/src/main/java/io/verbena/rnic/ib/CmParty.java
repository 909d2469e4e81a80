package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmReject;
import java.util.function.Consumer;

/** Receives the signals of communication management about one connection, on the engine of the port. */
interface CmParty {

    /** The peer accepts. */
    default void onReplied(CmAnswer answer, long nowNs) {}

    /** Both sides are ready. */
    default void onEstablished(long nowNs) {}

    /**
     * The peer rejects the connection. It has ended.
     *
     * @param reason number of the reason on the wire
     * @param privateData private data of the message
     */
    void onRejected(int reason, byte[] privateData);

    /**
     * The peer rejects the connection because its path MTU is smaller. The connection has ended.
     *
     * @param mtuCode the largest path MTU that the peer accepts
     */
    default void onSmallerMtu(int mtuCode) {
        onRejected(CmReject.INVALID_MTU.code(), new byte[0]);
    }

    /** The peer does not answer, or has withdrawn its request. The connection has ended. */
    void onTimedOut();

    /**
     * The peer proposes an alternate path.
     *
     * @param answer receives whether it is loaded, on the engine of the port
     */
    default void onAlternateProposed(PacketPath path, Consumer<Boolean> answer) {
        answer.accept(false);
    }

    /** The peer has answered the proposal of an alternate path: 0 if it has loaded the path, -1 without an answer. */
    default void onAlternateAnswered(int status) {}

    /** There is no port at the address of the peer. The connection has ended. */
    default void onUnreachable() {
        onTimedOut();
    }

    /** The connection has ended: the peer has closed it, or has answered that this side did. */
    void onDisconnected();
}
