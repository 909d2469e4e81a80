package io.verbena.fabric.endnode;

import io.verbena.fabric.topology.AdapterKind;
import io.verbena.fabric.traffic.Latencies;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A verbs program on many endnodes: they connect by communication management and send RDMA Writes over reliable connections. Each
 * message is verified at its destination when it completes.
 */
public final class VerbsTraffic {

    private static final int SERVICE = 7471;
    private static final Duration SET_UP = Duration.ofSeconds(60);

    /** In a fabric, an acknowledgement takes microseconds, and longer only while a link is congested. */
    private static final RnicOptions RNIC =
            RnicOptions.defaults().withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(2)));

    /** Connections that are being set up at a time, so that no request waits until it times out. */
    private static final int AT_A_TIME = 256;

    private final San san;
    private final VerbsLoad load;
    private final List<VerbsNode> nodes = new ArrayList<>();
    private final List<VerbsFlow> flows = new ArrayList<>();
    private final Latencies latencies = new Latencies();
    private final Map<AdapterKind, Latencies> byKind = new EnumMap<>(AdapterKind.class);
    private long startedNs;
    private long endedNs;
    private long completed;
    private int unfinished;
    private int failed;

    /**
     * Opens the RNICs of the first endnodes of a network, which are not open yet, and creates their queue pairs.
     *
     * @param count number of endnodes, 2 or more
     */
    public VerbsTraffic(San san, int count, VerbsPattern pattern, VerbsLoad load) {
        if (count < 2 || count > san.endnodes()) {
            throw new IllegalArgumentException("a network with " + san.endnodes() + " endnodes has no " + count
                    + " that write: 2 or more are needed");
        }
        this.san = san;
        this.load = load;
        long slots = (long) load.depth() * load.messageBytes();
        int[] out = new int[count];
        int[] in = new int[count];
        int[] entries = new int[count];
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                if (pattern.writes(from, to, count)) {
                    out[from]++;
                    in[to]++;
                    entries[from] += VerbsFlow.entriesOut(load, san.adapter(to));
                    entries[to] += VerbsFlow.entriesIn(load, san.adapter(to));
                }
            }
        }
        for (int i = 0; i < count; i++) {
            checkQueuePairs(i, out[i] + in[i]);
        }
        for (int i = 0; i < count; i++) {
            nodes.add(new VerbsNode(san.open(i, RNIC), slots * (out[i] + in[i]), entries[i], this::onCompletion));
        }
        long[] next = new long[count];
        for (int from = 0; from < count; from++) {
            for (int to = 0; to < count; to++) {
                if (pattern.writes(from, to, count)) {
                    flows.add(new VerbsFlow(
                            flows.size(),
                            load,
                            nodes.get(from),
                            nodes.get(to),
                            slots * next[from]++,
                            slots * next[to]++));
                }
            }
        }
    }

    private void checkQueuePairs(int endnode, int needed) {
        AdapterKind adapter = san.adapter(endnode);
        if (needed > adapter.queuePairs()) {
            throw new IllegalArgumentException("endnode " + endnode + " needs " + needed
                    + " queue pairs, and its adapter of the kind '" + adapter + "' has " + adapter.queuePairs()
                    + "; choose another pattern or fewer nodes");
        }
    }

    /** Number of connections. */
    public int connections() {
        return flows.size();
    }

    /**
     * Establishes all connections; virtual time passes. Connections between endnodes with several ports have an alternate path between
     * their second ports.
     */
    public void connect() throws IOException {
        List<Listener> listeners = new ArrayList<>();
        for (VerbsNode node : nodes) {
            listeners.add(node.endnode.rnic().listen(node.endnode.address(SERVICE)));
        }
        for (int first = 0; first < flows.size(); first += AT_A_TIME) {
            connect(flows.subList(first, Math.min(flows.size(), first + AT_A_TIME)), first, listeners);
        }
        listeners.forEach(Listener::close);
    }

    private void connect(List<VerbsFlow> some, int first, List<Listener> listeners) throws ConnectionException {
        List<Connection> connections = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            VerbsFlow flow = some.get(i);
            byte[] number = ByteBuffer.allocate(Integer.BYTES).putInt(first + i).array();
            connections.add(flow.from()
                    .endnode
                    .rnic()
                    .startConnect(
                            flow.source,
                            flow.to().endnode.address(SERVICE),
                            load.options(first + i).withPrivateData(number).withTimeout(SET_UP)));
        }
        for (VerbsFlow flow : some) {
            ConnectionRequest request = listeners
                    .get(flow.to().endnode.index())
                    .nextRequest(SET_UP)
                    .orElseThrow(() -> new IllegalStateException(flow.to().endnode + " received no request"));
            int number = ByteBuffer.wrap(request.privateData()).getInt();
            connections.add(request.startAccept(
                    flows.get(number).target, load.options(number).withTimeout(SET_UP)));
        }
        for (Connection connection : connections) {
            connection.awaitEstablished(SET_UP);
        }
        some.forEach(VerbsFlow::loadAlternate);
    }

    /** Posts the first messages of all connections. */
    public void start() {
        startedNs = san.world().elapsedNs();
        unfinished = flows.size();
        for (VerbsFlow flow : flows) {
            flow.post(startedNs);
        }
    }

    /** Lets virtual time pass. Returns whether all connections have completed their messages or failed. */
    public boolean run(long forNs) {
        return san.world().runUntil(() -> unfinished == 0, forNs);
    }

    private void onCompletion(long wrId, CompletionStatus status, long bytes) {
        VerbsFlow flow = flows.get(VerbsFlow.number(wrId));
        if (status != CompletionStatus.SUCCESS) {
            if (flow.fail()) {
                failed++;
                unfinished--;
            }
            return;
        }
        if (!flow.succeeded(wrId, bytes)) {
            return;
        }
        endedNs = san.world().elapsedNs();
        long tookNs = endedNs - flow.complete();
        latencies.add(tookNs);
        byKind.computeIfAbsent(flow.to().endnode.adapter(), kind -> new Latencies())
                .add(tookNs);
        completed++;
        if (flow.done()) {
            unfinished--;
        } else {
            flow.post(endedNs);
        }
    }

    /** Connections that have failed. */
    public int failed() {
        return failed;
    }

    /** Messages that have completed and were verified. */
    public long completed() {
        return completed;
    }

    /** All messages. */
    public long messages() {
        return (long) flows.size() * load.messages();
    }

    /** Durations from posting a message to its completion, in nanoseconds. */
    public Latencies latencies() {
        return latencies;
    }

    /** The same for messages to adapters of each kind that has received some. */
    public Map<AdapterKind, Latencies> latenciesByKind() {
        return Collections.unmodifiableMap(byKind);
    }

    /** Nanoseconds from the first post to the last completion. */
    public long durationNs() {
        return endedNs - startedNs;
    }

    /** Bytes of messages per nanosecond, which is GB/s, of all endnodes together. */
    public double goodput() {
        return durationNs() <= 0 ? 0 : (double) completed * load.messageBytes() / durationNs();
    }
}
