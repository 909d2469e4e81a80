package io.verbena.rnic;

import io.verbena.notify.SerialRunner;
import io.verbena.objects.ConnectionObject;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.Termination;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.TransportType;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

/** A connection, whose state the endpoint of its queue pair changes. */
public final class SoftConnection extends ConnectionObject {

    private static final long CLOSE_NS = 1_000_000_000L;

    private final SoftQueuePair queuePair;
    private final boolean accepted;
    private volatile Runnable beforeDecision = () -> {};
    private volatile String ending = "";
    private volatile Optional<ReturnedStream> returned = Optional.empty();
    private volatile Optional<Termination> termination = Optional.empty();
    private volatile boolean peerExited;
    private volatile TransportType transport;

    /** A connection initiated by this side. */
    public SoftConnection(SoftQueuePair queuePair, SocketAddress remoteAddress) {
        this(queuePair, remoteAddress, false);
    }

    /**
     * A connection.
     *
     * @param accepted whether it was requested by a peer and is being accepted
     */
    public SoftConnection(SoftQueuePair queuePair, SocketAddress remoteAddress, boolean accepted) {
        super(queuePair, remoteAddress, queuePair.rnicContext().waits().newPoint());
        this.accepted = accepted;
        this.queuePair = queuePair;
        this.transport = queuePair.rnicContext().limits().type();
    }

    @Override
    protected boolean rnicEnded() {
        return queuePair.rnicContext().waits().ended();
    }

    @Override
    protected SerialRunner newRunner() {
        return new SerialRunner(queuePair.rnicContext().environment().listenerProcessor());
    }

    @Override
    public TransportType transport() {
        return transport;
    }

    /** Sets what carries the connection. */
    public void transport(TransportType value) {
        transport = value;
    }

    @Override
    public Optional<Termination> termination() {
        return termination;
    }

    @Override
    public Optional<ReturnedStream> returnedStream() {
        return returned;
    }

    @Override
    public boolean peerExited() {
        return peerExited;
    }

    @Override
    public void resetIfKilled(boolean reset) {
        if (!state().ended()) {
            queuePair.endpoint().command(() -> queuePair.endpoint().resetIfKilled(this, reset));
        }
    }

    /** Whether it was requested by a peer and accepted by the application. */
    public boolean accepted() {
        return accepted;
    }

    @Override
    public void disconnect() {
        if (!state().ended()) {
            queuePair.endpoint().command(() -> queuePair.endpoint().disconnect(this));
        }
    }

    @Override
    public List<ConnectionPath> paths() {
        return queuePair.endpoint().paths(this);
    }

    @Override
    public boolean survives() {
        return queuePair.endpoint().transportChanges(this).isPresent();
    }

    @Override
    public TransportChanges transportChanges() {
        return queuePair.endpoint().transportChanges(this).orElse(TransportChanges.NONE);
    }

    @Override
    public void migrate() {
        if (!survives()) {
            super.migrate();
        }
        queuePair.endpoint().command(() -> queuePair.endpoint().migrate(this));
    }

    @Override
    public void proposeAlternatePath(AddressHandleAttributes path) {
        queuePair.endpoint().proposeAlternatePath(this, path);
    }

    @Override
    public void close() {
        disconnect();
        if (queuePair.rnicContext().await(changed(), () -> state().ended(), CLOSE_NS)) {
            return;
        }
        queuePair
                .endpoint()
                .command(() -> queuePair.endpoint().abort(this, "The application closed the connection at once."));
        queuePair.rnicContext().await(changed(), () -> state().ended(), CLOSE_NS);
    }

    // Called by the endpoint.

    /** Sets a step to run before the connection is shown as established or failed. The step must be idempotent. */
    public void beforeDecision(Runnable step) {
        beforeDecision = step;
    }

    /** Records how the protocol ended the connection. */
    public void termination(Termination recorded) {
        termination = Optional.of(recorded);
    }

    /** Records that the connection ends because the process of the peer has ended in order. Before its work is flushed. */
    public void onPeerExited() {
        peerExited = true;
    }

    /** Records that the stream has been returned to the application. */
    public void returned(ReturnedStream stream) {
        returned = Optional.of(stream);
    }

    /** The reason why it ended or is ending. */
    String endReason() {
        String why = ending;
        return reason().isEmpty() ? why : reason();
    }

    /**
     * Reports a new state. A final state does not change again.
     *
     * @param sentence the reason for the end, or empty
     */
    public void moved(ConnectionState newState, String sentence) {
        if (newState != ConnectionState.CONNECTING && newState != ConnectionState.REJECTED) {
            beforeDecision.run();
        }
        if (newState == ConnectionState.CLOSING && !sentence.isEmpty() && !state().ended()) {
            ending = sentence;
        }
        if (move(newState, sentence)) {
            queuePair.rnicContext().changed();
        }
    }
}
