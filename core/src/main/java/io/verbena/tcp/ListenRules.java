package io.verbena.tcp;

import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.handshake.StatelessHandshake;
import io.verbena.tcp.handshake.StatelessSegments;
import io.verbena.tcp.handshake.SynCookies;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.state.TcpState;
import io.verbena.wire.ip.TcpHeader;
import org.jspecify.annotations.Nullable;

/** What an arriving segment does that belongs to no connection: RFC 9293 sections 3.10.7.1 and 3.10.7.2 [note], CLOSED and LISTEN. */
final class ListenRules {

    private final TcpHost host;
    private final Listeners listeners;
    private final Choices choices;
    private final StatelessSegments segments;
    private final StatelessHandshake handshake;

    ListenRules(
            TcpHost host,
            Listeners listeners,
            Choices choices,
            StatelessSegments segments,
            StatelessHandshake handshake) {
        this.host = host;
        this.listeners = listeners;
        this.choices = choices;
        this.segments = segments;
        this.handshake = handshake;
    }

    void onSegment(FlowKey key, SegmentIn in, long nowNs) {
        TcpListener listener = listeners.at(key.localPort());
        if (in.has(TcpHeader.RST)) {
            return;
        }
        if (listener == null || in.has(TcpHeader.ACK)) {
            if (listener == null || !onAck(key, listener, in, nowNs)) {
                segments.reset(key, in);
            }
            return;
        }
        if (in.has(TcpHeader.SYN) && !in.has(TcpHeader.FIN)) {
            onSyn(key, listener, in, nowNs);
        }
    }

    private void onSyn(FlowKey key, TcpListener listener, SegmentIn in, long nowNs) {
        if (host.full()) {
            host.counters().synsDropped++;
        } else if (listener.accepts()) {
            TcpConnection connection = host.accept(key, listener, choices.sequence(key, nowNs));
            connection.onPeerSyn(in, nowNs);
            host.touch(connection);
        } else if (handshake.answer(key, in, host.offersEcn(), nowNs)) {
            listener.cookieSent(nowNs);
            host.counters().cookiesOut++;
        } else {
            host.counters().synsDropped++;
        }
    }

    /** Begins a connection if the segment returns a cookie. */
    private boolean onAck(FlowKey key, TcpListener listener, SegmentIn in, long nowNs) {
        SynCookies.Found cookie = cookie(key, listener, in, nowNs);
        if (cookie == null || host.full()) {
            return false;
        }
        handshake.use(cookie);
        host.counters().cookiesAccepted++;
        TcpConnection connection = host.accept(key, listener, in.header().acknowledgment() - 1);
        connection.onCookie(cookie.offer(), in, nowNs);
        host.process(connection);
        return true;
    }

    private SynCookies.@Nullable Found cookie(FlowKey key, TcpListener listener, SegmentIn in, long nowNs) {
        return listener.expectsCookies(nowNs) ? handshake.find(key, in, nowNs) : null;
    }

    /**
     * Whether a segment that does not acknowledge the SYN of this half-open connection acknowledges a cookie. The peer has repeated its
     * SYN before the answer with the cookie arrived, and the repetition has begun the connection.
     */
    boolean replaces(TcpConnection connection, SegmentIn in, long nowNs) {
        FlowKey key = connection.key();
        TcpListener listener = listeners.at(key.localPort());
        return connection.state() == TcpState.SYN_RECEIVED
                && !connection.connects()
                && listener != null
                && cookie(key, listener, in, nowNs) != null;
    }
}
