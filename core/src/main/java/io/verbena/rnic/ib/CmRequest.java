package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmReject;
import io.verbena.rnic.ib.terms.PaddedData;
import java.net.InetSocketAddress;

/** The REQ of a peer that the application has not accepted: for a connection, or for an end-to-end context. */
abstract class CmRequest extends UndecidedRequest implements CmParty {

    /** Private data in a REJ. */
    private static final int REJECT_BYTES = 148;

    private final int number;
    private final PacketPath from;
    private final CmOffer offer;

    CmRequest(
            InfinibandListener listener,
            int number,
            PacketPath from,
            CmOffer offer,
            InetSocketAddress remote,
            long deadlineNs) {
        super(listener, remote, offer.privateData(), deadlineNs);
        this.number = number;
        this.from = from;
        this.offer = offer;
    }

    /** Number of the request. */
    final int number() {
        return number;
    }

    /** The way to the peer. */
    final PacketPath from() {
        return from;
    }

    final CmOffer offer() {
        return offer;
    }

    @Override
    public final void reject(byte[] privateData) {
        if (privateData.length > REJECT_BYTES) {
            throw new IllegalArgumentException(
                    "a rejection holds at most " + REJECT_BYTES + " bytes of private data, not " + privateData.length);
        }
        byte[] field = PaddedData.pad(privateData, REJECT_BYTES, PaddedData.NONE);
        listener().checkCaller();
        decide();
        decided(() -> reject(CmReject.CONSUMER, field));
    }

    @Override
    protected final void refuse(String reason) {
        listener().forget(this);
        reject(CmReject.NO_RESOURCES, text(reason, REJECT_BYTES));
    }

    // On the engine.

    private void reject(CmReject reason, byte[] field) {
        listener().port().management().reject(number, reason, field, listener().nowNs());
    }

    @Override
    public final void onRejected(int reason, byte[] privateData) {
        gone();
    }

    @Override
    public final void onTimedOut() {
        gone();
    }

    @Override
    public final void onDisconnected() {
        gone();
    }

    /** The peer has withdrawn its request, or the application has not decided in time. */
    private void gone() {
        listener().forget(this);
        listener().withdraw(this);
    }
}
