package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.packet.Psn;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.PathState;
import java.util.Arrays;
import java.util.List;

/**
 * The packets of a requester on several paths: chooses a path for each, and decides which ones are lost.
 *
 * <p>Paths have different delays, so that the order of answers of different paths says nothing. A packet is lost if
 *
 * <ul>
 *   <li>a later packet of its own path was answered, and a round trip of this path and a tolerance for reordering have passed; or
 *   <li>its path is silent although a later packet of another path was answered. The oldest packet of the path then takes another
 *       path, and the path is suspected. If there is no later packet, this path and another one are asked; or
 *   <li>its path is retired; or
 *   <li>the time-out of the connection expires.
 * </ul>
 *
 * The caller reports what was sent and what was answered, then calls {@link #settle}.
 *
 * <p>Over 500 lines: what is sent, answered and lost moves the same lists, and each of them needs all of the state.
 */
public final class Spray {

    /** Most paths of a connection. */
    public static final int MOST_PATHS = 64;

    /** Units of the clock in packets, as a shift: 64 ns. */
    private static final int CLOCK_SHIFT = 6;

    /** Silence of a path whose round trip is unknown, if the connection has no time-out. */
    private static final long LONGEST_SILENCE_NS = 67_108_864;

    /** A path that has never answered is asked after this many times the longest usual silence of the others. */
    private static final int FIRST_QUESTION = 4;

    /** A path is passed over if its load is above the least one by more than this part of it, 1 / 2. */
    private static final int LOAD_PART = 2;

    private final Path[] paths;
    private final InFlight flight;
    private final PathProbes probes;
    private final long initialNs;
    private Congestion congestion = Congestion.off();

    /** The path whose packets a router has marked, as the answer in progress says, or -1. */
    private int markedPath = -1;

    /** One packet may be sent although the window is full. */
    private boolean urgent;

    private final int burst;
    private int turn;

    /** Packets in succession on this path. */
    private int inBurst;

    private int oldestPsn;

    /** Requests before this PSN were executed by the peer. */
    private int executedPsn;

    private int endPsn;
    private int lost;
    private int highestLostPsn;
    private final ReorderTolerance tolerance = new ReorderTolerance();

    /** The latest transmission of any path that was answered. */
    private int answeredOrder = -1;

    private long deadlineNs = Times.NEVER;

    /**
     * The packets of a connection.
     *
     * @param burst packets in succession on one path
     * @param windowPackets most packets without an answer
     * @param initialSilenceNs silence of a path that has never answered; 0 for a default
     */
    public Spray(int paths, int burst, int windowPackets, int firstPsn, long initialSilenceNs, PathEvents events) {
        this.paths = new Path[Math.clamp(paths, 1, MOST_PATHS)];
        for (int i = 0; i < this.paths.length; i++) {
            this.paths[i] = new Path(i);
        }
        this.burst = burst;
        flight = new InFlight(windowPackets);
        initialNs = initialSilenceNs == 0 ? LONGEST_SILENCE_NS : initialSilenceNs;
        probes = new PathProbes(this.paths, initialNs, firstPsn, events);
        oldestPsn = firstPsn;
        executedPsn = firstPsn;
        endPsn = firstPsn;
    }

    /** With a window that marks and delays make smaller. */
    public Spray withCongestionControl() {
        congestion = Congestion.of(flight.packets());
        return this;
    }

    /** The clock of packets. */
    public static int clock(long nowNs) {
        return (int) (nowNs >> CLOCK_SHIFT);
    }

    public PathProbes probes() {
        return probes;
    }

    // Sending.

    /** Packets after which an acknowledgement is requested, so that a small window moves on before it is full. */
    public int acknowledgeEvery() {
        return congestion.acknowledgeEvery();
    }

    /** Whether the window permits packets. */
    public boolean admits(int packets) {
        return urgent || congestion.admits(flight.listed(), packets);
    }

    /**
     * The path of the next packet: the active ones in turn, but those with a high load less often, so that each path
     * carries what it can.
     */
    public int choose() {
        Path path = paths[turn];
        if (path.state != PathState.ACTIVE) {
            turn = next(PathState.ACTIVE);
            inBurst = 0;
        }
        return turn;
    }

    /** The next packet takes another path: each probe of an idle connection does, because one path may be dead. */
    public void changePath() {
        turn = next(PathState.ACTIVE);
        inBurst = 0;
    }

    /** After a burst: a path that came back without a mark, or the next one. */
    private int afterBurst() {
        for (int clean = congestion.takeClean(); clean != Congestion.NO_PATH; clean = congestion.takeClean()) {
            if (paths[clean].state == PathState.ACTIVE) {
                return clean;
            }
        }
        return next(PathState.ACTIVE);
    }

    /**
     * The next path in turn, without those that have much more under way than the one with the least: they are slower,
     * and what they delay holds the window up.
     */
    private int next(PathState wanted) {
        long longestNs = longestRoundTripNs();
        long least = Long.MAX_VALUE;
        for (Path path : paths) {
            least = path.state == wanted ? Math.min(least, path.load(longestNs)) : least;
        }
        for (int i = 1; i <= paths.length; i++) {
            Path path = paths[(turn + i) % paths.length];
            if (path.state == wanted && path.load(longestNs) <= least + least / LOAD_PART) {
                return path.number;
            }
        }
        return wanted == PathState.ACTIVE ? next(PathState.SUSPECT) : turn;
    }

    /** The longest average round trip of any path; 1 if none is known. */
    private long longestRoundTripNs() {
        long longestNs = 1;
        for (Path path : paths) {
            longestNs = path.known() ? Math.max(longestNs, path.roundTripNs()) : longestNs;
        }
        return longestNs;
    }

    /**
     * A request was sent on the path that {@link #choose} named.
     *
     * @param packets its PSNs
     * @param data whether it is answered with data
     */
    public void sent(int psn, int packets, boolean data, int bytes, long nowNs) {
        Path path = paths[turn];
        path.bytes += bytes;
        for (int i = 0; i < packets; i++) {
            int at = Psn.plus(psn, i);
            forgetOldSlot(at);
            flight.sent(at, (data ? InFlight.DATA : 0) | (i == 0 ? InFlight.FIRST : 0), path, nowNs);
        }
        int end = Psn.plus(psn, packets);
        endPsn = Psn.distance(end, endPsn) > 0 ? end : endPsn;
        urgent = false;
        if (++inBurst >= burst) {
            turn = afterBurst();
            inBurst = 0;
        }
    }

    private void forgetOldSlot(int psn) {
        int slot = flight.find(psn);
        if (slot != InFlight.NONE) {
            found(slot);
            flight.unlist(slot, paths[flight.path[slot]]);
        }
    }

    /** A packet is not lost any more. */
    private void found(int slot) {
        if (flight.is(slot, InFlight.LOST)) {
            flight.clear(slot, InFlight.LOST);
            lost--;
        }
    }

    // Answers.

    /** All requests before a PSN have arrived at the peer and were executed. */
    public void executed(int psn, long nowNs) {
        while (Psn.distance(psn, executedPsn) > 0 && Psn.distance(endPsn, executedPsn) > 0) {
            int slot = flight.find(executedPsn);
            if (slot != InFlight.NONE) {
                if (flight.is(slot, InFlight.DATA)) {
                    answerBegins(slot, nowNs);
                } else {
                    answered(slot, nowNs);
                }
            }
            executedPsn = Psn.plus(executedPsn, 1);
        }
    }

    /**
     * The peer has executed a request, which it may have kept until all before it had arrived, and answers it. The
     * answer may be lost from now
     * on, and not before: another path can report the execution first.
     */
    private void answerBegins(int slot, long nowNs) {
        if (flight.is(slot, InFlight.KEPT)) {
            flight.clear(slot, InFlight.KEPT);
            flight.listInTurn(slot, paths[flight.path[slot]]);
        }
        if (flight.is(slot, InFlight.LISTED)) {
            flight.set(slot, InFlight.AWAITED);
            flight.sentNs[slot] = nowNs;
        }
    }

    /** The peer has received a request, and keeps or has placed it. */
    public void received(int psn, long nowNs) {
        int slot = flight.find(psn);
        if (slot == InFlight.NONE) {
            return;
        }
        if (!flight.is(slot, InFlight.DATA)) {
            answered(slot, nowNs);
        } else if (flight.is(slot, InFlight.FIRST) && flight.is(slot, InFlight.LISTED)) {
            keptAtPeer(slot, nowNs);
        }
    }

    private void keptAtPeer(int first, long nowNs) {
        heard(first, nowNs);
        for (int slot = first; slot != InFlight.NONE; slot = flight.nextOfRequest(slot)) {
            if (flight.is(slot, InFlight.LISTED)) {
                flight.unlist(slot, paths[flight.path[slot]]);
                flight.set(slot, InFlight.KEPT);
            }
        }
    }

    /** The data that answers this PSN has arrived. */
    public void responded(int psn, long nowNs) {
        int slot = flight.find(psn);
        if (slot != InFlight.NONE) {
            answered(slot, nowNs);
        }
    }

    private void answered(int slot, long nowNs) {
        if (flight.is(slot, InFlight.ANSWERED)) {
            return;
        }
        boolean listed = flight.is(slot, InFlight.LISTED);
        Path path = paths[flight.path[slot]];
        found(slot);
        flight.unlist(slot, path);
        flight.clear(slot, InFlight.KEPT);
        flight.set(slot, InFlight.ANSWERED);
        if (listed) {
            congestion.answered(path.number, path.number == markedPath, flight.order[slot]);
            heard(slot, nowNs);
            if (path.lossy(false)) {
                probes.on(path, PathEvent.LOSSY, nowNs);
            }
        } else if (!flight.is(slot, InFlight.DATA)) {
            // It was taken for lost, and is late.
            tolerance.needless();
        }
        tolerance.answered();
    }

    /**
     * A packet in flight was answered. If it was sent more than once, the answer may be that to an earlier
     * transmission: then it comes sooner than any other answer of the path, and says nothing about the path (RFC 8985
     * section 7.1).
     */
    private void heard(int slot, long nowNs) {
        Path path = paths[flight.path[slot]];
        long roundTripNs = nowNs - flight.sentNs[slot];
        boolean measures = !flight.is(slot, InFlight.AWAITED);
        if (measures && flight.transmissions[slot] > 1 && (!path.known() || roundTripNs < path.shortestNs())) {
            tolerance.needless();
            return;
        }
        boolean first = !flight.is(slot, InFlight.DATA) || flight.is(slot, InFlight.FIRST);
        if (measures && first && flight.transmissions[slot] == 1) {
            path.measured(roundTripNs);
        }
        path.heard(flight.turn[slot], nowNs);
        probes.heard(nowNs);
        if (answeredOrder - flight.order[slot] < 0) {
            answeredOrder = flight.order[slot];
        }
        if (path.state == PathState.SUSPECT) {
            probes.on(path, PathEvent.ANSWERED, nowNs);
        }
    }

    /** The peer reports that it received a packet twice. */
    public void onDuplicate() {
        if (waiting()) {
            tolerance.needless();
        }
    }

    /** An answer follows that reports that a router has marked a packet of this path. {@link #settle} ends it. */
    public void onMark(int entropy) {
        if (entropy < paths.length) {
            paths[entropy].marks++;
            markedPath = entropy;
        }
    }

    /**
     * An acknowledgement echoes the clock of the packet that caused it: its round trip, without the time that earlier
     * packets have waited for the acknowledgement. A clock of the future is ignored.
     */
    public void onEcho(int entropy, int clock, long nowNs) {
        long roundTripNs = (long) (clock(nowNs) - clock) << CLOCK_SHIFT;
        if (entropy < paths.length && roundTripNs >= 0 && waiting()) {
            if (!paths[entropy].known()) {
                paths[entropy].measured(roundTripNs);
            }
            long baseNs = paths[entropy].baseNs(roundTripNs, nowNs);
            congestion.measured(roundTripNs - baseNs, baseNs);
        }
    }

    private boolean waiting() {
        return Psn.distance(endPsn, oldestPsn) > 0;
    }

    /** The peer has received a packet without its payload, which a router with a full queue has cut off. */
    public void onTrim(int psn, long nowNs) {
        int slot = flight.find(psn);
        if (slot != InFlight.NONE && flight.is(slot, InFlight.LISTED)) {
            Path path = paths[flight.path[slot]];
            path.marks++;
            congestion.lost(true);
            if (flight.transmissions[slot] == 1) {
                // Headers do not wait in queues.
                congestion.shortest(path.baseNs(nowNs - flight.sentNs[slot], nowNs));
            }
            lose(slot, false);
        }
    }

    /** Everything before a PSN is complete. */
    public void complete(int psn, long nowNs) {
        executed(psn, nowNs);
        while (Psn.distance(psn, oldestPsn) > 0) {
            int slot = flight.find(oldestPsn);
            if (slot != InFlight.NONE) {
                found(slot);
                flight.unlist(slot, paths[flight.path[slot]]);
                flight.forget(slot);
            }
            oldestPsn = Psn.plus(oldestPsn, 1);
        }
        endPsn = Psn.distance(oldestPsn, endPsn) > 0 ? oldestPsn : endPsn;
    }

    // Losses.

    /**
     * Decides after answers, or at a deadline, which packets are lost. Returns whether any packet is to be sent
     * again.
     */
    public boolean settle(long nowNs) {
        deadlineNs = Times.NEVER;
        markedPath = -1;
        congestion.apply(flight.listed(), flight.nextOrder(), nowNs);
        for (Path path : paths) {
            overtaken(path, nowNs);
            silent(path, nowNs);
        }
        boolean waiting = waiting();
        if (waiting) {
            probes.settle(nowNs);
        }
        for (Path path : paths) {
            if (path.state == PathState.RETIRED) {
                loseAll(path);
            }
        }
        deadlineNs = waiting ? Times.earlier(deadlineNs, probes.deadlineNs()) : Times.NEVER;
        return lost > 0;
    }

    /** Packets of a path that a later one has overtaken for long enough. */
    private void overtaken(Path path, long nowNs) {
        if (path.head == InFlight.NONE) {
            return;
        }
        long waitNs = path.lossNs(tolerance.quarters(), initialNs);
        boolean lossy = false;
        while (path.head != InFlight.NONE && flight.turn[path.head] - path.answeredTurn < 0) {
            long dueNs = Times.after(flight.sentNs[path.head], waitNs);
            if (!Times.due(dueNs, nowNs)) {
                deadlineNs = Times.earlier(deadlineNs, dueNs);
                break;
            }
            lossy |= lose(path.head, true);
            congestion.lost(false);
        }
        if (lossy) {
            probes.on(path, PathEvent.LOSSY, nowNs);
        }
    }

    /** A path that does not answer although others have answered what was sent later. */
    private void silent(Path path, long nowNs) {
        if (path.head == InFlight.NONE || path.state != PathState.ACTIVE || path.questionDue || path.questionOpen) {
            return;
        }
        long silenceNs = path.known() ? path.silenceNs(initialNs) : probes.unknownNs(FIRST_QUESTION);
        long dueNs = Times.after(path.sinceNs(flight.sentNs[path.head]), silenceNs);
        if (!Times.due(dueNs, nowNs)) {
            deadlineNs = Times.earlier(deadlineNs, dueNs);
        } else if (!path.known() || answeredOrder - flight.order[path.head] < 0) {
            // No later packet, or a path that may be much longer than the others: the answer to a question shows what
            // has arrived, and that to one on another path whether
            // this one is dead.
            path.ask();
            probes.askAfter(path);
        } else if (probes.usable() > 1) {
            lose(path.head, true);
            urgent = true;
            probes.on(path, PathEvent.SILENT, nowNs);
        } else {
            path.ask();
        }
    }

    /**
     * A packet is lost. A request with many PSNs that the peer has not executed is lost as a whole: a part of it would
     * be another request. Returns whether the path is lossy, which losses by a full queue do not show.
     */
    private boolean lose(int slot, boolean byPath) {
        if (!flight.is(slot, InFlight.DATA)) {
            return loseOne(slot, byPath);
        }
        int first = flight.firstOfRequest(slot);
        // The beginning of a request that has been answered in part is forgotten.
        if (!flight.is(first, InFlight.FIRST) || Psn.distance(executedPsn, flight.psn[first]) > 0) {
            return loseOne(slot, byPath);
        }
        boolean lossy = false;
        for (int at = first; at != InFlight.NONE; at = flight.nextOfRequest(at)) {
            lossy |= !flight.is(at, InFlight.ANSWERED) && loseOne(at, byPath);
        }
        return lossy;
    }

    private boolean loseOne(int slot, boolean byPath) {
        Path path = paths[flight.path[slot]];
        flight.unlist(slot, path);
        flight.clear(slot, InFlight.KEPT);
        if (!flight.is(slot, InFlight.LOST)) {
            flight.set(slot, InFlight.LOST);
            int psn = flight.psn[slot];
            highestLostPsn = lost == 0 || Psn.distance(psn, highestLostPsn) > 0 ? psn : highestLostPsn;
            lost++;
        }
        return byPath && path.lossy(true);
    }

    private void loseAll(Path path) {
        while (path.head != InFlight.NONE) {
            lose(path.head, true);
        }
    }

    /** The peer could not execute the oldest packet, or its answer could not be placed: it is sent again. */
    public void loseOldest() {
        int slot = flight.find(oldestPsn);
        if (slot != InFlight.NONE) {
            flight.clear(slot, InFlight.ANSWERED);
            lose(slot, true);
            urgent = true;
        }
    }

    /**
     * Nothing was answered in time. The last packet is sent again: its answer reports all others. Each path is asked
     * whether it works.
     */
    public void onTimeout() {
        urgent = true;
        congestion.timedOut();
        for (int psn = Psn.plus(endPsn, -1); Psn.distance(psn, oldestPsn) >= 0; psn = Psn.plus(psn, -1)) {
            int slot = flight.find(psn);
            if (slot != InFlight.NONE && flight.is(slot, InFlight.LISTED)) {
                lose(slot, true);
                break;
            }
        }
        if (lost == 0) {
            // The peer keeps all requests, or did: the answer to the oldest one may be lost.
            loseOldest();
        }
        probes.askAll();
    }

    /** Whether a packet is to be sent again. */
    public boolean isLost(int psn) {
        int slot = flight.find(psn);
        return slot != InFlight.NONE && flight.is(slot, InFlight.LOST);
    }

    /** Whether a packet with this PSN or a later one is to be sent again. */
    public boolean lostFrom(int psn) {
        return lost > 0 && Psn.distance(highestLostPsn, psn) >= 0;
    }

    /** The first PSN that is to be sent again, or -1. */
    public int firstLost() {
        for (int psn = oldestPsn; lostFrom(psn); psn = Psn.plus(psn, 1)) {
            if (isLost(psn)) {
                return psn;
            }
        }
        return -1;
    }

    /** The time at which {@link #settle} is due, or {@link Times#NEVER}. */
    public long deadlineNs() {
        return waiting() ? Times.earlier(deadlineNs, probes.deadlineNs()) : Times.NEVER;
    }

    /** What is known about the paths. Any thread. */
    public List<ConnectionPath> figures() {
        return Arrays.stream(paths).map(Path::figures).toList();
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) oldestPsn << 32 | executedPsn);
        d = Digest.mix(d, (long) endPsn << 32 | highestLostPsn);
        d = Digest.mix(d, (long) lost << 32 | inBurst << 16 | turn << 1 | (urgent ? 1 : 0));
        d = Digest.mix(Digest.mix(d, answeredOrder), deadlineNs);
        d = probes.stateDigest(tolerance.stateDigest(d));
        for (Path path : paths) {
            d = path.stateDigest(d);
        }
        d = congestion.stateDigest(d);
        return flight.stateDigest(d, oldestPsn, endPsn);
    }
}
