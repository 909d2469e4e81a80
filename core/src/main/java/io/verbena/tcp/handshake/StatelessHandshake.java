package io.verbena.tcp.handshake;

import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.segment.Agreement;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.segment.SynOffer;
import io.verbena.tcp.segment.Timestamps;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of a listener whose backlog is full: nothing is stored until the peer has returned a cookie, and so has shown that it
 * receives at its address.
 *
 * <pre>
 *   SYN -->
 *       &lt;-- SYN-ACK, whose sequence number is a cookie; nothing is stored
 *   ACK -->     of a valid cookie: the connection is created, and is established
 * </pre>
 *
 * <p>If that ACK is lost, the first segment with data takes its place. The SYN-ACK is not repeated, but the peer repeats its SYN.
 */
public final class StatelessHandshake {

    private final TcpSettings settings;
    private final Choices choices;
    private final StatelessSegments segments;
    private final SynCookies cookies;
    private final UsedCookies used = new UsedCookies();

    public StatelessHandshake(TcpSettings settings, Choices choices, StatelessSegments segments) {
        this.settings = settings;
        this.choices = choices;
        this.segments = segments;
        this.cookies = new SynCookies(choices);
    }

    /**
     * Answers a SYN; returns false if too many answers wait.
     *
     * @param ecn whether explicit congestion notification is offered
     */
    public boolean answer(FlowKey key, SegmentIn in, boolean ecn, long nowNs) {
        SynOffer held = SynCookies.held(supported(SynOffer.of(in, key.defaultMss()), ecn));
        Agreement agreement = new Agreement(settings, key.defaultMss());
        agreement.onPeerSyn(held);
        int clock = new Timestamps(choices.timestamp(key)).now(nowNs);
        int sequence = cookies.sequence(key, in.header().sequence(), held, nowNs);
        int flags = held.ecn() ? TcpHeader.ECE : 0;
        return segments.synAck(key, in, sequence, flags, Agreement.firstWindow(settings), options -> {
            agreement.write(options, settings.mtu() - key.headerBytes(), true);
            if (held.timestamps()) {
                options.timestamps(SynCookies.timestamp(clock, held), held.timestamp());
            }
        });
    }

    /** The part of an offer that this side supports as well. */
    private SynOffer supported(SynOffer offer, boolean ecn) {
        TcpSettings.Features features = settings.features();
        return new SynOffer(
                SynOffer.flags(ecn && offer.ecn()),
                offer.mss(),
                features.windowScale() ? offer.windowScale() : TcpOptionReader.ABSENT,
                features.sack() && offer.sack(),
                features.timestamps() && offer.timestamps(),
                offer.timestamp());
    }

    /** The valid cookie that a segment returns, if it has not begun a connection before; otherwise null. */
    public SynCookies.@Nullable Found find(FlowKey key, SegmentIn in, long nowNs) {
        if (in.has(TcpHeader.SYN) || !in.has(TcpHeader.ACK)) {
            return null;
        }
        SynCookies.Found found = cookies.find(key, in, settings.features().timestamps(), nowNs);
        return found == null || used.has(found.identity()) ? null : found;
    }

    /** A connection begins with this cookie. */
    public void use(SynCookies.Found cookie) {
        used.add(cookie.identity());
    }
}
