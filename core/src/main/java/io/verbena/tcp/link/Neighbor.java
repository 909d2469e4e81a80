package io.verbena.tcp.link;

import io.verbena.base.StateMachine;
import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.link.NeighborState.Event;
import org.jspecify.annotations.Nullable;

/** An entry of the {@link Neighbors}: a host on the link, its hardware address, and when that was confirmed. */
final class Neighbor {

    /** RFC 4861 section 10: MAX_MULTICAST_SOLICIT and MAX_UNICAST_SOLICIT. */
    private static final int TRIES = 3;

    private final IpAddress address;
    private final StateMachine<NeighborState, Event> machine = NeighborState.start();
    private long hardware = Neighbors.UNKNOWN;
    private boolean used;
    private long confirmedNs;
    private long usedNs;
    private long retryNs = Times.NEVER;

    /** When it was asked or has answered; the time of its creation before that. */
    private long askedNs;

    private int tries;

    /** RFC 1122 section 2.3.2.2: the latest packet for an address that is being resolved. */
    private byte @Nullable [] waiting;

    Neighbor(IpAddress address, long nowNs) {
        this.address = address;
        this.usedNs = nowNs;
        this.askedNs = nowNs;
    }

    IpAddress address() {
        return address;
    }

    long hardware() {
        return hardware;
    }

    NeighborState state() {
        return machine.state();
    }

    long retryNs() {
        return retryNs;
    }

    /** A packet is sent to it. */
    void use(long nowNs, long validNs) {
        used = true;
        usedNs = nowNs;
        if (state() == NeighborState.REACHABLE && nowNs - confirmedNs >= validNs) {
            machine.on(Event.EXPIRED);
        }
    }

    /** It answers, or is known to. */
    void confirm(long newHardware, long nowNs) {
        hardware = newHardware;
        confirmedNs = nowNs;
        askedNs = nowNs;
        machine.on(Event.ANSWERED);
        rest();
    }

    /** The neighbor has stated its hardware address, which was not confirmed by an answer. */
    void state(long newHardware) {
        if (newHardware != hardware) {
            hardware = newHardware;
            machine.on(Event.STATED);
            rest();
        }
    }

    /** An answer that must not replace its hardware address has stated another one. */
    void dispute() {
        if (machine.on(Event.DISPUTED)) {
            rest();
        }
    }

    /**
     * A transport gets no answers: its hardware address may be wrong. It is asked once, and all stations after it; returns whether to ask it
     * now.
     */
    boolean doubt(long nowNs) {
        boolean asking = state() == NeighborState.PROBE;
        // RFC 4861 section 7.3.3: a neighbor is not asked more often than once in a time of retransmission.
        if (!asking && nowNs - askedNs < Neighbors.RETRY_NS || !machine.on(Event.DOUBTED)) {
            return false;
        }
        tries = TRIES - (asking ? 0 : 1);
        return !asking;
    }

    private void rest() {
        retryNs = Times.NEVER;
        tries = 0;
    }

    /** Waits for a confirmation of other origin before a probe. */
    void delay(long untilNs) {
        machine.on(Event.DELAYED);
        retryNs = untilNs;
    }

    /** Where to ask for its hardware address: its own station, or all of them. */
    long asksAt() {
        return state() == NeighborState.UNREACHABLE ? Neighbors.UNKNOWN : hardware;
    }

    /** A request is sent. */
    void asked(long nowNs) {
        machine.on(Event.ASKED);
        askedNs = nowNs;
        tries++;
        retryNs = Times.after(nowNs, Neighbors.RETRY_NS);
    }

    /** Whether all requests were sent that it may leave unanswered in this state. */
    boolean silent() {
        return tries >= TRIES;
    }

    /** It has not answered. If only its own station was asked, all are asked next; otherwise the next packet to it leads to a request. */
    void giveUp() {
        machine.on(Event.SILENT);
        rest();
    }

    void keep(byte[] packet) {
        waiting = packet;
    }

    byte @Nullable [] takeWaiting() {
        byte[] packet = waiting;
        waiting = null;
        return packet;
    }

    /** Whether the cache gives up this entry rather than another: those that were never used, then those without an answer, then the oldest. */
    boolean givesWayTo(Neighbor other) {
        if (worth() != other.worth()) {
            return worth() < other.worth();
        }
        return usedNs - other.usedNs < 0;
    }

    private int worth() {
        if (!used) {
            return 0;
        }
        return state() == NeighborState.INCOMPLETE ? 1 : 2;
    }
}
