package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.RcSettings;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmReject;
import io.verbena.port.Addresses;
import io.verbena.rnic.SoftConnection;
import io.verbena.verbs.ConnectionException.Kind;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The connection of a queue pair: exchanges messages of communication management with the peer, and moves the queue
 * pair accordingly. On the engine.
 */
final class ManagedConnection implements CmParty {

    private static final int NO_NUMBER = 0;

    private final InfinibandQueuePair queuePair;
    private final ManagementQueuePair management;
    private final SoftConnection connection;
    private final ConnectionTerms terms;
    private final long deadlineNs;
    private int number = NO_NUMBER;
    private Optional<QueuePairLink> link = Optional.empty();

    /** A connection that has been claimed for a queue pair. */
    ManagedConnection(InfinibandQueuePair queuePair, SoftConnection connection, ConnectionTerms terms) {
        this.queuePair = queuePair;
        this.connection = connection;
        this.terms = terms;
        management = queuePair.port().management();
        deadlineNs = Times.after(queuePair.context().environment().nowNs(), terms.timeoutNs());
    }

    SoftConnection connection() {
        return connection;
    }

    /** The time at which the set-up is given up. */
    long deadlineNs() {
        return deadlineNs;
    }

    // Set-up.

    /** Sends the request. */
    void dial(InetSocketAddress local, InetSocketAddress remote) {
        if (!queuePair.begin(this)) {
            return;
        }
        connection.addresses(local, remote);
        PacketPath path = queuePair.port().path(remote, terms.trafficClass());
        CmOffer offer = terms.offer(
                CmListener.tcpService(remote.getPort()),
                RequestData.of(local, path, terms.privateData(), terms.offers()));
        number = management.connect(offer, path, this, queuePair.engine().nowNs());
    }

    /** Accepts a request of the peer. */
    void accept(int request, CmOffer offer, PacketPath from) {
        if (!queuePair.begin(this)) {
            management.reject(request, CmReject.CONSUMER, new byte[0], now());
            return;
        }
        number = request;
        RcSettings agreed = terms.agreed(offer);
        PacketPath back = new PacketPath(from.addressHigh(), from.addressLow(), from.port(), terms.trafficClass());
        QueuePairLink made = new QueuePairLink(agreed, ConnectionTerms.path(back, agreed));
        link = Optional.of(made);
        queuePair.readyToReceive(made);
        if (!management.accept(request, terms.answer(offer), this, now())) {
            number = NO_NUMBER;
            queuePair.setUpFailed(connection, Kind.FAILED, "The peer withdrew its request before it was accepted.");
        }
    }

    @Override
    public void onReplied(CmAnswer answer, long nowNs) {
        connection.privateData(PaddedData.data(answer.privateData()));
        PacketPath path = queuePair.port().path((InetSocketAddress) connection.remoteAddress(), terms.trafficClass());
        RcSettings agreed = terms.agreed(answer);
        QueuePairLink made = new QueuePairLink(agreed, ConnectionTerms.path(path, agreed));
        link = Optional.of(made);
        queuePair.readyToReceive(made);
        management.ready(number, nowNs);
    }

    /** The queue pair has received a packet of the peer before the last message of the set-up. */
    void dataCame(long nowNs) {
        management.dataCame(number, nowNs);
    }

    @Override
    public void onEstablished(long nowNs) {
        link.ifPresent(queuePair::established);
    }

    @Override
    public void onRejected(int reason, byte[] privateData) {
        number = NO_NUMBER;
        byte[] data = PaddedData.data(privateData);
        String where = Addresses.text(connection.remoteAddress());
        if (reason == CmReject.CONSUMER.code()) {
            connection.privateData(data);
            queuePair.rejected(connection, "The application at " + where + " rejected the connection.");
        } else if (reason == CmReject.NO_RESOURCES.code()) {
            queuePair.rejected(connection, "The RNIC at " + where + " rejected the connection" + because(data));
        } else if (reason == CmReject.INVALID_SERVICE_ID.code()) {
            queuePair.setUpFailed(connection, Kind.REFUSED, "Nothing listens at " + where + ".");
        } else {
            queuePair.setUpFailed(
                    connection,
                    Kind.FAILED,
                    "The RNIC at " + where + " refused the connection with reason " + reason
                            + " of connection management.");
        }
    }

    /** The reason that another Verbena states as text. */
    private static String because(byte[] text) {
        boolean printable = text.length > 0;
        for (byte each : text) {
            printable &= each >= ' ' && each <= '~';
        }
        return printable ? ": " + new String(text, StandardCharsets.US_ASCII) + "." : ".";
    }

    @Override
    public void onTimedOut() {
        number = NO_NUMBER;
        queuePair.setUpFailed(
                connection,
                Kind.TIMED_OUT,
                "The peer at " + Addresses.text(connection.remoteAddress())
                        + " did not answer the messages of connection management.");
    }

    @Override
    public void onUnreachable() {
        number = NO_NUMBER;
        queuePair.setUpFailed(
                connection,
                Kind.REFUSED,
                "Nothing listens at " + Addresses.text(connection.remoteAddress())
                        + ": no RNIC has this IP address and UDP port.");
    }

    /** The deadline of the set-up has passed. */
    void expired() {
        queuePair.setUpFailed(
                connection,
                Kind.TIMED_OUT,
                "The connection to " + Addresses.text(connection.remoteAddress()) + " was not established in time.");
    }

    // The end.

    /** Tells the peer that the connection ends. The queue pair is notified when the peer has answered. */
    void leave() {
        if (number == NO_NUMBER) {
            queuePair.peerLeft();
        } else {
            management.disconnect(number, now());
        }
    }

    /** Tells the peer, if it knows of the connection, that it has ended. Nothing is reported to the queue pair. */
    void end() {
        if (number != NO_NUMBER) {
            management.forget(number);
            management.disconnect(number, now());
            number = NO_NUMBER;
        }
    }

    @Override
    public void onDisconnected() {
        number = NO_NUMBER;
        queuePair.peerLeft();
    }

    private long now() {
        return queuePair.engine().nowNs();
    }
}
