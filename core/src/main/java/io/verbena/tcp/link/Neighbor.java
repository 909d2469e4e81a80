package io.verbena.tcp.link;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** An entry of the {@link Neighbors}: a host on the link, its hardware address, and when that was confirmed. */
final class Neighbor {

    /** The states of RFC 4861 section 7.3.2; an entry without a hardware address is INCOMPLETE. */
    enum State {
        INCOMPLETE,
        REACHABLE,
        STALE,
        DELAY,
        PROBE
    }

    private final IpAddress address;
    private State state = State.INCOMPLETE;
    private long hardware = Neighbors.UNKNOWN;
    private boolean used;
    private long confirmedNs;
    private long usedNs;
    private long retryNs = Times.NEVER;
    private int tries;

    /** RFC 1122 section 2.3.2.2: the latest packet for an address that is being resolved. */
    private byte @Nullable [] waiting;

    Neighbor(IpAddress address) {
        this.address = address;
    }

    IpAddress address() {
        return address;
    }

    long hardware() {
        return hardware;
    }

    /** When the hardware address was confirmed, if the state is REACHABLE. */
    long confirmedNs() {
        return confirmedNs;
    }

    State state() {
        return state;
    }

    int tries() {
        return tries;
    }

    long retryNs() {
        return retryNs;
    }

    /** A packet is sent to it. */
    void use(long nowNs, long validNs) {
        used = true;
        usedNs = nowNs;
        if (state == State.REACHABLE && nowNs - confirmedNs >= validNs) {
            state = State.STALE;
        }
    }

    void created(long nowNs) {
        usedNs = nowNs;
    }

    /** It answers, or is known to. */
    void confirm(long newHardware, long nowNs) {
        hardware = newHardware;
        confirmedNs = nowNs;
        rest(State.REACHABLE);
    }

    /** The neighbor has stated its hardware address, which was not confirmed by an answer. */
    void state(long newHardware) {
        if (newHardware != hardware) {
            hardware = newHardware;
            rest(State.STALE);
        }
    }

    /** Its hardware address is in doubt. */
    void doubt() {
        rest(State.STALE);
    }

    /** Its hardware address is probably wrong. */
    void forget() {
        hardware = Neighbors.UNKNOWN;
        rest(State.INCOMPLETE);
    }

    private void rest(State next) {
        state = next;
        retryNs = Times.NEVER;
        tries = 0;
    }

    /** Waits for a confirmation of other origin before a probe. */
    void delay(long untilNs) {
        state = State.DELAY;
        tries = 0;
        retryNs = untilNs;
    }

    /** A request is sent. */
    void probe(long retryAtNs) {
        state = hardware == Neighbors.UNKNOWN ? State.INCOMPLETE : State.PROBE;
        tries++;
        retryNs = retryAtNs;
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
        return state == State.INCOMPLETE ? 1 : 2;
    }
}
