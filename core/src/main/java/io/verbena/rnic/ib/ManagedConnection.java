package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.PeerDeadline;
import io.verbena.base.Times;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmPort;
import io.verbena.ib.cm.CmReject;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.settings.RcSettings;
import io.verbena.port.Addresses;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.ib.terms.ConnectionTerms;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.wire.ib.IbOpcode.Service;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * The connection of a queue pair: exchanges messages of communication management with the peer, and moves the queue
 * pair accordingly. On the engine of the queue pair.
 */
final class ManagedConnection implements CmSession.Owner {

    private final InfinibandQueuePair queuePair;
    private final CmSession session;
    private final SoftConnection connection;
    private final ConnectionTerms terms;
    private final PeerDeadline deadline;

    /** Whether connection management has, or will have, the connection; signals of one that has ended are ignored. */
    private boolean known;

    /** This side has ended the connection, and the queue pair waits for the answer of the peer. */
    private boolean leaving;

    private Optional<QueuePairLink> link = Optional.empty();
    private Optional<PacketPath> proposed = Optional.empty();

    /** A connection that has been claimed for a queue pair. */
    ManagedConnection(InfinibandQueuePair queuePair, SoftConnection connection, ConnectionTerms terms) {
        this.queuePair = queuePair;
        this.connection = connection;
        this.terms = terms;
        session = new CmSession(queuePair, this);
        deadline = new PeerDeadline(
                terms.timeoutNs(), queuePair.context().environment().nowNs());
    }

    SoftConnection connection() {
        return connection;
    }

    /** The time until which the set-up is finished, or given up. */
    PeerDeadline deadline() {
        return deadline;
    }

    // Set-up.

    /** Sends the request. */
    void dial(InetSocketAddress local, InetSocketAddress remote) {
        if (!queuePair.begin(this)) {
            return;
        }
        connection.addresses(local, remote);
        request(local, remote);
    }

    private void request(InetSocketAddress local, InetSocketAddress remote) {
        PacketPath path = queuePair.port().path(remote, terms.trafficClass());
        CmOffer offer = terms.offer(CmListener.tcpService(remote.getPort()), terms.request(local, path));
        known = true;
        session.connect(offer, path);
    }

    /** No request can be sent, for the reason in the sentence. */
    void cannotDial(String sentence) {
        if (queuePair.begin(this)) {
            queuePair.setUpFailed(connection, Kind.FAILED, sentence);
        }
    }

    /** Accepts a request of the peer. */
    void accept(int request, CmOffer offer, PacketPath from) {
        if (!queuePair.begin(this)) {
            session.reject(request);
            return;
        }
        known = true;
        RcSettings agreed = terms.agreed(offer, from);
        PacketPath back = new PacketPath(from.addressHigh(), from.addressLow(), from.port(), terms.trafficClass());
        QueuePairLink queuePairLink = new QueuePairLink(agreed, ConnectionTerms.path(back, agreed));
        link = Optional.of(queuePairLink);
        queuePair.readyToReceive(queuePairLink);
        session.accept(request, terms.answer(offer));
    }

    @Override
    public void onWithdrawn() {
        if (setUpEnded()) {
            queuePair.setUpFailed(connection, Kind.FAILED, "The peer withdrew its request before it was accepted.");
        }
    }

    @Override
    public void onReplied(CmAnswer answer, long nowNs) {
        if (!known) {
            return;
        }
        connection.privateData(PaddedData.data(answer.privateData()));
        PacketPath path = queuePair.port().path((InetSocketAddress) connection.remoteAddress(), terms.trafficClass());
        RcSettings agreed = terms.agreed(answer, path);
        QueuePairLink queuePairLink = new QueuePairLink(agreed, ConnectionTerms.path(path, agreed));
        link = Optional.of(queuePairLink);
        queuePair.readyToReceive(queuePairLink);
        session.ready();
    }

    /**
     * A request has overtaken the last message of the set-up. The connection is established before the request is executed, because
     * the application can answer a message as soon as it is complete.
     */
    void requestCame(Origin origin) {
        Optional<QueuePairLink> from = link.filter(it -> known && origin.from(it.path()));
        if (from.isPresent()) {
            queuePair.established(from.get());
            session.dataCame();
        }
    }

    @Override
    public void onEstablished(long nowNs) {
        if (known) {
            link.ifPresent(queuePair::established);
        }
    }

    @Override
    public void onRejected(int reason, byte[] privateData) {
        if (!setUpEnded()) {
            return;
        }
        byte[] data = PaddedData.data(privateData);
        String where = AddressText.of(connection.remoteAddress());
        if (reason == CmReject.CONSUMER.code()) {
            connection.privateData(data);
            queuePair.rejected(connection, "The application at " + where + " rejected the connection.");
        } else if (reason == CmReject.NO_RESOURCES.code()) {
            queuePair.rejected(connection, "The RNIC at " + where + " rejected the connection" + because(data));
        } else if (reason == CmReject.INVALID_SERVICE_ID.code()) {
            queuePair.setUpFailed(connection, Kind.REFUSED, "Nothing listens at " + where + ".");
        } else if (CmReject.givenUp(reason)) {
            queuePair.setUpFailed(
                    connection,
                    Kind.FAILED,
                    "The connection was not established: the peer at " + where + " has given it up.");
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
    public void onSmallerMtu(int mtuCode) {
        if (known && queuePair.phase().settingUp() && terms.reduceMtu(mtuCode)) {
            request((InetSocketAddress) connection.localAddress(), (InetSocketAddress) connection.remoteAddress());
        } else {
            onRejected(CmReject.INVALID_MTU.code(), new byte[0]);
        }
    }

    @Override
    public void onTimedOut() {
        if (!setUpEnded()) {
            return;
        }
        queuePair.setUpFailed(
                connection,
                Kind.TIMED_OUT,
                "The peer at " + AddressText.of(connection.remoteAddress())
                        + " did not answer the messages of connection management.");
    }

    @Override
    public void onUnreachable() {
        if (!setUpEnded()) {
            return;
        }
        queuePair.setUpFailed(
                connection,
                Kind.REFUSED,
                "Nothing listens at " + AddressText.of(connection.remoteAddress())
                        + ": no RNIC has this IP address and UDP port.");
    }

    /** The deadline of the set-up has passed. */
    void expired() {
        queuePair.setUpFailed(
                connection,
                Kind.TIMED_OUT,
                "The connection to " + AddressText.of(connection.remoteAddress()) + " was not established within "
                        + Times.text(Duration.ofNanos(terms.timeoutNs())) + ".");
    }

    // Alternate paths.

    /** Proposes an alternate path to the peer. Returns the reason why that is not possible, or nothing. */
    String propose(InetAddress local, PacketPath to) {
        if (proposed.isPresent()) {
            return "the peer has not answered the last proposal of an alternate path; wait for its answer";
        }
        CmPort.Alternate alternate = new CmPort.Alternate(
                Addresses.high(local),
                Addresses.low(local),
                to.addressHigh(),
                to.addressLow(),
                queuePair.port().limits().ackTimeoutCode());
        proposed = Optional.of(to);
        session.propose(alternate);
        return "";
    }

    @Override
    public boolean loadsAlternate(PacketPath path) {
        // The peer chooses the address. If it named a third host, that host would receive what the peer requests, as
        // much as it likes.
        boolean ofPeer = link.filter(it -> queuePair.port().belongsToPeer(it.path(), path))
                .isPresent();
        InetAddress to = Addresses.address(path.addressHigh(), path.addressLow());
        return ofPeer && load(queuePair.port().path(new InetSocketAddress(to, 0), terms.trafficClass()));
    }

    /** Loads a path; false if the service or the state does not permit it. */
    private boolean load(PacketPath path) {
        Optional<ProtocolStage> stage = queuePair.stage().filter(it -> it.service() == Service.RC);
        boolean possible = stage.isPresent() && queuePair.phase().sends();
        if (possible) {
            stage.get().loadAlternate(path);
        }
        return possible;
    }

    @Override
    public void onAlternateAnswered(int status) {
        if (!known) {
            return;
        }
        Optional<PacketPath> path = proposed;
        proposed = Optional.empty();
        if (status == 0 && path.isPresent()) {
            load(path.get());
        } else {
            queuePair.report(
                    AsyncEventType.PATH_MIGRATION_FAILED,
                    status < 0
                            ? "The peer did not answer the proposal of an alternate path."
                            : "The peer refused the alternate path with status " + status + ".");
        }
    }

    // The end.

    /**
     * Connection management has the connection no more. Returns false if that has been reported already, or concerns a queue pair that
     * only waits for the end.
     */
    private boolean ended() {
        boolean first = known;
        known = false;
        if (first && leaving) {
            queuePair.peerLeft();
            return false;
        }
        return first;
    }

    /**
     * The set-up has ended at connection management; returns whether it has failed. A request of the peer may have established the
     * connection at the same time, if the queue pair belongs to another engine than the port. The peer has left it then.
     */
    private boolean setUpEnded() {
        if (!ended()) {
            return false;
        }
        boolean failed = queuePair.phase().settingUp();
        if (!failed) {
            queuePair.peerLeft();
        }
        return failed;
    }

    /** Tells the peer that the connection ends. The queue pair is notified when the peer has answered. */
    void leave() {
        if (known) {
            leaving = true;
            session.disconnect();
        } else {
            queuePair.peerLeft();
        }
    }

    /** Tells the peer, if it knows of the connection, that it has ended. Nothing is reported to the queue pair. */
    void end() {
        if (known) {
            known = false;
            session.end();
        }
    }

    @Override
    public void onDisconnected() {
        if (ended()) {
            queuePair.peerLeft();
        }
    }
}
