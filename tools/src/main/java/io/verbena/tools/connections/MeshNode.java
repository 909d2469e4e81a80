package io.verbena.tools.connections;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A node of a {@link DatagramMesh}: an RNIC with an address of its own, and the queue pairs of its programs. */
final class MeshNode implements AutoCloseable {

    private static final int CQ_ENTRIES = 1 << 14;

    /** A queue pair, and a message to the program of the same number on another node. */
    record Lane(QueuePair queuePair, WorkRequest message) {}

    final int index;
    final Rnic rnic;
    final ProtectionDomain domain;
    final ReliableDatagramDomain datagrams;
    final CompletionQueue cq;
    final MemoryRegion memory;
    final int messageBytes;

    /** One of each program. */
    final List<QueuePair> datagramPairs = new ArrayList<>();

    /** By the number of the other node. */
    final Map<Integer, EndToEndContext> contexts = new HashMap<>();

    private final Map<Integer, Lane> datagramLanes = new HashMap<>();
    private final Map<Integer, Lane> connectedLanes = new HashMap<>();
    private final CompletionCursor cursor;
    private final int[] left;
    private final int[] outstanding;

    MeshNode(int index, int programs, int messageBytes) {
        this.index = index;
        this.messageBytes = messageBytes;
        left = new int[programs];
        outstanding = new int[programs];
        rnic = Rnic.open(RnicOptions.defaults().withProvider("roce").withProgress(Progress.INLINE));
        domain = rnic.allocateProtectionDomain();
        datagrams = rnic.allocateReliableDatagramDomain();
        cq = rnic.createCompletionQueue(CQ_ENTRIES);
        cursor = cq.cursor();
        memory = domain.allocate((long) programs * messageBytes, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
    }

    private static int key(int program, MeshNode far) {
        return program << 16 | far.index;
    }

    private WorkRequest write(QueuePair by, int program, MeshNode far) {
        long at = (long) program * messageBytes;
        return by.newWorkRequest()
                .write(far.memory.address() + at, far.memory.rkey())
                .gather(memory, at, messageBytes)
                .id(program);
    }

    /** The messages of a program to another node go through the context with this node. */
    void laneByDatagrams(int program, MeshNode far, EndToEndContext context, int qkey) {
        QueuePair by = datagramPairs.get(program);
        int number = far.datagramPairs.get(program).number();
        datagramLanes.put(
                key(program, far), new Lane(by, write(by, program, far).to(context, number, qkey)));
    }

    /** The messages of a program to another node go through this connected queue pair. */
    void laneByConnection(int program, MeshNode far, QueuePair by) {
        connectedLanes.put(key(program, far), new Lane(by, write(by, program, far)));
    }

    /** Connected queue pairs of this node. */
    int connectedPairs() {
        return connectedLanes.size();
    }

    /** Each program is to write this number of messages. */
    void begin(int messages) {
        Arrays.fill(left, messages);
    }

    /** Posts messages of each program, to the other nodes in turn. */
    void post(boolean byDatagrams, List<MeshNode> nodes, int depth) {
        Map<Integer, Lane> lanes = byDatagrams ? datagramLanes : connectedLanes;
        for (int program = 0; program < left.length; program++) {
            while (left[program] > 0 && outstanding[program] < depth) {
                int to = (index + 1 + left[program] % (nodes.size() - 1)) % nodes.size();
                Lane lane = lanes.get(key(program, nodes.get(to)));
                if (lane == null || !lane.queuePair().post(lane.message())) {
                    break;
                }
                left[program]--;
                outstanding[program]++;
            }
        }
    }

    /** Takes completions; returns their number. */
    int poll() throws Failure {
        int count = 0;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new Failure("A message failed: " + cursor.status() + ", " + cursor.reason());
            }
            outstanding[(int) cursor.wrId()]--;
            count++;
        }
        return count;
    }

    @Override
    public void close() {
        rnic.close();
    }
}
