package io.verbena.tcp.connection;

import io.verbena.tcp.receive.TcpReceiver;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.segment.Sequence;
import io.verbena.tcp.segment.Timestamps;
import io.verbena.tcp.send.TcpSender;
import io.verbena.tcp.state.TcpEnd;
import io.verbena.tcp.state.TcpEvent;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.TcpHeader;

/**
 * What an arriving segment does to a connection: the checks of RFC 9293 section 3.10.7 [note] in their order, with the stricter ones of
 * RFC 5961 against segments that an attacker sends blindly.
 *
 * <pre>
 *   timestamp - sequence number - RST - SYN - ACK present - ACK number - data - FIN
 * </pre>
 */
public final class SegmentRules {

    /** What the host does after a segment. */
    public enum Verdict {
        DONE,
        /** The rest of the segment is ignored. */
        DROPPED,
        /** The segment is answered with a reset. */
        RESET,
        /** TIME-WAIT: the segment is the SYN of a new connection with the same addresses and ports. */
        REUSE
    }

    private SegmentRules() {}

    /** Processes a segment for a connection that is not closed. */
    public static Verdict onSegment(TcpConnection connection, SegmentIn in, long nowNs) {
        return connection.state() == TcpState.SYN_SENT
                ? inSynSent(connection, in, nowNs)
                : inOtherStates(connection, in, nowNs);
    }

    // RFC 9293 section 3.10.7.3 [note].
    private static Verdict inSynSent(TcpConnection connection, SegmentIn in, long nowNs) {
        TcpSender sender = connection.sender();
        long ack = Sequence.unwrap(sender.una(), in.header().acknowledgment());
        boolean acknowledges = in.has(TcpHeader.ACK);
        if (acknowledges && (ack <= sender.una() || ack > sender.nxt())) {
            return in.has(TcpHeader.RST) ? Verdict.DONE : Verdict.RESET;
        }
        if (in.has(TcpHeader.RST)) {
            if (acknowledges) {
                connection.fail(TcpEnd.REFUSED);
            }
            return Verdict.DONE;
        }
        if (!in.has(TcpHeader.SYN)) {
            return Verdict.DONE;
        }
        connection.onPeerSyn(in, nowNs);
        if (acknowledges) {
            sender.onAck(
                    ack, Sequence.first(in.header().sequence()), in.header().window(), in.options(), true, nowNs);
            connection.on(TcpEvent.SYN_ACKED);
            connection.onEstablished();
            connection.acks().soon(nowNs);
        } else {
            // RFC 9293 section 3.5 [1]: both sides open at the same time.
            connection.on(TcpEvent.SYN);
            connection.repeatSyn();
        }
        return Verdict.DONE;
    }

    private static Verdict inOtherStates(TcpConnection connection, SegmentIn in, long nowNs) {
        TcpReceiver receiver = connection.receiver();
        long sequence = Sequence.unwrap(receiver.nxt(), in.header().sequence());
        if (connection.state() == TcpState.TIME_WAIT && isNewConnection(connection, in, sequence)) {
            return Verdict.REUSE;
        }
        boolean reset = in.has(TcpHeader.RST);
        if (!reset && connection.timestamps().rejects(in.options(), nowNs)) {
            connection.challenge(nowNs);
            return Verdict.DONE;
        }
        if (!receiver.acceptable(sequence, in.sequenceLength())) {
            return unacceptable(connection, in, sequence, nowNs);
        }
        if (reset) {
            return onReset(connection, sequence, nowNs);
        }
        if (in.has(TcpHeader.SYN)) {
            return onSyn(connection, sequence, nowNs);
        }
        if (!in.has(TcpHeader.ACK)) {
            return Verdict.DONE;
        }
        long lastAcknowledged = connection.lastAcknowledged();
        Verdict verdict = onAck(connection, in, sequence, nowNs);
        if (verdict != Verdict.DONE || connection.closed()) {
            return verdict;
        }
        // After the acknowledgment was checked: a forged timestamp would make the peer's own segments old.
        connection.heard(nowNs);
        connection.timestamps().onSegment(in.options(), sequence, lastAcknowledged, nowNs);
        return onText(connection, in, sequence, nowNs);
    }

    /** RFC 9293 section 3.6.1 [note] and RFC 6191 section 2: a SYN with a later timestamp, or else one after the last number. */
    private static boolean isNewConnection(TcpConnection connection, SegmentIn in, long sequence) {
        boolean syn = in.has(TcpHeader.SYN) && !in.has(TcpHeader.ACK) && !in.has(TcpHeader.RST);
        Timestamps timestamps = connection.timestamps();
        boolean later = sequence >= connection.receiver().nxt() && !timestamps.older(in.options());
        return syn && (later || timestamps.newer(in.options()));
    }

    private static Verdict unacceptable(TcpConnection connection, SegmentIn in, long sequence, long nowNs) {
        if (in.has(TcpHeader.RST)) {
            return Verdict.DONE;
        }
        if (connection.state() == TcpState.SYN_RECEIVED && in.has(TcpHeader.SYN)) {
            return onRepeatedSyn(connection, in, sequence, nowNs);
        }
        if (connection.state() == TcpState.TIME_WAIT && in.has(TcpHeader.FIN)) {
            // RFC 9293 section 3.10.7.4 [note]: the FIN again, because its acknowledgment was lost.
            connection.linger(nowNs);
        }
        connection.receiver().onUnacceptable(sequence, in.length());
        if (in.length() > 0 && !in.has(TcpHeader.SYN) && connection.receiver().received(sequence)) {
            // Sent again because the acknowledgment was lost: it is no guess, and the limit of guesses is not its one.
            connection.acks().soon(nowNs);
        } else if (sequence == connection.receiver().nxt() - 1) {
            connection.answerProbe(nowNs);
        } else {
            connection.challenge(nowNs);
        }
        return Verdict.DONE;
    }

    /** The peer's SYN again: its answer was lost, or both sides open and this is the peer's answer. */
    private static Verdict onRepeatedSyn(TcpConnection connection, SegmentIn in, long sequence, long nowNs) {
        if (sequence + 1 != connection.receiver().nxt()) {
            return Verdict.DONE;
        }
        if (!in.has(TcpHeader.ACK)) {
            connection.onSynAgain(in);
            return Verdict.DONE;
        }
        connection.acks().soon(nowNs);
        return onAck(connection, in, sequence, nowNs);
    }

    /** RFC 5961 section 3.2: only the exact number resets; any other one in the window is challenged. */
    private static Verdict onReset(TcpConnection connection, long sequence, long nowNs) {
        TcpReceiver receiver = connection.receiver();
        if (sequence != receiver.nxt() && sequence != receiver.nextArrival()) {
            connection.challenge(nowNs);
            return Verdict.DONE;
        }
        switch (connection.state()) {
            case SYN_RECEIVED -> connection.fail(connection.connects() ? TcpEnd.REFUSED : TcpEnd.RESET);
            case TIME_WAIT -> {
                // RFC 1337: a reset does not shorten TIME-WAIT.
            }
            default -> connection.fail(TcpEnd.RESET);
        }
        return Verdict.DONE;
    }

    /** RFC 5961 section 4.2: a SYN in the window does not reset, whatever its number. */
    private static Verdict onSyn(TcpConnection connection, long sequence, long nowNs) {
        boolean simultaneous = connection.state() == TcpState.SYN_RECEIVED
                && sequence + 1 == connection.receiver().nxt();
        if (!simultaneous) {
            connection.challenge(nowNs);
        }
        return Verdict.DONE;
    }

    private static Verdict onAck(TcpConnection connection, SegmentIn in, long sequence, long nowNs) {
        TcpSender sender = connection.sender();
        long ack = Sequence.unwrap(sender.una(), in.header().acknowledgment());
        if (connection.state() == TcpState.SYN_RECEIVED) {
            if (ack <= sender.una() || ack > sender.nxt()) {
                return Verdict.RESET;
            }
            connection.on(TcpEvent.SYN_ACKED);
        }
        // RFC 5961 section 5.2: neither acknowledgments of what was not sent nor very old ones.
        if (ack > sender.nxt() || ack < sender.una() - sender.window().largest()) {
            connection.challenge(nowNs);
            return Verdict.DROPPED;
        }
        if (connection.state() == TcpState.TIME_WAIT) {
            return Verdict.DONE;
        }
        if (ack < sender.una()) {
            sender.onAck(ack, sequence, 0, in.options(), false, nowNs);
            return Verdict.DONE;
        }
        boolean synBefore = sender.synAcknowledged();
        boolean finBefore = sender.finAcknowledged();
        long unaBefore = sender.una();
        // RFC 7323 section 2.2: the window of a SYN is never scaled, also if both sides open at the same time.
        long window = (long) in.header().window() << (in.has(TcpHeader.SYN) ? 0 : connection.sendShift());
        if (connection.ecn().reacts(in.flags(), ack, sender.nxt())) {
            sender.onCongestion(nowNs);
        }
        boolean pure = in.length() == 0 && !in.has(TcpHeader.FIN);
        sender.onAck(ack, sequence, window, in.options(), pure, nowNs);
        if (!synBefore && sender.synAcknowledged()) {
            connection.onEstablished();
        }
        if (ack > unaBefore) {
            connection.writable();
        }
        if (!finBefore && sender.finAcknowledged()) {
            connection.on(TcpEvent.FIN_ACKED);
            onFinAcknowledged(connection, nowNs);
        }
        return Verdict.DONE;
    }

    private static void onFinAcknowledged(TcpConnection connection, long nowNs) {
        switch (connection.state()) {
            case FIN_WAIT_2 -> connection.limitHalfClose(nowNs);
            case TIME_WAIT -> connection.linger(nowNs);
            case CLOSED -> connection.finished();
            default -> {
                // the peer's FIN is still missing
            }
        }
    }

    private static Verdict onText(TcpConnection connection, SegmentIn in, long sequence, long nowNs) {
        TcpReceiver receiver = connection.receiver();
        if (!connection.state().receives()) {
            if (connection.state() == TcpState.TIME_WAIT && in.has(TcpHeader.FIN)) {
                connection.linger(nowNs);
            }
            if (in.sequenceLength() > 0) {
                connection.acks().soon(nowNs);
            }
            return Verdict.DONE;
        }
        if (in.length() > 0) {
            if (connection.released()) {
                // RFC 9293 section 3.6.1 [SHOULD]: nothing reads these bytes any more.
                connection.fail(TcpEnd.LOCAL);
                return Verdict.RESET;
            }
            store(connection, in, sequence, nowNs);
        }
        if (in.has(TcpHeader.FIN)) {
            receiver.onFin(sequence + in.length());
        }
        if (receiver.takeFin()) {
            connection.onFinProcessed(nowNs);
        } else if (in.has(TcpHeader.FIN)) {
            connection.acks().soon(nowNs);
        }
        return Verdict.DONE;
    }

    private static void store(TcpConnection connection, SegmentIn in, long sequence, long nowNs) {
        TcpReceiver receiver = connection.receiver();
        connection.ecn().onData(in.flags(), in.marked());
        switch (receiver.store(sequence, in)) {
            case IN_ORDER ->
                connection.acks().onInOrder(in.length(), connection.sender().segmentBytes(), nowNs);
            case OUT_OF_ORDER, DROPPED -> connection.acks().soon(nowNs);
        }
        if (receiver.readable() > 0 || receiver.offerable()) {
            connection.readable();
        }
    }
}
