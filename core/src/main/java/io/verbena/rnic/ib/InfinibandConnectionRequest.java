package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmReject;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.TransportService;
import java.net.InetSocketAddress;

/** The REQ of a peer as seen by the application. */
final class InfinibandConnectionRequest extends UndecidedRequest implements CmParty {

    /** Private data in a REJ. */
    private static final int REJECT_BYTES = 148;

    private final int number;
    private final PacketPath from;
    private final CmOffer offer;

    InfinibandConnectionRequest(
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

    @Override
    public int inboundReads() {
        return offer.responderResources();
    }

    @Override
    public int outboundReads() {
        return offer.initiatorDepth();
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        SoftQueuePair mine = SoftQueuePair.of(queuePair, listener().context());
        TransportService service = ConnectionTerms.service(offer.transportService());
        if (mine.options().service() != service) {
            throw new IllegalArgumentException("the peer requests the service " + service + ", and the queue pair has "
                    + mine.options().service());
        }
        ConnectionTerms terms =
                new ConnectionTerms(mine, options, listener().port().limits(), ConnectionTerms.MOST_REPLY_BYTES);
        SoftConnection connection = new SoftConnection(mine, remoteAddress(), true);
        connection.addresses(localAddress(), remoteAddress());
        connection.privateData(privateData());
        InfinibandQueuePair endpoint = InfinibandQueuePair.of(mine);
        decide();
        try {
            endpoint.claim(connection, QueuePairEvent.ACCEPT);
        } catch (RuntimeException e) {
            undecide();
            throw e;
        }
        ManagedConnection managed = new ManagedConnection(endpoint, connection, terms);
        endpoint.command(() -> {
            listener().forget(this);
            managed.accept(number, offer, from);
        });
        return connection;
    }

    @Override
    public void reject(byte[] privateData) {
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
    protected void refuse(String reason) {
        listener().forget(this);
        reject(CmReject.NO_RESOURCES, text(reason, REJECT_BYTES));
    }

    // On the engine.

    private void reject(CmReject reason, byte[] field) {
        listener().port().management().reject(number, reason, field, listener().nowNs());
    }

    @Override
    public void onRejected(int reason, byte[] privateData) {
        gone();
    }

    @Override
    public void onTimedOut() {
        gone();
    }

    @Override
    public void onDisconnected() {
        gone();
    }

    /** The peer has withdrawn its request, or the application has not decided in time. */
    private void gone() {
        listener().forget(this);
        listener().withdraw(this);
    }
}
