package io.verbena.tcp.connection;

import io.verbena.base.StateMachine;
import io.verbena.base.Times;
import io.verbena.port.CarrierFigures;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.receive.AckTiming;
import io.verbena.tcp.receive.ConnectionBuffers;
import io.verbena.tcp.receive.TcpReceiver;
import io.verbena.tcp.segment.Agreement;
import io.verbena.tcp.segment.Ecn;
import io.verbena.tcp.segment.Place;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.segment.Sequence;
import io.verbena.tcp.segment.SynOffer;
import io.verbena.tcp.segment.Timestamps;
import io.verbena.tcp.send.SegmentOut;
import io.verbena.tcp.send.SendPlan;
import io.verbena.tcp.send.TcpSender;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpEvent;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.tcp.state.TcpState;
import io.verbena.tcp.state.TcpStates;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionWriter;
import org.jspecify.annotations.Nullable;

/**
 * One connection: its state, its two halves, and what is common to them. A pure state machine.
 *
 * <pre>
 *   segment --> {@link SegmentRules} --> {@link TcpReceiver} --> owner      {@link #transmit} &lt;-- {@link TcpSender} &lt;-- owner
 *                      |                       |                                |
 *                      +---- acknowledgment ---|-----> {@link TcpSender}         |
 *                                              +--- {@link AckTiming} -----------+
 * </pre>
 *
 * <p>Output is polled: {@link #transmit} writes one segment. Events are collected while a segment is processed and reported by {@link
 * #report}, so that the owner may call anything from within them.
 *
 * <p>Over 500 lines: it joins the parts of a connection, and their imports are 25 of them.
 */
public final class TcpConnection {

    private final FlowKey key;
    private final TcpSettings settings;
    private final StateMachine<TcpState, TcpEvent> machine;
    private final boolean connects;
    private final long iss;
    private final Ecn ecn;
    private final TcpSender sender;
    private final TcpReceiver receiver;
    private final Timestamps timestamps;
    private final AckTiming acks;
    private long retransmissions;
    private final ChallengeLimit challenges = new ChallengeLimit();
    private final ChallengeLimit probes = new ChallengeLimit();
    private final UnreportedEvents events;
    private final Agreement agreement;
    private final SegmentWriter writer;
    private final UnverifiedAddress unverified;
    private int pathMtu;

    private @Nullable TcpEnd end;
    private boolean resetDue;
    private boolean repeatSyn;

    /** Whether a repetition of the answer to a SYN waits for the peer's next SYN. */
    private boolean answerHeld;

    /** Length of the answer to a SYN, once it was sent. */
    private int answerBytes;

    private boolean released;
    private long lingerNs = Times.NEVER;
    private final TcpKeepAlive keepAlive = new TcpKeepAlive();

    /** Whether the host will call {@link TcpReceiver#settle}. */
    public boolean borrows;

    /** Position in the queue of deadlines; kept by {@link DeadlineQueue}. */
    int deadlineIndex = -1;

    long queuedDeadlineNs = Times.NEVER;
    boolean inOutputQueue;

    /** Whether the host counts this connection as one in TIME-WAIT. */
    boolean counted;

    public TcpConnection(
            FlowKey key,
            TcpSettings settings,
            ConnectionBuffers buffers,
            OpeningNumbers opening,
            ConnectionEvents events) {
        this.key = key;
        this.settings = settings;
        this.connects = opening.connects();
        this.machine = TcpStates.start(connects);
        this.pathMtu = settings.mtu();
        this.iss = Sequence.first(opening.sequence());
        this.ecn = new Ecn(opening.ecn());
        this.sender = new TcpSender(settings, buffers.send(), iss, pathMtu - key.headerBytes(), ecn);
        this.receiver = new TcpReceiver(buffers);
        this.timestamps = new Timestamps(opening.timestampOffset());
        this.acks = new AckTiming(settings.timers().delayedAckNs());
        this.events = new UnreportedEvents(events);
        this.agreement = new Agreement(settings, key.defaultMss());
        this.writer = new SegmentWriter(this, settings, agreement, iss);
        this.unverified = new UnverifiedAddress(key.headerBytes() - TcpHeader.LENGTH);
    }

    public FlowKey key() {
        return key;
    }

    public TcpState state() {
        return machine.state();
    }

    /** Whether a reset is to be sent. */
    public boolean resetDue() {
        return resetDue;
    }

    public boolean closed() {
        return machine.state() == TcpState.CLOSED;
    }

    /** What is known about the path. Any thread: the numbers are read while the host works. */
    public CarrierFigures figures() {
        return new CarrierFigures(
                sender.rtt().smoothedNs(),
                sender.congestionWindow(),
                Math.max(0, sender.window().limit() - sender.una()),
                Math.max(0, receiver.edge() - receiver.nextArrival()),
                sender.pipe(),
                retransmissions);
    }

    public TcpSender sender() {
        return sender;
    }

    public TcpReceiver receiver() {
        return receiver;
    }

    Timestamps timestamps() {
        return timestamps;
    }

    Ecn ecn() {
        return ecn;
    }

    AckTiming acks() {
        return acks;
    }

    public boolean connects() {
        return connects;
    }

    boolean released() {
        return released;
    }

    /** Why the connection is broken, if it is. */
    @Nullable
    public TcpEnd end() {
        return end;
    }

    int sendShift() {
        return agreement.sendShift();
    }

    long lastAcknowledged() {
        return writer.lastAcknowledged();
    }

    // Handshake.

    /** Takes what the peer's SYN offers. */
    public void onPeerSyn(SegmentIn in, long nowNs) {
        unverified.heard(in.segmentBytes());
        begin(
                SynOffer.of(in, key.defaultMss()),
                in.header().sequence(),
                in.header().window(),
                nowNs);
    }

    /** The segment acknowledges a SYN that was sent before this connection existed, as an answer to this offer. */
    public void onCookie(SynOffer offer, SegmentIn in, long nowNs) {
        begin(offer, in.header().sequence() - 1, in.header().window(), nowNs);
        sender.synSentBefore();
        writer.synSentBefore();
    }

    private void begin(SynOffer offer, int sequence, int window, long nowNs) {
        ecn.onPeerSyn(offer.flags(), state() == TcpState.SYN_SENT);
        long irs = Sequence.first(sequence);
        receiver.begin(irs);
        writer.begin(receiver.edge());
        agreement.onPeerSyn(offer);
        if (settings.features().timestamps() && offer.timestamps()) {
            timestamps.begin(offer.timestamp(), nowNs);
        }
        sender.window().begin(irs, iss, window);
    }

    /** The SYN of this side is acknowledged and that of the peer has arrived. */
    void onEstablished() {
        sender.established(segmentBytes(), agreement.sack());
        receiver.segmentBytes(segmentBytes());
        events.established();
    }

    /** RFC 9293 section 3.7.1 [3]: the smaller of what the peer accepts and what the path carries, less the options. */
    private int segmentBytes() {
        return Math.min(agreement.peerMss(), pathMtu - key.headerBytes()) - optionBytes();
    }

    /** Bytes of the options that every segment has. */
    private int optionBytes() {
        return timestamps.used() ? TcpOptionWriter.TIMESTAMPS_LENGTH : 0;
    }

    /** The path carries packets of at most this size, or so the carrier says. */
    public void pathMtu(int mtu) {
        pathMtu = Math.min(pathMtu, mtu);
        sender.segmentBytes(pathMtu - key.headerBytes());
    }

    /** A router reports that packets of this size only pass (RFC 1191), for a packet with this sequence number. */
    public void onPacketTooBig(int mtu, long sequence) {
        if (sequence >= sender.una() && sequence < sender.nxt() && mtu < pathMtu && mtu >= key.leastMtu()) {
            pathMtu = mtu;
            sender.segmentBytes(segmentBytes());
        }
    }

    // What the rules for arriving segments do.

    void on(TcpEvent event) {
        machine.on(event);
    }

    /** The peer was heard. */
    void heard(long nowNs) {
        if (keepAlive.heard(nowNs)) {
            sender.pathIsBack(nowNs);
        }
    }

    void repeatSyn() {
        repeatSyn = !answerHeld;
    }

    /** The peer's SYN has arrived again: it has not received the answer. */
    void onSynAgain(SegmentIn in) {
        unverified.heard(in.segmentBytes());
        repeatSyn();
    }

    /** Acknowledges an unacceptable segment, if the limit permits it. */
    public void challenge(long nowNs) {
        if (challenges.permits(nowNs)) {
            acks.soon(nowNs);
        }
    }

    /**
     * Acknowledges a keep-alive, a probe of the window, or the FIN again. They have a limit of their own, so that guesses of an
     * attacker do not use it up; without any, two hosts that disagree would answer each other indefinitely.
     */
    void answerProbe(long nowNs) {
        if (probes.permits(nowNs)) {
            acks.soon(nowNs);
        }
    }

    void readable() {
        events.readable();
    }

    void writable() {
        events.writable();
    }

    /** Both FINs are acknowledged: waits for late segments. */
    void linger(long nowNs) {
        lingerNs = Times.after(nowNs, settings.timers().timeWaitNs());
        discardSent();
    }

    /** In FIN-WAIT-2 without an owner, the peer's FIN is awaited for a limited time. */
    void limitHalfClose(long nowNs) {
        if (released && state() == TcpState.FIN_WAIT_2) {
            lingerNs = Times.after(nowNs, settings.timers().timeWaitNs());
        }
    }

    /** Ends the connection without further segments. */
    public void fail(TcpEnd reason) {
        if (closed()) {
            return;
        }
        machine.on(TcpEvent.ABORT);
        end = reason;
        events.ended();
        discard();
    }

    /** The connection has ended gracefully. In TIME-WAIT it may end early; its owner can still read. */
    public void finished() {
        if (state() == TcpState.TIME_WAIT) {
            machine.on(TcpEvent.EXPIRED);
        }
        discard();
    }

    private void discardSent() {
        sender.stop();
        if (released) {
            receiver.discard();
        }
    }

    private void discard() {
        lingerNs = Times.NEVER;
        keepAlive.start(0, 0);
        acks.onSent(false);
        discardSent();
    }

    // What the owner does.

    /** No bytes follow (CLOSE of RFC 9293 section 3.9.1 [note]). */
    public void shutdownOutput() {
        if (state() == TcpState.ESTABLISHED || state() == TcpState.CLOSE_WAIT || state() == TcpState.SYN_RECEIVED) {
            sender.finish();
            machine.on(TcpEvent.CLOSE);
        }
    }

    /** The owner will not use the connection any more. */
    public void release(boolean abortive, long nowNs) {
        if (released) {
            return;
        }
        released = true;
        // RFC 9293 section 3.6.1 [note]: data that was not read is lost, and the peer must learn it.
        boolean lost = receiver.readable() > 0 || receiver.offerable();
        if (closed()) {
            receiver.discard();
        } else if (abortive || lost || state() == TcpState.SYN_SENT) {
            abort();
        } else {
            shutdownOutput();
            sender.ownerless(nowNs);
            limitHalfClose(nowNs);
            if (state() == TcpState.TIME_WAIT) {
                receiver.discard();
            }
        }
    }

    /** Resets the connection (ABORT of RFC 9293 section 3.9.1 [note]). */
    void abort() {
        resetDue = state().synchronizedState() && state() != TcpState.TIME_WAIT
                || state() == TcpState.SYN_RECEIVED
                        && (connects || unverified.permits(TcpHeader.LENGTH + optionBytes()));
        fail(TcpEnd.LOCAL);
    }

    /** Checks a peer that is silent for this time; 0 disables the check. */
    public void keepAlive(long boundNs, long nowNs) {
        keepAlive.start(boundNs, nowNs);
    }

    /** The owner has read or taken bytes. */
    public void onConsumed(long nowNs) {
        if (receiver.nxt() > writer.lastAcknowledged()) {
            acks.onTaken();
        }
        if (receiver.takeFin()) {
            onFinProcessed(nowNs);
        }
        boolean unacknowledged = receiver.nxt() > writer.lastAcknowledged() && acks.nextDeadlineNs() == Times.NEVER;
        if (!closed() && (unacknowledged || receiver.windowGrown(writer.advertisedEdge()))) {
            acks.soon(nowNs);
        }
    }

    /** All bytes of the peer and its FIN were received. */
    void onFinProcessed(long nowNs) {
        machine.on(TcpEvent.FIN);
        acks.soon(nowNs);
        events.readable();
        if (state() == TcpState.TIME_WAIT) {
            linger(nowNs);
        }
    }

    // Time.

    long nextDeadlineNs() {
        return Times.earlier(
                Times.earlier(sender.nextDeadlineNs(), acks.nextDeadlineNs()),
                Times.earlier(lingerNs, keepAlive.nextDeadlineNs()));
    }

    public void onDeadline(long nowNs) {
        acks.onDeadline(nowNs);
        sender.onDeadline(nowNs);
        if (sender.tooLong() && pathMtu > key.commonMtu()) {
            pathMtu = key.commonMtu();
            sender.segmentBytes(segmentBytes());
        }
        if (Times.due(lingerNs, nowNs)) {
            machine.on(state() == TcpState.TIME_WAIT ? TcpEvent.EXPIRED : TcpEvent.ABORT);
            discard();
        } else if (sender.givenUp(nowNs)) {
            giveUp();
        } else {
            switch (keepAlive.onDeadline(nowNs)) {
                case PROBE -> sender.probe();
                case LOST -> fail(TcpEnd.SILENT);
                case NOTHING -> {
                    // not due, or the peer was heard
                }
            }
        }
    }

    /** A peer that takes nothing may be alive: without an owner, it is all that can learn the reason. */
    private void giveUp() {
        if (released) {
            abort();
        } else {
            fail(TcpEnd.SILENT);
        }
    }

    // Output.

    /** Writes the next segment, if there is one to send now. */
    public boolean transmit(SegmentOut out, Place place, long nowNs) {
        if (resetDue) {
            resetDue = false;
            writer.empty(out, place, sender.nxt(), TcpHeader.RST | TcpHeader.ACK, nowNs);
            return true;
        }
        if (closed()) {
            return false;
        }
        if (repeatSyn) {
            repeatSyn = false;
            return synWritten(out, place, nowNs);
        }
        SendPlan plan = state() == TcpState.TIME_WAIT ? SendPlan.NOTHING : sender.plan(nowNs);
        switch (plan) {
            case SYN -> {
                if (!synWritten(out, place, nowNs)) {
                    return false;
                }
            }
            case DATA -> writer.data(out, place, nowNs);
            case FIN -> writer.empty(out, place, sender.planned().from(), TcpHeader.FIN | TcpHeader.ACK, nowNs);
            case PROBE -> writer.empty(out, place, sender.una() - 1, TcpHeader.ACK, nowNs);
            case NOTHING -> {
                if (!acks.due(receiver.offerable()) || state() == TcpState.SYN_SENT) {
                    return false;
                }
                writer.empty(out, place, sender.nxt(), TcpHeader.ACK, nowNs);
                return true;
            }
        }
        boolean again = plan != SendPlan.PROBE && !sender.planned().isNew();
        retransmissions += again ? 1 : 0;
        sender.onSent(plan, nowNs);
        out.appendFollowing(sender, nowNs);
        return true;
    }

    /** Writes the SYN of this side, unless it is an answer and its repetition has to wait for the peer. */
    private boolean synWritten(SegmentOut out, Place place, long nowNs) {
        answerHeld = !connects && !unverified.permits(answerBytes);
        if (!answerHeld) {
            writer.syn(out, place, nowNs);
            answerBytes = out.length();
            unverified.sent(answerBytes);
        }
        return !answerHeld;
    }

    // Events.

    /** Reports to the owner what has happened. */
    public void report() {
        events.report(this);
    }
}
