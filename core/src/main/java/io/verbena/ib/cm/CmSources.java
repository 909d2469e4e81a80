package io.verbena.ib.cm;

import io.verbena.base.Digest;
import io.verbena.base.KeyedHash;
import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.ib.packet.Origin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The addresses that requests come from. A sender can forge its address, but does not receive what is sent there. A few requests from
 * unknown addresses reach the application; while more arrive, an address has to show first that it receives:
 *
 * <pre>
 *   REQ -->
 *       &lt;-- DREQ of a connection that does not exist; its two numbers are a keyed hash of the address and the time
 *   DREP -->    returns both numbers, as for any unknown connection: the address is known, and the REQ is processed
 * </pre>
 *
 * <p>The question requires no state. The latest requests are kept, so that a peer need not repeat them; if the answer comes later, the
 * repeated REQ is processed. Every implementation answers a DREQ of an unknown connection, because its DREP may have been lost (Linux:
 * {@code cm_issue_drep}). An address is known for ten minutes after an answer or an established connection.
 */
final class CmSources {

    /** Requests from unknown addresses that are processed at once, and the time after which there may be one more. */
    static final int BURST = 16;

    static final long INTERVAL_NS = 500_000_000L;

    static final int MOST_KNOWN = 4_096;
    static final int MOST_HELD = 2_048;
    private static final long KNOWN_NS = 600_000_000_000L;

    /** A step of time is 2^33 ns, 8.6 s. The numbers of a question are valid in that step and in the next one. */
    private static final int STEP_BITS = 33;

    private final CmAgent agent;
    private final CmPort port;
    private final RandomSource random;
    private final CmMessage out = new CmMessage();
    private final Map<Source, Long> known = new LinkedHashMap<>();
    private final Map<Request, byte[]> held = new LinkedHashMap<>();

    /** Its key is chosen when the first question is asked. */
    private Optional<KeyedHash> hash = Optional.empty();

    /** When all requests of unknown addresses so far are paid for. */
    private long paidNs;

    private boolean begun;

    private record Source(long high, long low) {

        static Source of(Origin origin) {
            return new Source(origin.sourceHigh(), origin.sourceLow());
        }
    }

    /** A request that waits until its source is known. */
    private record Request(Source source, int attribute, int number) {}

    CmSources(CmAgent agent, CmPort port, RandomSource random) {
        this.agent = agent;
        this.port = port;
        this.random = random;
    }

    /** Whether a peer has shown that it receives at an address. */
    boolean knows(Origin origin, long nowNs) {
        Long untilNs = known.get(Source.of(origin));
        return untilNs != null && !Times.due(untilNs, nowNs);
    }

    /**
     * Whether a request is processed now. Otherwise it is held, and the address is asked.
     *
     * @param number what distinguishes the requests of one address
     */
    boolean admits(CmMessage in, int number, Origin origin, long nowNs) {
        if (knows(origin, nowNs) || pays(nowNs)) {
            return true;
        }
        Source source = Source.of(origin);
        held.putIfAbsent(new Request(source, in.attribute(), number), in.copy());
        removeEldest(held, MOST_HELD);
        ask(source, nowNs);
        return false;
    }

    private boolean pays(long nowNs) {
        long fromNs = begun && !Times.due(paidNs, nowNs) ? paidNs : nowNs;
        if (Times.leftNs(fromNs, nowNs) > (BURST - 1) * INTERVAL_NS) {
            return false;
        }
        begun = true;
        paidNs = Times.after(fromNs, INTERVAL_NS);
        return true;
    }

    private void ask(Source source, long nowNs) {
        long numbers = numbers(source, nowNs >> STEP_BITS);
        CmMessage m = out.begin(CmMessage.DREQ, numbers);
        m.dreq().localCommId((int) (numbers >>> Integer.SIZE)).remoteCommId((int) numbers);
        agent.send(new PacketPath(source.high(), source.low(), port.address().udpPort(), 0), m.bytes());
    }

    private long numbers(Source source, long step) {
        if (hash.isEmpty()) {
            hash = Optional.of(new KeyedHash(random.nextLong(), random.nextLong()));
        }
        return hash.get().of(source.high(), source.low(), step);
    }

    /** Processes a DREP of no connection. If it answers a question, the source is known, and its requests continue. */
    void onAnswer(int ours, int theirs, Origin origin, long nowNs) {
        Source source = Source.of(origin);
        long numbers = (long) ours << Integer.SIZE | Integer.toUnsignedLong(theirs);
        long step = nowNs >> STEP_BITS;
        if (hash.isEmpty() || knows(origin, nowNs)) {
            return;
        }
        if (numbers != numbers(source, step) && numbers != numbers(source, step - 1)) {
            return;
        }
        know(source, nowNs);
        List<byte[]> requests = new ArrayList<>();
        held.entrySet().removeIf(each -> each.getKey().source().equals(source) && requests.add(each.getValue()));
        requests.forEach(each -> agent.resume(each, origin, nowNs));
    }

    /** A peer has returned a number that was sent to it. */
    void onConfirmed(PacketPath path, long nowNs) {
        know(new Source(path.addressHigh(), path.addressLow()), nowNs);
    }

    private void know(Source source, long nowNs) {
        known.remove(source);
        known.put(source, Times.after(nowNs, KNOWN_NS));
        removeEldest(known, MOST_KNOWN);
    }

    private static void removeEldest(Map<?, ?> map, int most) {
        if (map.size() > most) {
            map.remove(map.keySet().iterator().next());
        }
    }

    /** Number of requests that wait until their source is known. */
    int held() {
        return held.size();
    }

    long stateDigest(long digest) {
        return Digest.mix(Digest.mix(digest, paidNs), (long) known.size() << Integer.SIZE | held.size());
    }
}
