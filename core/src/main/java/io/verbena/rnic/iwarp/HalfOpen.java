package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.startup.PeerRequest;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.ResponderOptions;
import io.verbena.iwarp.startup.ResponderStartUp;
import io.verbena.iwarp.startup.StartUpOutcome;
import io.verbena.port.ByteStream;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumeType;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.PeerNetwork;
import java.util.Optional;

/**
 * A peer that has connected to a listener, until the application has decided: the peer sends its request, waits, and is
 * handed to the engine of a queue pair or rejected. Every wait has a deadline.
 */
final class HalfOpen extends Endpoint {

    /** Larger than any start-up frame. */
    private static final int READ_BYTES = 2048;

    /** Maximum time for a rejected peer to close the stream, after it has taken the Reply. */
    private static final long LINGER_NS = 1_000_000_000L;

    /** The value of {@link #worth} for a peer whose request is queued. */
    static final int MAX_WORTH = 2;

    private final IwarpListener listener;
    private final RnicEngine engine;
    private final PeerNetwork network;
    private final Optional<String> refusal;

    /** Maximum time for a step of the set-up, also for a rejected peer to take the Reply. */
    private final long timeoutNs;

    private final ResponderStartUp startUp;
    private final ConnectionStream channel;
    private Optional<IwarpConnectionRequest> request = Optional.empty();
    private long lingerByNs = NEVER;
    private boolean replied;
    private boolean over;

    /**
     * A peer that has just connected.
     *
     * @param network the network of the peer
     * @param refusal the reason to reject any request of the peer, or empty
     */
    HalfOpen(
            IwarpListener listener,
            RnicEngine engine,
            ByteStream stream,
            long timeoutNs,
            PeerNetwork network,
            Optional<String> refusal) {
        this.listener = listener;
        this.engine = engine;
        this.network = network;
        this.refusal = refusal;
        this.timeoutNs = timeoutNs;
        startUp = new ResponderStartUp(ResponderOptions.withTimeoutNs(timeoutNs));
        startUp.start(engine.nowNs());
        channel = new ConnectionStream(engine, stream, this);
        engine.join(this);
        engine.ready(this);
    }

    @Override
    protected void service(long nowNs) {
        if (over) {
            return;
        }
        channel.send(startUp);
        while (!over && channel.readable()) {
            pull(nowNs);
        }
        if (!over && !channel.fault().isEmpty()) {
            end(true);
        }
        judge(nowNs);
        if (!over) {
            engine.deadline(this, Times.earlier(startUp.nextDeadlineNs(), lingerByNs));
        }
    }

    private void pull(long nowNs) {
        Slab slab = engine.receiveSlab();
        int count = channel.read(slab.range(0, READ_BYTES), slab.address());
        boolean lingering = lingerByNs != NEVER;
        if (count == ByteStream.END) {
            if (lingering) {
                end(false);
            } else {
                startUp.onEndOfStream();
                judge(nowNs);
            }
        } else if (count > 0 && !lingering) {
            startUp.onBytes(slab.segment(), 0, count, nowNs);
            judge(nowNs);
        }
    }

    private void judge(long nowNs) {
        if (over) {
            return;
        }
        switch (startUp.outcome()) {
            case StartUpOutcome.Pending() -> {}
            case StartUpOutcome.RequestArrived(PeerRequest arrived) -> onRequest(arrived, nowNs);
            case StartUpOutcome.Rejected(var _, var _) -> linger(nowNs);
            case StartUpOutcome.Failed(var _) -> end(true);
            case StartUpOutcome.Established(var _) ->
                throw new IllegalStateException("a request is accepted on the engine of its queue pair");
        }
    }

    private void onRequest(PeerRequest arrived, long nowNs) {
        if (request.isPresent()) {
            return;
        }
        Optional<String> why = refusal.or(() -> Optional.of(channel.refusal()).filter(it -> !it.isEmpty()));
        if (why.isPresent()) {
            turnAway(Refusal.privateData(why.get()), nowNs);
            return;
        }
        byte[] privateData = CarriageHeader.rest(arrived.privateData().toArray());
        if (Survivors.isResume(privateData)) {
            resume(privateData, nowNs);
            return;
        }
        IwarpConnectionRequest asked = new IwarpConnectionRequest(
                this, listener.context(), arrived, channel.localAddress(), channel.remoteAddress());
        request = Optional.of(asked);
        Optional<String> noPlace = listener.offer(asked);
        if (noPlace.isPresent()) {
            turnAway(Refusal.privateData(noPlace.get()), nowNs);
        }
    }

    /** The peer continues a connection, or asks whether it could: the program learns nothing of it. */
    private void resume(byte[] resume, long nowNs) {
        Optional<Survivors.Addressed> addressed = listener.survivors().find(resume);
        if (addressed.isEmpty()) {
            turnAway(PrivateData.of(ResumeCodec.unknown(resume)), nowNs);
            return;
        }
        Continuation survivor = addressed.get().survivor();
        ResumeMessage message = addressed.get().message();
        if (message.type() == ResumeType.PROBE) {
            turnAway(PrivateData.of(survivor.alive(message)), nowNs);
            return;
        }
        ByteStream stream = leave();
        onEngineOf(
                survivor.endpoint(),
                () -> survivor.onResume(
                        message, stream, startUp, survivor.endpoint().engine().nowNs()));
    }

    /** Detaches the stream, for another engine. */
    private ByteStream leave() {
        over = true;
        engine.leave(this);
        listener.forget(this);
        return channel.release();
    }

    /**
     * Waits for the peer to take the rejecting Reply, and then to close; TCP stays open (RFC 5044 section 7.1.2 [4]). A
     * peer that reads nothing has as much time as for its request: a slow network must not cost it the Reply.
     */
    private void linger(long nowNs) {
        if (lingerByNs == NEVER) {
            request.ifPresent(listener::withdraw);
            lingerByNs = Times.after(nowNs, timeoutNs);
        }
        if (!replied && channel.drained()) {
            replied = true;
            lingerByNs = Times.after(nowNs, LINGER_NS);
            channel.shutdownOutput();
        }
    }

    /** Sends a rejecting Reply, if the request is still undecided. */
    void turnAway(PrivateData privateData, long nowNs) {
        if (!over && startUp.outcome() instanceof StartUpOutcome.RequestArrived) {
            startUp.reject(privateData, nowNs);
            engine.ready(this);
        }
    }

    /** Ends the set-up when the listener is closed, unless the application has taken the request. */
    void listenerClosed(long nowNs) {
        if (over || lingerByNs != NEVER) {
            return;
        }
        if (request.isEmpty()) {
            end(true);
        } else if (!request.get().taken()) {
            turnAway(PrivateData.EMPTY, nowNs);
        }
    }

    /** Hands the connection to the engine of its queue pair after the application has accepted. */
    void handOver(ConnectionSetUp setUp) {
        if (over || !(startUp.outcome() instanceof StartUpOutcome.RequestArrived)) {
            onEngineOf(
                    setUp.queuePair(),
                    () -> setUp.failed(
                            Kind.FAILED,
                            "The request of the peer has ended: the peer closed the connection, or the request"
                                    + " timed out."));
            return;
        }
        ByteStream stream = leave();
        onEngineOf(setUp.queuePair(), () -> StartUpStage.responder(setUp, stream, startUp));
    }

    /** Runs a step that accesses the queue pair on the engine of the queue pair. */
    private void onEngineOf(QueuePairEndpoint queuePair, Runnable step) {
        if (queuePair.engine() == engine) {
            step.run();
        } else {
            queuePair.command(step);
        }
    }

    /** The connections that a peer may want to continue. */
    Survivors survivors() {
        return listener.survivors();
    }

    PeerNetwork network() {
        return network;
    }

    /** Priority of the peer when places are scarce: lowest if it was rejected, low if it has not sent a request. */
    int worth() {
        if (lingerByNs != NEVER) {
            return 0;
        }
        return request.isPresent() ? MAX_WORTH : 1;
    }

    /** Drops the peer because its place is needed for another one. */
    void displace() {
        end(true);
    }

    private void end(boolean abortive) {
        if (over) {
            return;
        }
        over = true;
        engine.leave(this);
        channel.close(abortive);
        request.ifPresent(listener::withdraw);
        listener.forget(this);
    }

    @Override
    protected void onDeadline(long nowNs) {
        if (Times.due(lingerByNs, nowNs)) {
            end(!replied);
        } else {
            startUp.onDeadline(nowNs);
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        end(true);
    }

    @Override
    protected long stateDigest() {
        return Digest.mix(Digest.mix(startUp.stateDigest(), lingerByNs + (replied ? 1 : 0)), channel.stateDigest());
    }

    RnicEngine engine() {
        return engine;
    }
}
