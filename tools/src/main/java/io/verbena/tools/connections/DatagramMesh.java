package io.verbena.tools.connections;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs on several nodes that communicate with each other, by reliable datagrams or by reliable connections. All RNICs are
 * in this process, and the calling thread drives them.
 */
public final class DatagramMesh implements AutoCloseable {

    private static final int QKEY = 0x2222;
    private static final int DEPTH = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(PATIENCE);

    private final List<MeshNode> nodes = new ArrayList<>();
    private final int programs;

    private DatagramMesh(int programs) {
        this.programs = programs;
    }

    /** Nodes with this number of programs each, without queue pairs. */
    public static DatagramMesh of(int count, int programs, int messageBytes) {
        DatagramMesh datagramMesh = new DatagramMesh(programs);
        boolean complete = false;
        try {
            for (int i = 0; i < count; i++) {
                datagramMesh.nodes.add(new MeshNode(i, programs, messageBytes));
            }
            complete = true;
            return datagramMesh;
        } finally {
            if (!complete) {
                datagramMesh.close();
            }
        }
    }

    private interface PairStep {
        void connect(MeshNode near, MeshNode far, Listener listener) throws ConnectionException, Failure;
    }

    private void eachPair(PairStep step) throws IOException, Failure {
        InetAddress any = InetAddress.getLoopbackAddress();
        for (MeshNode far : nodes) {
            try (Listener listener = far.rnic.listen(new InetSocketAddress(any, 0))) {
                for (MeshNode near : nodes.subList(0, far.index)) {
                    step.connect(near, far, listener);
                }
            } catch (ConnectionException e) {
                throw new Failure("The nodes were not connected: " + e.getMessage(), e);
            }
        }
    }

    private static ConnectionRequest request(Listener listener) throws Failure {
        return listener.nextRequest(PATIENCE).orElseThrow(() -> new Failure("A request of a node did not arrive"));
    }

    /** Connects all programs by reliable datagrams: one queue pair for each program, one context for each other node. */
    public void connectByDatagrams() throws IOException, Failure {
        for (MeshNode node : nodes) {
            for (int program = 0; program < programs; program++) {
                node.datagramPairs.add(started(node));
            }
        }
        eachPair((near, far, listener) -> {
            EndToEndContext from = near.datagrams.startConnect(listener.localAddress(), OPTIONS);
            EndToEndContext to = request(listener).startAcceptContext(far.datagrams, OPTIONS);
            from.awaitEstablished(PATIENCE);
            to.awaitEstablished(PATIENCE);
            for (int program = 0; program < programs; program++) {
                near.laneByDatagrams(program, far, from, QKEY);
                far.laneByDatagrams(program, near, to, QKEY);
            }
        });
    }

    private static QueuePair started(MeshNode node) {
        QueuePair queuePair =
                node.domain.createQueuePair(QueuePairOptions.of(node.cq).withReliableDatagrams(node.datagrams));
        PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(InetAddress.getLoopbackAddress()))
                .withPartition(0, QKEY);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        return queuePair;
    }

    /** Connects each program with the program of the same number on every other node by a reliable connection. */
    public void connectByPairs() throws IOException, Failure {
        eachPair((near, far, listener) -> {
            for (int program = 0; program < programs; program++) {
                QueuePair from = near.domain.createQueuePair(QueuePairOptions.of(near.cq));
                QueuePair to = far.domain.createQueuePair(QueuePairOptions.of(far.cq));
                Connection opening = near.rnic.startConnect(from, listener.localAddress(), OPTIONS);
                Connection accepted = request(listener).startAccept(to, OPTIONS);
                opening.awaitEstablished(PATIENCE);
                accepted.awaitEstablished(PATIENCE);
                near.laneByConnection(program, far, from);
                far.laneByConnection(program, near, to);
            }
        });
    }

    /** Queue pairs of reliable datagrams on a node, as its RNIC counts them. */
    public int datagramPairs() {
        return nodes.getFirst().datagrams.queuePairs();
    }

    /** End-to-end contexts of a node, as its RNIC counts them. */
    public int contexts() {
        return nodes.getFirst().datagrams.contexts().size();
    }

    /** Connected queue pairs of a node. */
    public int connectedPairs() {
        return nodes.getFirst().connectedPairs();
    }

    /**
     * Every program writes messages to the programs of the same number on the other nodes, in turn. Returns bytes per second
     * of all nodes together.
     *
     * @param messages of each program
     * @param byDatagrams whether by reliable datagrams, otherwise by reliable connections
     */
    public double run(int messages, boolean byDatagrams) throws Failure {
        nodes.forEach(node -> node.begin(messages));
        long total = (long) nodes.size() * programs * messages;
        long done = 0;
        long startNs = System.nanoTime();
        long progressAtNs = startNs;
        while (done < total) {
            long before = done;
            for (MeshNode node : nodes) {
                node.post(byDatagrams, nodes, DEPTH);
                done += node.poll();
            }
            long nowNs = System.nanoTime();
            if (done > before) {
                progressAtNs = nowNs;
            } else if (nowNs - progressAtNs > PATIENCE.toNanos()) {
                throw new Failure("No message completed within " + PATIENCE.toSeconds() + " seconds");
            }
        }
        return total * nodes.getFirst().messageBytes * 1e9 / (System.nanoTime() - startNs);
    }

    @Override
    public void close() {
        nodes.forEach(MeshNode::close);
    }
}
