package io.verbena.tcp.handshake;

import io.verbena.tcp.flow.Choices;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.segment.Agreement;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.segment.SynOffer;
import io.verbena.wire.ip.TcpOptionReader;
import org.jspecify.annotations.Nullable;

/**
 * SYN cookies (RFC 4987 section 3.6): the initial sequence number of a SYN-ACK contains what this side would otherwise have to store. The
 * final acknowledgment of the peer returns it, plus one.
 *
 * <pre>
 *    31                                                 4   3   2     0
 *   +----------------------------------------------------+------+-------+
 *   | keyed hash                                         | step |  MSS  |   sequence number
 *   +----------------------------------------------------+------+-------+
 *
 *    31                                        6    5     4    3      0
 *   +--------------------------------------------+-----+------+---------+
 *   | clock, never later than now                | ECN | SACK |  scale  |   TSval, if the peer offers timestamps
 *   +--------------------------------------------+-----+------+---------+
 * </pre>
 *
 * <p>The hash covers the addresses, the ports, the initial sequence number of the peer, the number of a step of time, and the six or
 * three lower bits of both fields. The cookie contains the lowest bit of the step, and is valid in that step and in the next one. A
 * random acknowledgment is a valid cookie with probability 2^-28.
 *
 * <p>The largest MSS of a table that the peer accepts is used. The peer echoes the TSval; without timestamps there is no place for the
 * other options, and they are not used.
 */
public final class SynCookies {

    /** A step of time is 2^36 ns, 69 s. */
    private static final int STEP_BITS = 36;

    /** How long a cookie is valid at most. */
    public static final long VALID_NS = 2L << STEP_BITS;

    /** Minimum; default of IPv4; default of IPv6; tunnels; Ethernet with IPv6, with IPv4; large frames; loopback. */
    private static final int[] MSS = {Agreement.LEAST_MSS, 536, 1220, 1340, 1440, 1460, 8_940, 65_400};

    private static final int MSS_BITS = 0b0111;
    private static final int STEP = 0b1000;
    private static final int PLAIN = MSS_BITS | STEP;

    private static final int SCALE_BITS = 0xf;
    private static final int NO_SCALE = 0xf;
    private static final int SACK = 0x10;
    private static final int ECN = 0x20;
    private static final int OPTION_BITS = SCALE_BITS | SACK | ECN;

    /** Takes the place of the option bits without timestamps. */
    private static final int NO_OPTIONS = OPTION_BITS + 1;

    private final Choices choices;

    SynCookies(Choices choices) {
        this.choices = choices;
    }

    /** A valid cookie: what the peer has offered, and what is different in every cookie. */
    public record Found(SynOffer offer, long identity) {}

    /** The part of an offer that a cookie can hold. */
    static SynOffer held(SynOffer offer) {
        int mss = MSS[mssIndex(offer.mss())];
        return offer.timestamps()
                ? new SynOffer(
                        SynOffer.flags(offer.ecn()), mss, offer.windowScale(), offer.sack(), true, offer.timestamp())
                : new SynOffer(SynOffer.flags(false), mss, TcpOptionReader.ABSENT, false, false, 0);
    }

    private static int mssIndex(int mss) {
        int index = 0;
        while (index < MSS.length - 1 && MSS[index + 1] <= mss) {
            index++;
        }
        return index;
    }

    /** The cookie for a SYN of a peer, with an offer that was {@link #held}. */
    int sequence(FlowKey key, int peerSequence, SynOffer held, long nowNs) {
        long step = nowNs >> STEP_BITS;
        int plain = mssIndex(held.mss()) | ((step & 1) != 0 ? STEP : 0);
        return (int) hash(key, peerSequence, step, optionBits(held) << 4 | plain) & ~PLAIN | plain;
    }

    /** The TSval of the answer to a SYN. It is not later than the clock, so that later segments are not older. */
    static int timestamp(int clock, SynOffer held) {
        int value = clock & ~OPTION_BITS | optionBits(held);
        return value - clock > 0 ? value - (OPTION_BITS + 1) : value;
    }

    private static int optionBits(SynOffer held) {
        if (!held.timestamps()) {
            return NO_OPTIONS;
        }
        int scale = held.windowScale() == TcpOptionReader.ABSENT ? NO_SCALE : held.windowScale();
        return scale | (held.sack() ? SACK : 0) | (held.ecn() ? ECN : 0);
    }

    /**
     * What the peer had offered, if a segment acknowledges a valid cookie; otherwise null.
     *
     * @param timestamps whether this side uses timestamps
     */
    @Nullable
    Found find(FlowKey key, SegmentIn in, boolean timestamps, long nowNs) {
        TcpOptionReader options = in.options();
        int cookie = in.header().acknowledgment() - 1;
        int plain = cookie & PLAIN;
        boolean timed = timestamps && options.timestamps();
        int bits = timed ? options.echo() & OPTION_BITS : NO_OPTIONS;
        long now = nowNs >> STEP_BITS;
        long step = (now & 1) == (plain & STEP) / STEP ? now : now - 1;
        long hash = hash(key, in.header().sequence() - 1, step, bits << 4 | plain);
        if (((int) hash & ~PLAIN) != (cookie & ~PLAIN)) {
            return null;
        }
        int mss = MSS[plain & MSS_BITS];
        int scale = bits & SCALE_BITS;
        SynOffer offer = timed
                ? new SynOffer(
                        SynOffer.flags((bits & ECN) != 0),
                        mss,
                        scale == NO_SCALE ? TcpOptionReader.ABSENT : scale,
                        (bits & SACK) != 0,
                        true,
                        options.timestamp())
                : new SynOffer(SynOffer.flags(false), mss, TcpOptionReader.ABSENT, false, false, 0);
        return new Found(offer, hash);
    }

    private long hash(FlowKey key, int peerSequence, long step, int data) {
        return choices.cookie(key, (long) peerSequence << 32 | Integer.toUnsignedLong((int) step), data);
    }
}
