package io.verbena.ib.cm;

import io.verbena.ib.packet.Origin;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The connections of a port: by their number, by the request of the peer, and by the queue pair of the peer. The cost
 * of a lookup does not depend on the number of connections, which peers determine.
 */
final class CmConnections {

    /** A number that a peer has assigned. Numbers of different peers are independent. */
    private record Remote(long guid, int number, long addressHigh, long addressLow) {

        static Remote of(long guid, int number, Origin origin) {
            return new Remote(guid, number, origin.sourceHigh(), origin.sourceLow());
        }

        static Remote of(long guid, int number, CmConnection c) {
            return new Remote(guid, number, c.path().addressHigh(), c.path().addressLow());
        }
    }

    private static final long ANY_GUID = 0;
    private static final int CONTEXT = 1 << 24;

    /** An answer that was faster than the others takes this fraction of the difference from the measure. */
    private static final int FORGETTING = 8;

    /** Number of rejections that are remembered. */
    private static final int MOST_REJECTIONS = 256;

    private final Map<Integer, CmConnection> byNumber = new LinkedHashMap<>();
    private final Map<Remote, CmConnection> byRequest = new HashMap<>();
    private final Map<Remote, CmConnection> byRemoteNumber = new HashMap<>();
    private final Map<Remote, CmConnection> byQueuePair = new HashMap<>();

    /** Rejections of the last requests. The network may still deliver copies of these requests. */
    private final SequencedMap<Remote, byte[]> rejections = new LinkedHashMap<>();

    private final CmRecord record;

    private int waiting;
    private int parting;
    private int unsure;

    /** How long peers take to answer: the longest time lately. */
    private long answerNs;

    CmConnections(CmRecord record) {
        this.record = record;
    }

    /** A peer has answered after this time. Longer times count at once, shorter ones gradually. */
    void answeredAfter(long tookNs) {
        answerNs = tookNs > answerNs ? tookNs : answerNs - (answerNs - tookNs) / FORGETTING;
    }

    /** The time after which a message is repeated for the first time: twice the usual time of an answer, and at least this. */
    long usualFirstSilenceNs(long leastNs) {
        return Math.max(leastNs, 2 * answerNs);
    }

    void add(CmConnection c) {
        byNumber.put(c.localId(), c);
    }

    /** The peer's number, CA GUID and queue pair are known. */
    void identified(CmConnection c) {
        if (!c.active()) {
            byRequest.put(Remote.of(c.remoteGuid(), c.remoteId(), c), c);
            byRemoteNumber.put(Remote.of(ANY_GUID, c.remoteId(), c), c);
        }
        byQueuePair.put(endOf(c), c);
    }

    /** A connection has changed its state. */
    void moved(CmConnection c, CmState from, CmState to) {
        waiting += (waits(to) ? 1 : 0) - (waits(from) ? 1 : 0);
        parting += (to == CmState.DREQ_SENT ? 1 : 0) - (from == CmState.DREQ_SENT ? 1 : 0);
        unsure += (mayRepeat(c, from, to) ? 1 : 0) - (c.peerMayRepeat() ? 1 : 0);
        c.peerMayRepeat(mayRepeat(c, from, to));
        if (to == CmState.TIMEWAIT) {
            byQueuePair.remove(endOf(c), c);
        }
        if (known(to)) {
            record.add(new CmRecord.Entry(
                    c.localId(),
                    c.remoteId(),
                    c.remoteQueuePair(),
                    c.path().addressHigh(),
                    c.path().addressLow()));
        } else if (known(from)) {
            record.remove(c.localId());
        }
    }

    /** Whether the peer may have the connection, under numbers that this side knows. */
    private static boolean known(CmState state) {
        return switch (state) {
            case REP_SENT, MRA_REP_RCVD, ESTABLISHED, DREQ_SENT -> true;
            default -> false;
        };
    }

    private static Remote endOf(CmConnection c) {
        return Remote.of(c.remoteGuid(), end(c.remoteQueuePair(), c.reliableDatagram()), c);
    }

    /** Queue pairs and end-to-end contexts are numbered independently. */
    private static int end(int number, boolean context) {
        return context ? number | CONTEXT : number;
    }

    private static boolean waits(CmState state) {
        return state == CmState.REQ_RCVD || state == CmState.MRA_REQ_SENT;
    }

    /** Whether the peer repeats its DREQ if it does not receive the DREP. If this side has sent a DREQ as well, that ends the peer. */
    private static boolean mayRepeat(CmConnection c, CmState from, CmState to) {
        return to == CmState.TIMEWAIT && (from == CmState.TIMEWAIT ? c.peerMayRepeat() : from != CmState.DREQ_SENT);
    }

    void remove(CmConnection c) {
        if (byNumber.remove(c.localId(), c)) {
            unsure -= c.peerMayRepeat() ? 1 : 0;
            waiting -= waits(c.state()) ? 1 : 0;
            parting -= c.state() == CmState.DREQ_SENT ? 1 : 0;
            byRequest.remove(Remote.of(c.remoteGuid(), c.remoteId(), c), c);
            byRemoteNumber.remove(Remote.of(ANY_GUID, c.remoteId(), c), c);
            byQueuePair.remove(endOf(c), c);
        }
    }

    Optional<CmConnection> find(int localId) {
        return Optional.ofNullable(byNumber.get(localId));
    }

    /** The connection that a request of a peer created. */
    Optional<CmConnection> ofRequest(long guid, int remoteId, Origin origin) {
        return Optional.ofNullable(byRequest.get(Remote.of(guid, remoteId, origin)));
    }

    /** A request was rejected. A copy of it gets the same answer and is not a request again. */
    void rejected(CmConnection c, byte[] rejection) {
        rejections.put(Remote.of(c.remoteGuid(), c.remoteId(), c), rejection);
        if (rejections.size() > MOST_REJECTIONS) {
            rejections.pollFirstEntry();
        }
    }

    /** The answer to a request that was rejected. */
    Optional<byte[]> rejection(long guid, int remoteId, Origin origin) {
        return Optional.ofNullable(rejections.get(Remote.of(guid, remoteId, origin)));
    }

    /** The connection with a number of the peer, created by a request of the peer. */
    Optional<CmConnection> ofRemoteNumber(int remoteId, Origin origin) {
        return Optional.ofNullable(byRemoteNumber.get(Remote.of(ANY_GUID, remoteId, origin)));
    }

    /** The connection of a queue pair, or of an end-to-end context, of the peer, except in TIMEWAIT. */
    Optional<CmConnection> ofQueuePair(long guid, int number, boolean context, Origin origin) {
        return Optional.ofNullable(byQueuePair.get(Remote.of(guid, end(number, context), origin)));
    }

    /** Number of requests of peers that wait for the application. */
    int waiting() {
        return waiting;
    }

    /** Number of connections whose DREQ is not answered. */
    int parting() {
        return parting;
    }

    /** Number of connections in TIMEWAIT that the peer has ended. It repeats its DREQ if the answer is lost. */
    int unsure() {
        return unsure;
    }

    int size() {
        return byNumber.size();
    }

    /** Number of index entries. */
    int indexed() {
        return byRequest.size() + byRemoteNumber.size() + byQueuePair.size();
    }

    Collection<CmConnection> all() {
        return byNumber.values();
    }
}
