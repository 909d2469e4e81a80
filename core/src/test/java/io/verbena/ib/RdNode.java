package io.verbena.ib;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.UdpEncapsulation;
import io.verbena.ib.rd.RdContext;
import io.verbena.ib.rd.RdDomain;
import io.verbena.ib.rd.RdQueuePair;
import io.verbena.ib.settings.RdSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.work.QueuePairContext;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A node with reliable datagram queue pairs and one context per other node. The test delivers the packets. */
final class RdNode {

    static final int Q_KEY = 0x1111_1111;

    /** A queue pair with its queues. */
    static final class Pair {
        final WorkQueue send = new WorkQueue(64, Wqe.strideBytes(4, 64));
        final WorkQueue receive = new WorkQueue(64, Wqe.strideBytes(4, 64));
        final CompletionRing ring = new CompletionRing(256);
        final RdQueuePair queuePair;
        private final Wqe wqe = new Wqe();
        private final Cqe cqe = new Cqe();

        Pair(RdNode node, int number) {
            WorkQueues queues = new WorkQueues(number, false, send, new ReceiveQueue(receive), ring, ring);
            queuePair =
                    new RdQueuePair(number, Q_KEY, QueuePairWork.of(new QueuePairContext(queues, node.regions, 1, 0)));
            node.domain.add(queuePair);
        }

        void post(WorkOpcode opcode, int toNode, int toPair, Consumer<Wqe> details) {
            post(opcode, toNode, toPair, Q_KEY, details);
        }

        void post(WorkOpcode opcode, int toNode, int toPair, int qKey, Consumer<Wqe> details) {
            post(
                    opcode,
                    WrFlags.SIGNALLED,
                    w -> details.accept(w.destination(toPair, qKey).otherKey(toNode)));
        }

        void post(WorkOpcode opcode, WrFlags flags, Consumer<Wqe> details) {
            if (!send.claim(wqe)) {
                throw new AssertionError("send queue full");
            }
            details.accept(wqe.clear(opcode, flags));
            send.written();
            send.publish();
        }

        void postReceive(long id, Region region, int length) {
            if (!receive.claim(wqe)) {
                throw new AssertionError("receive queue full");
            }
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(id).addElement(region.localKey(), 0, length);
            receive.written();
            receive.publish();
        }

        List<String> completions() {
            List<String> all = new ArrayList<>();
            while (ring.peek(cqe)) {
                all.add(cqe.wrId() + " " + cqe.opcode() + " " + cqe.status() + " " + cqe.byteCount());
                ring.release();
            }
            return all;
        }
    }

    final int index;
    final RegionTable regions;
    final RdDomain domain = new RdDomain();
    final List<Pair> pairs = new ArrayList<>();
    /** Indexed by the number of the other node, which is also the number of the context. */
    final Map<Integer, RdContext> contexts = new TreeMap<>();

    final Map<Integer, ArrayDeque<byte[]>> wires = new TreeMap<>();
    private final PacketList list = new PacketList(256 * 1024);
    private final PacketBuilder builder = new PacketBuilder(list, new UdpEncapsulation(0, Station.ADDRESS, 4791));

    RdNode(int index, int queuePairs, int nodes, int firstPsn, int rnrRetries) {
        this.index = index;
        SplittableRandom generator = new SplittableRandom(index);
        regions = new RegionTable(generator::nextLong);
        for (int i = 0; i < queuePairs; i++) {
            pairs.add(new Pair(this, 0x10 + i));
        }
        for (int other = 0; other < nodes; other++) {
            if (other != index) {
                PacketPath path = new PacketPath(0, Station.ADDRESS + other, 4791, 0);
                RdSettings settings = new SettingsBuilder()
                        .local(other)
                        .remote(index)
                        .mtuBytes(256)
                        .firstPsns(firstPsn + index, firstPsn + other)
                        .retries(7, rnrRetries)
                        .ackTimeoutNs(1_000_000)
                        .windowPackets(16)
                        .context();
                contexts.put(other, new RdContext(settings, domain, path));
                wires.put(other, new ArrayDeque<>());
            }
        }
    }

    Region region(int bytes) {
        return regions.register(new OffHeapMemory().allocate(bytes), 1, RcPair.ALL);
    }

    void transmit(long nowNs) {
        contexts.forEach((other, context) -> {
            while (context.hasTransmitWork(nowNs)) {
                list.reset(64, 65_507);
                context.fillTransmit(builder, 64 * 1024, nowNs);
                if (list.packets() == 0) {
                    break;
                }
                for (int i = 0; i < list.packets(); i++) {
                    ByteBuffer copy = ByteBuffer.allocate(list.length(i));
                    list.copyOut(i, copy);
                    wire(other).addLast(copy.array());
                }
            }
        });
    }

    List<String> sentTo(int other, long nowNs) {
        transmit(nowNs);
        List<String> lines = new ArrayList<>();
        for (byte[] each : wire(other)) {
            lines.add(RcPair.text(each).replaceAll(" (eec|qkey|src)=0x\\w+", "").replace("RD_", ""));
        }
        return lines;
    }

    void receive(int from, byte[] bytes, long nowNs) {
        IbPacket packet = new IbPacket();
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (packet.decode(segment, 0, bytes.length) != IbPacketOutcome.OK) {
            return;
        }
        context(from).onPacket(packet, segment, new Origin().source(0, Station.ADDRESS + from), nowNs);
    }

    /** Packets on their way to another node. */
    ArrayDeque<byte[]> wire(int other) {
        return Objects.requireNonNull(wires.get(other));
    }

    /** The end-to-end context with another node. */
    RdContext context(int other) {
        return Objects.requireNonNull(contexts.get(other));
    }
}
