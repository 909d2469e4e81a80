package io.verbena.rnic.iwarp;

import io.verbena.iwarp.startup.PeerRequest;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftConnectionRequest;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.QueuePair;
import java.net.SocketAddress;
import java.util.Optional;

/** The MPA Request of a peer as seen by the application. */
final class IwarpConnectionRequest extends SoftConnectionRequest {

    private final HalfOpen peer;
    private final RnicContext context;
    private final PeerRequest request;

    IwarpConnectionRequest(
            HalfOpen peer,
            RnicContext context,
            PeerRequest request,
            SocketAddress localAddress,
            SocketAddress remoteAddress) {
        super(
                localAddress,
                remoteAddress,
                programData(CarriageHeader.rest(request.privateData().toArray())));
        this.peer = peer;
        this.context = context;
        this.request = request;
    }

    private static byte[] programData(byte[] privateData) {
        return SurvivalAgreement.of(privateData, 0).isPresent()
                ? SurvivalAgreement.programData(privateData)
                : privateData;
    }

    @Override
    public int inboundReads() {
        return request.depths().ird();
    }

    @Override
    public int outboundReads() {
        return request.depths().ord();
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        SoftQueuePair softQueuePair = SoftQueuePair.of(queuePair, context);
        StartUpOptions startUp = ConnectionSetUp.responder(options, softQueuePair.options(), context.options());
        SurvivalTerms survival = SurvivalTerms.of(
                options,
                Optional.empty(),
                SurvivalAgreement.of(CarriageHeader.rest(request.privateData().toArray()), 0),
                peer.survivors());
        SoftConnection connection = new SoftConnection(softQueuePair, remoteAddress(), true);
        connection.addresses(localAddress(), remoteAddress());
        connection.privateData(privateData());
        IwarpQueuePair endpoint = IwarpQueuePair.of(softQueuePair);
        decide();
        try {
            endpoint.claim(connection, ConnectionEvent.TAKE_OVER);
        } catch (RuntimeException e) {
            undecide();
            throw e;
        }
        ConnectionSetUp setUp = new ConnectionSetUp(endpoint, connection, startUp, options, survival);
        peer.engine().submit(() -> {
            try {
                peer.handOver(setUp);
            } catch (Throwable e) {
                endpoint.command(() -> endpoint.bug("accepting a peer's request", e));
            }
        });
        return connection;
    }

    @Override
    public void reject(byte[] privateData) {
        PrivateData reply = PrivateData.of(privateData);
        if (reply.length() > request.maxReplyPrivateDataLength()) {
            throw new IllegalArgumentException("the reply holds at most " + request.maxReplyPrivateDataLength()
                    + " bytes of private data, not " + reply.length());
        }
        peer.engine().checkCaller();
        decide();
        peer.engine().submit(() -> peer.turnAway(reply, peer.engine().nowNs()));
    }

    @Override
    protected PeerNetwork network() {
        return peer.network();
    }

    @Override
    protected void refuse(String reason) {
        peer.turnAway(Refusal.privateData(reason), peer.engine().nowNs());
    }
}
