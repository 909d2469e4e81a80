package io.verbena.ib;

import io.verbena.base.PacketList;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.UdpEncapsulation;
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
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;

/** A queue pair of any service without an RNIC. The test delivers the packets. */
public final class Station<E extends QueuePairEngine> {

    public static final long ADDRESS = 0xffff_0a00_0000L;

    final int number;
    final RegionTable regions;
    final WorkQueue send = new WorkQueue(64, Wqe.strideBytes(4, 64));
    public final WorkQueue receive = new WorkQueue(64, Wqe.strideBytes(4, 64));
    final CompletionRing ring = new CompletionRing(256);
    final PacketList list = new PacketList(256 * 1024);
    final PacketBuilder builder;
    public final ArrayDeque<byte[]> wire = new ArrayDeque<>();
    public final Origin origin = new Origin().source(0, ADDRESS + 2).target(0, ADDRESS + 1);
    public final E engine;
    private final Wqe wqe = new Wqe();
    private final Cqe cqe = new Cqe();

    public Station(int number, Function<QueuePairWork, E> engine) {
        this.number = number;
        SplittableRandom generator = new SplittableRandom(number);
        regions = new RegionTable(generator::nextLong);
        builder = new PacketBuilder(list, new UdpEncapsulation(0, ADDRESS + 1, 4791));
        WorkQueues queues = new WorkQueues(number, false, send, new ReceiveQueue(receive), ring, ring);
        this.engine = engine.apply(QueuePairWork.of(new QueuePairContext(queues, regions, 1, 0)));
    }

    public Region region(int bytes) {
        return regions.register(new OffHeapMemory().allocate(bytes), 1, RcPair.ALL);
    }

    public void post(WorkOpcode opcode, WrFlags flags, Consumer<Wqe> details) {
        if (!send.claim(wqe)) {
            throw new AssertionError("send queue full");
        }
        details.accept(wqe.clear(opcode, flags));
        send.written();
        send.publish();
    }

    public void postReceive(long id, Region region, int length) {
        if (!receive.claim(wqe)) {
            throw new AssertionError("receive queue full");
        }
        wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(id).addElement(region.localKey(), 0, length);
        receive.written();
        receive.publish();
    }

    /** Completions as text: {@code "7 RECEIVE SUCCESS 48 from=17"}. */
    public List<String> completions() {
        List<String> all = new ArrayList<>();
        while (ring.peek(cqe)) {
            all.add(cqe.wrId() + " " + cqe.opcode() + " " + cqe.status() + " " + cqe.byteCount()
                    + (cqe.hasImmediate() ? " imm=" + cqe.immediate() : "")
                    + (cqe.hasGlobalHeader() ? " grh from=" + cqe.sourceQueuePairNumber() : "")
                    + (cqe.solicited() ? " solicited" : ""));
            ring.release();
        }
        return all;
    }

    public void transmit(long nowNs) {
        while (engine.hasTransmitWork(nowNs)) {
            list.reset(64, 65_507);
            engine.fillTransmit(builder, 64 * 1024, nowNs);
            if (list.packets() == 0) {
                break;
            }
            for (int i = 0; i < list.packets(); i++) {
                ByteBuffer copy = ByteBuffer.allocate(list.length(i));
                list.copyOut(i, copy);
                wire.addLast(copy.array());
            }
        }
    }

    /** The packets sent now, as text without the destination number. */
    public List<String> sent(long nowNs) {
        transmit(nowNs);
        List<String> lines = new ArrayList<>();
        while (!wire.isEmpty()) {
            lines.add(RcPair.text(wire.removeFirst()));
        }
        return lines;
    }

    public void receive(byte[] bytes, long nowNs) {
        IbPacket packet = new IbPacket();
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (packet.decode(segment, 0, bytes.length) != IbPacketOutcome.OK) {
            throw new AssertionError("not a packet");
        }
        engine.onPacket(packet, segment, origin, nowNs);
    }
}
