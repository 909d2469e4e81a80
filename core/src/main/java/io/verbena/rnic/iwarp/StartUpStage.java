package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.iwarp.frame.TerminateFrame;
import io.verbena.iwarp.startup.InitiatorStartUp;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.PeerRequest;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.ResponderOptions;
import io.verbena.iwarp.startup.ResponderStartUp;
import io.verbena.iwarp.startup.ResponderTable;
import io.verbena.iwarp.startup.StartUp;
import io.verbena.iwarp.startup.StartUpFailure;
import io.verbena.iwarp.startup.StartUpFault;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.iwarp.startup.StartUpOutcome;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarriage;
import io.verbena.survival.CarriageHeader;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeType;
import io.verbena.survival.SurvivalAgreement;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.TransportType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * The second stage of a connection: start-up frames are exchanged (RFC 5044 section 7.1, RFC 6581). A responder enters
 * it when its application has accepted; before that it is a {@link HalfOpen}.
 */
final class StartUpStage extends SetUpStage {

    /** Size of a read. Bytes that follow a Reply in the same read are FPDUs and are passed on. */
    private static final int READ_BYTES = 16 * 1024;

    private final StartUp startUp;
    private final ConnectionStream channel;
    private final Optional<Conversion> conversion;

    /** What is to carry the messages, if the peer agrees. */
    private final Optional<PacketCarriage> packets;

    private boolean early;
    private boolean asked;
    private boolean over;

    private StartUpStage(
            ConnectionSetUp setUp,
            ByteStream stream,
            StartUp startUp,
            Optional<Conversion> conversion,
            Optional<PacketCarriage> packets) {
        super(setUp);
        this.packets = packets;
        this.startUp = startUp;
        this.conversion = conversion;
        this.early = conversion.isPresent() && conversion.get().alreadyRead().length > 0;
        this.channel = new ConnectionStream(engine(), stream, queuePair());
    }

    /** Starts the side that connected. */
    static void initiator(ConnectionSetUp setUp, ByteStream stream) {
        if (setUp.abandoned(stream)) {
            return;
        }
        Optional<PacketCarriage> packets = packets(setUp, stream, true);
        ConnectionSetUp contributing = contributing(setUp, packets);
        InitiatorStartUp startUp = new InitiatorStartUp(contributing.options());
        startUp.start(setUp.engine().nowNs());
        begin(contributing, stream, startUp, Optional.empty(), packets);
    }

    /** Starts the side that was connected to, after its application has accepted. */
    static void responder(ConnectionSetUp setUp, ByteStream stream, ResponderStartUp startUp) {
        if (setUp.abandoned(stream)) {
            return;
        }
        boolean asked = startUp.outcome() instanceof StartUpOutcome.RequestArrived(PeerRequest request)
                && CarriageHeader.offer(request.privateData().toArray()).isPresent();
        Optional<PacketCarriage> packets = packets(setUp, stream, asked);
        ConnectionSetUp contributing = contributing(setUp, packets);
        startUp.accept(contributing.options(), setUp.engine().nowNs());
        begin(contributing, stream, startUp, Optional.empty(), packets);
    }

    /** A stream through memory needs no packets. */
    private static Optional<PacketCarriage> packets(ConnectionSetUp setUp, ByteStream stream, boolean asked) {
        return setUp.survival().packets(setUp.queuePair(), asked && !stream.throughMemory(), stream.localAddress());
    }

    private static ConnectionSetUp contributing(ConnectionSetUp setUp, Optional<PacketCarriage> packets) {
        ConnectionSetUp contributing = setUp.contributing();
        return packets.map(contributing::offering).orElse(contributing);
    }

    /** Starts the conversion of a stream that the application has used until now. */
    static void conversion(ConnectionSetUp setUp, ByteStream stream, Conversion conversion) {
        long nowNs = setUp.engine().nowNs();
        StartUp startUp;
        ConnectionSetUp contributing = conversion.initiator() ? setUp.contributing() : setUp;
        if (conversion.initiator()) {
            InitiatorStartUp initiator = new InitiatorStartUp(contributing.options());
            initiator.start(conversion.lastStreamMessage(), nowNs);
            startUp = initiator;
        } else {
            ResponderStartUp responder = new ResponderStartUp(
                    ResponderOptions.withTimeoutNs(setUp.options().timeoutNs()));
            // RFC 5044 section 7.1.5: MPA is enabled before the last streaming message is sent, so that a fast
            // initiator cannot be too early.
            responder.start(conversion.lastStreamMessage(), nowNs);
            startUp = responder;
        }
        begin(contributing, stream, startUp, Optional.of(conversion), Optional.empty());
    }

    /** The stream has no owner until the stage is the current one: after an error it is closed here. */
    private static void begin(
            ConnectionSetUp setUp,
            ByteStream stream,
            StartUp startUp,
            Optional<Conversion> conversion,
            Optional<PacketCarriage> packets) {
        StartUpStage stage;
        try {
            stage = new StartUpStage(setUp, stream, startUp, conversion, packets);
        } catch (Throwable e) {
            packets.ifPresent(it -> it.end("The set-up has failed."));
            stream.close(true);
            throw e;
        }
        setUp.queuePair().begin(stage);
        stage.showCarrier(stream.throughMemory() ? TransportType.SHARED_MEMORY : TransportType.IWARP);
        stage.ready();
    }

    private void showCarrier(TransportType carrier) {
        if (!setUp().resumes() || over) {
            setUp().connection().addresses(channel.localAddress(), channel.remoteAddress());
            setUp().connection().transport(carrier);
        }
    }

    @Override
    void service(long nowNs) {
        if (over) {
            return;
        }
        channel.send(startUp);
        takeEarly(nowNs);
        judge(engine().noSlab(), 0, 0, nowNs);
        while (!over && channel.drained() && channel.readable()) {
            pull(nowNs);
        }
        if (!over && !channel.fault().isEmpty()) {
            giveUp(Kind.FAILED, "The connection was not established. " + channel.fault());
        }
        if (!over) {
            deadline(setUp().deadline().nextNs());
        }
    }

    /** Processes the bytes that the application had already read, before all others. */
    private void takeEarly(long nowNs) {
        if (!early || !channel.drained()) {
            return;
        }
        early = false;
        byte[] bytes = conversion.orElseThrow().alreadyRead();
        Slab slab = engine().receiveSlab();
        slab.segment().asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
        int taken = startUp.onBytes(slab.segment(), 0, bytes.length, nowNs);
        judge(slab, taken, bytes.length, nowNs);
    }

    private void pull(long nowNs) {
        Slab slab = engine().receiveSlab();
        int count = channel.read(slab.range(0, READ_BYTES), slab.address());
        if (count == ByteStream.END) {
            startUp.onEndOfStream();
            judge(slab, 0, 0, nowNs);
        } else if (count > 0) {
            int taken = startUp.onBytes(slab.segment(), 0, count, nowNs);
            judge(slab, taken, count, nowNs);
        }
    }

    /** Acts on the outcome of the start-up. Bytes {@code from} to {@code to} of the slab follow the start-up frame. */
    private void judge(Slab slab, int from, int to, long nowNs) {
        switch (startUp.outcome()) {
            case StartUpOutcome.Pending() -> {}
            case StartUpOutcome.RequestArrived(PeerRequest request) -> decide(request);
            case StartUpOutcome.Established(Negotiated negotiated) -> {
                // The Reply of a responder must be sent before anything else.
                if (channel.drained()) {
                    establish(negotiated, slab, from, to, nowNs);
                }
            }
            case StartUpOutcome.Rejected(var privateData, var _) -> {
                if (!channel.drained()) {
                    return;
                }
                if (setUp().survival() instanceof SurvivalTerms.Resuming(Continuation survivor)) {
                    leave(false);
                    survivor.onRejected(privateData.toArray(), nowNs);
                    return;
                }
                leaveRejected(slab, from, to);
                Optional<String> refusal = Refusal.sentence(privateData);
                setUp().connection().privateData(refusal.isPresent() ? new byte[0] : privateData.toArray());
                queuePair()
                        .rejected(
                                setUp().connection(),
                                rejection(setUp().connection().remoteAddress(), refusal));
            }
            case StartUpOutcome.Failed(var failure) -> {
                boolean terminated = sendTerminate(failure);
                giveUp(
                        failure.fault() == StartUpFault.TIMED_OUT ? Kind.TIMED_OUT : Kind.FAILED,
                        "The connection could not be set up: " + failure.sentence() + ".",
                        !terminated);
            }
        }
    }

    /** Asks the filter of a conversion's responder for its decision, which arrives later. */
    private void decide(PeerRequest request) {
        if (asked || conversion.isEmpty() || !(startUp instanceof ResponderStartUp responder)) {
            return;
        }
        asked = true;
        byte[] peerData = request.privateData().toArray();
        if (Survivors.isResume(peerData)) {
            resume(responder, peerData);
            return;
        }
        byte[] privateData =
                SurvivalAgreement.of(peerData, 0).isPresent() ? SurvivalAgreement.programData(peerData) : peerData;
        setUp(setUp().requested(peerData));
        conversion
                .get()
                .ask(privateData, rejection -> queuePair().command(() -> decided(responder, privateData, rejection)));
    }

    /** The peer continues another connection, or asks whether it could: the application learns nothing of it. */
    private void resume(ResponderStartUp responder, byte[] peerData) {
        Optional<Survivors.Addressed> addressed = queuePair().survivors().find(peerData);
        over = true;
        queuePair().end(this);
        if (addressed.isPresent() && addressed.get().message().type() == ResumeType.RESUME) {
            ByteStream stream = channel.release();
            Continuation survivor = addressed.get().survivor();
            survivor.endpoint()
                    .command(() -> survivor.onResume(
                            addressed.get().message(),
                            stream,
                            responder,
                            survivor.endpoint().engine().nowNs()));
        } else {
            byte[] answer = addressed
                    .map(it -> it.survivor().alive(it.message()))
                    .orElseGet(() -> ResumeCodec.unknown(peerData));
            responder.reject(PrivateData.of(answer), engine().nowNs());
            channel.send(responder);
            channel.close(false);
        }
        setUp().failed(Kind.FAILED, "The peer does not ask for a connection, but continues another one.");
    }

    private void decided(ResponderStartUp responder, byte[] privateData, Optional<PrivateData> rejection) {
        if (over || responder.state() != ResponderTable.State.DECIDING) {
            return;
        }
        if (rejection.isPresent()) {
            responder.reject(rejection.get(), engine().nowNs());
        } else {
            setUp().connection().privateData(privateData);
            setUp(setUp().contributing());
            responder.accept(setUp().options(), engine().nowNs());
        }
        ready();
    }

    /** RFC 5044 section 7.1.2 [4, 7]: MPA has ended and TCP stays open. A stream that was taken over is returned. */
    private void leaveRejected(Slab slab, int from, int to) {
        if (conversion.isEmpty()) {
            leave(false);
            return;
        }
        byte[] following = slab.segment().asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
        over = true;
        queuePair().end(this);
        conversion.get().giveBack(setUp(), channel.release(), following);
    }

    /**
     * The reason of a rejection. A peer may reject on behalf of its application, or because it does not support an
     * option.
     */
    private String rejection(SocketAddress peer, Optional<String> refusal) {
        if (startUp instanceof ResponderStartUp) {
            return "This side rejected the request of the peer; the stream remains in streaming mode.";
        }
        String who = "The peer at " + AddressText.of(peer);
        if (refusal.isPresent()) {
            return who + " rejected the connection: " + refusal.get() + ".";
        }
        String asked = askedFor();
        return asked.isEmpty()
                ? who + " rejected the connection: its application did not accept the request."
                : who
                        + " rejected the connection: either its application rejected it, or it does not support the"
                        + " requested "
                        + asked + ".";
    }

    private String askedFor() {
        StartUpOptions options = setUp().options();
        if (options.wantsMarkersReceived()) {
            return options.wantsCrc() ? "markers and CRCs" : "markers";
        }
        return options.wantsCrc() ? "CRCs" : "";
    }

    /** Answers an unacceptable Reply with a Terminate message; returns true if it was sent. */
    private boolean sendTerminate(StartUpFailure failure) {
        if (failure.terminate().isEmpty() || failure.framing().isEmpty() || !channel.drained()) {
            return false;
        }
        Slab slab = channel.newTail(TerminateFrame.MAX_BYTES);
        channel.sendTail(TerminateFrame.write(
                failure.framing().get(), failure.terminate().get(), slab));
        return channel.drained();
    }

    private void establish(Negotiated negotiated, Slab slab, int from, int to, long nowNs) {
        byte[] privateData = negotiated.peer().privateData().toArray();
        byte[] peerData = CarriageHeader.rest(privateData);
        if (setUp().survival() instanceof SurvivalTerms.Resuming(Continuation survivor)
                && !survivor.onAccepted(peerData, nowNs)) {
            return;
        }
        channel.settle();
        Optional<Continuation> survivor = Survivor.of(setUp(), peerData);
        Optional<byte[]> offer = CarriageHeader.offer(privateData);
        if (packets.isPresent() && offer.isPresent() && survivor.isPresent()) {
            PacketStage next = new PacketStage(queuePair(), channel, packets.get(), survivor.get());
            over = true;
            showCarrier(TransportType.ROCE_V2);
            setUp().established(negotiated, survivor);
            long silenceNs = survivor.get().silenceNs(setUp().silenceNs(true));
            PacketCarriage.Terms terms = new PacketCarriage.Terms(
                    survivor.get().work(),
                    negotiated.ird(),
                    negotiated.ord(),
                    silenceNs,
                    setUp().requested().receiverNotReadyRetries());
            next.start(negotiated, terms, offer.get(), slab, from, to, nowNs);
            return;
        }
        packets.ifPresent(it -> it.end("The peer does not agree to packets."));
        // After an error this stage is still the current one and closes the stream.
        RdmaStage next = new RdmaStage(setUp(), channel, negotiated, survivor);
        over = true;
        showCarrier(channel.throughMemory() ? TransportType.SHARED_MEMORY : TransportType.IWARP);
        setUp().established(negotiated, survivor);
        next.start(negotiated, slab, from, to, nowNs);
    }

    @Override
    void giveUp(Kind kind, String sentence) {
        giveUp(kind, sentence, kind != Kind.REJECTED);
    }

    private void giveUp(Kind kind, String sentence, boolean abortive) {
        if (!over) {
            leave(abortive);
            setUp().failed(kind, sentence);
        }
    }

    @Override
    void fence(String sentence) {
        if (!over) {
            leave(true);
        }
    }

    private void leave(boolean abortive) {
        over = true;
        packets.ifPresent(it -> it.end("The connection was not set up."));
        queuePair().end(this);
        channel.close(abortive);
    }

    @Override
    void onDeadline(long nowNs) {
        if (!setUp().deadline().passed(nowNs)) {
            deadline(setUp().deadline().nextNs());
            return;
        }
        // The time-out of the start-up is the same, and names what is missing.
        startUp.onDeadline(nowNs);
        judge(engine().noSlab(), 0, 0, nowNs);
        giveUp(Kind.TIMED_OUT, "The connection was not established within " + setUp().timeout() + ".");
    }

    @Override
    long stateDigest() {
        return Digest.mix(Digest.mix(startUp.stateDigest(), channel.stateDigest()), Digest.flags(early, asked, over));
    }
}
