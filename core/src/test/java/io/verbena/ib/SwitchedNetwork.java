package io.verbena.ib;

import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A fat tree of switches with queues at their outputs, and connections between its hosts, in virtual time. As many
 * spines as a leaf has hosts, so that the tree has full bisection.
 *
 * <pre>
 *   host -> leaf -> spine (number of the path) -> leaf -> host      each hop: a queue, then a link
 *   host -> leaf -> host                                            within a leaf
 * </pre>
 *
 * In each turn of 10 us a link takes a packet of full length. A queue marks packets from a length on, and at its limit
 * cuts off the payload of a packet, or loses it. Headers without payload and answers go before other packets; a header
 * takes a 16th of a packet. Answers meet no queue.
 */
final class SwitchedNetwork {

    static final long TURN_NS = 10_000;
    static final int MTU = 1024;
    private static final int PER_WRITE = 16;
    private static final int LEAST_WRITES = 48;

    /** Turns of a link. */
    private static final int DELAY = 3;

    private static final int HEADER_PARTS = 16;

    /** What a switch does with a full queue, and from which length on it marks. */
    record Switches(boolean trims, int limit, int marksFrom) {}

    private record Flying(byte[] bytes, Flow flow, int path, boolean marked, boolean trimmed, int hop) {}

    private record Arrival(long turn, long number, Runnable what) implements Comparable<Arrival> {
        @Override
        public int compareTo(Arrival other) {
            int byTurn = Long.compare(turn, other.turn);
            return byTurn != 0 ? byTurn : Long.compare(number, other.number);
        }
    }

    /** A connection, its work, and what has completed. */
    static final class Flow {
        final int from;
        final int to;
        final RcPair pair;
        private final SteadyWrites writes;
        final ArrayDeque<byte[]> built = new ArrayDeque<>();
        final ArrayDeque<Integer> builtPaths = new ArrayDeque<>();
        long done;
        long sent;
        long limit = Long.MAX_VALUE;
        long doneTurn = -1;

        Flow(int from, int to, int paths) {
            this.from = from;
            this.to = to;
            pair = new RcPair(
                    settings(RcPair.A_QP, RcPair.B_QP, 100, 900, paths),
                    settings(RcPair.B_QP, RcPair.A_QP, 900, 100, paths));
            writes = new SteadyWrites(pair, PER_WRITE * MTU);
        }

        private static RcSettings settings(int own, int peer, int sendPsn, int receivePsn, int paths) {
            return RcPair.builder(own, peer, sendPsn, receivePsn)
                    .mtuBytes(MTU)
                    .retries(7, RcSettings.UNLIMITED)
                    .windowPackets(LEAST_WRITES * PER_WRITE)
                    .options(RcOption.SELECTIVE_REPEAT, RcOption.PATHS, RcOption.CONGESTION_CONTROL)
                    .paths(paths)
                    .reliableConnection();
        }

        long timeouts() {
            return pair.a.engine.figures().orElseThrow().timeouts();
        }

        long retransmissions() {
            return pair.a.engine.figures().orElseThrow().retransmissions();
        }

        /** The next packet that the engine builds, or none. */
        private boolean build() {
            if (built.isEmpty()) {
                writes.build((path, bytes) -> {
                    built.add(bytes);
                    builtPaths.add(path);
                });
            }
            return !built.isEmpty();
        }
    }

    /** The queue and the link of an output. */
    private final class Output {
        final ArrayDeque<Flying> headers = new ArrayDeque<>();
        final ArrayDeque<Flying> packets = new ArrayDeque<>();
        int credit;

        void add(Flying packet) {
            if (packet.trimmed()) {
                headers.add(packet);
            } else if (packets.size() < switches.limit()) {
                boolean marks = packets.size() >= switches.marksFrom();
                packets.add(new Flying(
                        packet.bytes(), packet.flow(), packet.path(), packet.marked() || marks, false, packet.hop()));
            } else if (switches.trims()) {
                headers.add(
                        new Flying(packet.bytes(), packet.flow(), packet.path(), packet.marked(), true, packet.hop()));
                trimmed++;
            } else {
                lost++;
            }
        }

        void turn() {
            credit = Math.min(HEADER_PARTS, credit + HEADER_PARTS);
            while (credit > 0 && !headers.isEmpty()) {
                credit--;
                leave(headers.removeFirst());
            }
            if (credit == HEADER_PARTS && !packets.isEmpty() || credit > 0 && !packets.isEmpty()) {
                credit -= HEADER_PARTS;
                leave(packets.removeFirst());
            }
        }

        private void leave(Flying packet) {
            Flying next = new Flying(
                    packet.bytes(), packet.flow(), packet.path(), packet.marked(), packet.trimmed(), packet.hop() + 1);
            at(turn + DELAY, () -> arrive(next));
        }
    }

    final List<Flow> flows = new ArrayList<>();
    long lost;
    long trimmed;
    long turn;
    private final int hostsPerLeaf;
    private final Switches switches;
    private final List<List<Output>> up = new ArrayList<>();
    private final List<List<Output>> down = new ArrayList<>();
    private final List<Output> toHost = new ArrayList<>();
    private final PriorityQueue<Arrival> arrivals = new PriorityQueue<>();
    private long arrivalNumber;

    SwitchedNetwork(int leaves, int hostsPerLeaf, Switches switches) {
        this.hostsPerLeaf = hostsPerLeaf;
        this.switches = switches;
        for (int leaf = 0; leaf < leaves; leaf++) {
            up.add(outputs(hostsPerLeaf));
            down.add(outputs(hostsPerLeaf));
        }
        toHost.addAll(outputs(leaves * hostsPerLeaf));
    }

    private List<Output> outputs(int count) {
        List<Output> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new Output());
        }
        return all;
    }

    /** Adds a connection with a path over each spine. */
    Flow flow(int from, int to) {
        Flow flow = new Flow(from, to, hostsPerLeaf);
        flows.add(flow);
        return flow;
    }

    private void at(long when, Runnable what) {
        arrivals.add(new Arrival(when, arrivalNumber++, what));
    }

    /** A packet is at the switch after its hop: 0 the first leaf, 1 the spine, 2 the last leaf, 3 the host. */
    private void arrive(Flying packet) {
        int fromLeaf = packet.flow().from / hostsPerLeaf;
        int toLeaf = packet.flow().to / hostsPerLeaf;
        // The paths of each connection begin at another spine.
        int spine = (packet.path() + packet.flow().from) % hostsPerLeaf;
        switch (packet.hop()) {
            case 0 ->
                (fromLeaf == toLeaf
                                ? toHost.get(packet.flow().to)
                                : up.get(fromLeaf).get(spine))
                        .add(fromLeaf == toLeaf ? with(packet, 2) : packet);
            case 1 -> down.get(toLeaf).get(spine).add(packet);
            case 2 -> toHost.get(packet.flow().to).add(packet);
            default -> receive(packet);
        }
    }

    private static Flying with(Flying packet, int hop) {
        return new Flying(packet.bytes(), packet.flow(), packet.path(), packet.marked(), packet.trimmed(), hop);
    }

    private void receive(Flying packet) {
        RcPair pair = packet.flow().pair;
        pair.nowNs = turn * TURN_NS;
        if (packet.trimmed()) {
            IbPacket headers = new IbPacket();
            headers.decode(MemorySegment.ofArray(packet.bytes()), 0, packet.bytes().length);
            pair.b.engine.onTrimmed(headers, pair.b.origin);
        } else {
            pair.b.origin.trafficClass(packet.marked() ? 3 : 2);
            pair.b.receive(packet.bytes(), pair.nowNs);
        }
        pair.b.transmit(pair.nowNs);
        int back = packet.flow().from / hostsPerLeaf == packet.flow().to / hostsPerLeaf ? 2 * DELAY : 4 * DELAY;
        while (!pair.b.wire.isEmpty()) {
            byte[] answer = pair.b.wire.removeFirst();
            at(turn + back, () -> pair.a.receive(answer, turn * TURN_NS));
        }
    }

    /** Lets time pass. */
    void run(int turns) {
        for (int i = 0; i < turns; i++) {
            turn++;
            while (!arrivals.isEmpty() && arrivals.peek().turn() <= turn) {
                arrivals.remove().what().run();
            }
            up.forEach(all -> all.forEach(Output::turn));
            down.forEach(all -> all.forEach(Output::turn));
            toHost.forEach(Output::turn);
            for (int flow = 0; flow < flows.size(); flow++) {
                // No host is always the first one.
                serve(flows.get((int) ((flow + turn) % flows.size())));
            }
        }
    }

    private void serve(Flow flow) {
        flow.pair.nowNs = turn * TURN_NS;
        flow.writes.post(LEAST_WRITES + 4, flow.limit);
        flow.pair.a.engine.onDeadline(flow.pair.nowNs);
        if (flow.build()) {
            flow.sent++;
            Flying packet = new Flying(flow.built.removeFirst(), flow, flow.builtPaths.removeFirst(), false, false, 0);
            at(turn + DELAY, () -> arrive(packet));
        }
        flow.done += flow.pair.a.completions().size();
        if (flow.done == flow.limit && flow.doneTurn < 0) {
            flow.doneTurn = turn;
        }
    }

    /** Packets of payload that completed work has carried. */
    long packetsDone() {
        return flows.stream().mapToLong(it -> it.done * PER_WRITE).sum();
    }
}
