package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.wire.ib.IbOpcode;

/**
 * Congestion control of one connection: marked packets are answered with a notification (CNP), at most one per 50 µs,
 * and notifications from the peer lower the rate ({@link RateControl}). Disabled unless both ends have negotiated it
 * ({@link RcOption#CONGESTION_CONTROL}).
 *
 * <p>Source: InfiniBand architecture specification, annex A17.9 (RoCEv2 congestion management).
 */
final class CongestionPoint {

    private static final long BETWEEN_NOTIFICATIONS_NS = 50_000;
    private static final int RESERVED_BYTES = 16;

    private final boolean on;
    private final int remoteQp;
    private final MigratingPath path;
    private final RateControl rate = new RateControl(RateControl.Figures.TEN_GIGABIT);
    private boolean owed;
    private boolean quiet;
    private long quietUntilNs;

    /** The time of the last call, for deadlines. */
    private long seenNs;

    CongestionPoint(RcSettings settings, MigratingPath path) {
        // With several paths the acknowledgements report marks, and a window takes the place of the rate.
        on = settings.options().contains(RcOption.CONGESTION_CONTROL) && !settings.sprays();
        remoteQp = settings.remoteQp();
        this.path = path;
    }

    /** A packet of the flow has arrived. */
    void onPacket(Origin origin, long nowNs) {
        if (!on || !origin.congested() || quiet && !Times.due(quietUntilNs, nowNs)) {
            return;
        }
        owed = true;
        quiet = true;
        quietUntilNs = Times.after(nowNs, BETWEEN_NOTIFICATIONS_NS);
    }

    /** The peer reports that packets of this side were marked. */
    void onNotification(long nowNs) {
        if (on) {
            rate.onNotification(nowNs);
            seenNs = nowNs;
        }
    }

    boolean hasNotification() {
        return owed;
    }

    /** Builds the notification. Returns false when the list is full. */
    boolean step(PacketBuilder out) {
        if (!path.begin(out, IbOpcode.CNP, remoteQp, 0, RESERVED_BYTES)) {
            return false;
        }
        out.bth().becn(true);
        for (int i = 0; i < RESERVED_BYTES; i++) {
            out.segment().set(JAVA_BYTE, out.payload() + i, (byte) 0);
        }
        out.end(path.current());
        owed = false;
        return true;
    }

    /** Whether the rate is limited now. */
    boolean limits() {
        return rate.limited();
    }

    boolean maySend(long nowNs) {
        seenNs = nowNs;
        return rate.maySend(nowNs);
    }

    void sent(int bytes, long nowNs) {
        rate.sent(bytes, nowNs);
        seenNs = nowNs;
    }

    long nextDeadlineNs() {
        return rate.nextDeadlineNs(seenNs);
    }

    void onDeadline(long nowNs) {
        rate.onDeadline(nowNs);
        seenNs = nowNs;
    }

    /** Bytes per second that may be sent. */
    double bytesPerSecond() {
        return rate.rate();
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(digest, Digest.flags(owed, quiet)), quiet ? quietUntilNs : 0);
        return rate.stateDigest(Digest.mix(d, seenNs));
    }
}
