package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmOffer;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.ib.terms.ConnectionTerms;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.TransportService;
import java.net.InetSocketAddress;

/** The REQ of a peer for a connection as seen by the application. */
final class InfinibandConnectionRequest extends CmRequest {

    InfinibandConnectionRequest(
            InfinibandListener listener,
            int number,
            PacketPath from,
            CmOffer offer,
            InetSocketAddress remote,
            long deadlineNs) {
        super(listener, number, from, offer, remote, deadlineNs);
    }

    @Override
    public int inboundReads() {
        return offer().endpoint().responderResources();
    }

    @Override
    public int outboundReads() {
        return offer().endpoint().initiatorDepth();
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        SoftQueuePair softQueuePair = SoftQueuePair.of(queuePair, listener().context());
        TransportService service = ConnectionTerms.service(offer().transportService());
        if (softQueuePair.options().service() != service) {
            throw new IllegalArgumentException("the peer requests the service " + service + ", and the queue pair has "
                    + softQueuePair.options().service());
        }
        ConnectionTerms terms = new ConnectionTerms(
                softQueuePair, options, listener().port().limits(), ConnectionTerms.MOST_REPLY_BYTES);
        SoftConnection connection = new SoftConnection(softQueuePair, remoteAddress(), true);
        connection.addresses(localAddress(), remoteAddress());
        connection.privateData(privateData());
        InfinibandQueuePair endpoint = InfinibandQueuePair.of(softQueuePair);
        decide();
        try {
            endpoint.claim(connection, QueuePairEvent.ACCEPT);
        } catch (RuntimeException e) {
            undecide();
            throw e;
        }
        ManagedConnection managed = new ManagedConnection(endpoint, connection, terms);
        endpoint.command(() -> {
            listener().port().run(endpoint.engine(), () -> listener().forget(this));
            managed.accept(number(), offer(), from());
        });
        return connection;
    }
}
