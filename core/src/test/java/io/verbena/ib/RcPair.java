package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.UdpEncapsulation;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.memory.EngineEpoch;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.work.QueuePairContext;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Two reliable connections in one thread. The test delivers every packet at a time of its choice. */
public final class RcPair {

    static final Set<AccessRight> ALL = Set.of(
            AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    static final int A_QP = 0x11;
    static final int B_QP = 0x22;

    /** The ack timeout of code 14. */
    static final long TIMEOUT_NS = 67_108_864;

    /** One end: a queue pair without an RNIC around it. */
    public static final class End {
        public final RegionTable regions;
        final WorkQueue send = new WorkQueue(64, Wqe.strideBytes(4, 64));
        final WorkQueue receive = new WorkQueue(64, Wqe.strideBytes(4, 64));
        public final CompletionRing ring = new CompletionRing(256);
        final PacketList list = new PacketList(256 * 1024);
        final PacketBuilder builder = new PacketBuilder(list, new UdpEncapsulation(0, 0xffff_0a00_0001L, 4791));
        public final ArrayDeque<byte[]> wire = new ArrayDeque<>();
        public final RcEngine engine;

        /** The source address of packets: the peer's address. */
        final Origin origin = new Origin().source(0, 0xffff_0a00_0002L);

        final Wqe wqe = new Wqe();
        final Cqe cqe = new Cqe();

        End(RcSettings settings) {
            this(settings, true);
        }

        /** In RTS, or in RTR only. The first of {@code engines} owns the queue pair; none means a single engine. */
        End(RcSettings settings, boolean readyToSend, EngineEpoch... engines) {
            SplittableRandom generator = new SplittableRandom(settings.localQp());
            regions = new RegionTable(generator::nextLong);
            regions.engines(List.of(engines));
            WorkQueues queues = new WorkQueues(settings.localQp(), false, send, new ReceiveQueue(receive), ring, ring);
            QueuePairWork work = QueuePairWork.of(new QueuePairContext(queues, regions, 1, 0));
            PacketPath path = new PacketPath(0, 0xffff_0a00_0002L, 4791, 0);
            engine = readyToSend
                    ? new RcEngine(settings, work, path)
                    : new RcEngine(settings, work, path, Bth.DEFAULT_P_KEY);
        }

        public Region region(int bytes, Set<AccessRight> rights) {
            return regions.register(new OffHeapMemory().allocate(bytes), 1, rights);
        }

        public Region region(int bytes) {
            return region(bytes, ALL);
        }

        public void post(WorkOpcode opcode, WrFlags flags, Consumer<Wqe> details) {
            if (!send.claim(wqe)) {
                throw new AssertionError("send queue full");
            }
            details.accept(wqe.clear(opcode, flags));
            send.written();
            send.publish();
        }

        public void send(long id, Region region, int length) {
            post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.wrId(id).addElement(region.localKey(), 0, length));
        }

        public void write(long id, Region from, Region to, int length) {
            write(id, from, to.baseAddress(), to.rkey(), length);
        }

        void write(long id, Region from, long address, int rkey, int length) {
            post(
                    WorkOpcode.WRITE,
                    WrFlags.SIGNALLED,
                    w -> w.wrId(id).remoteAddress(address).rkey(rkey).addElement(from.localKey(), 0, length));
        }

        public void read(long id, Region to, Region from, int length) {
            post(
                    WorkOpcode.READ,
                    WrFlags.SIGNALLED,
                    w -> w.wrId(id)
                            .remoteAddress(from.baseAddress())
                            .rkey(from.rkey())
                            .addElement(to.localKey(), 0, length));
        }

        void fetchAdd(long id, Region result, Region word, long addend) {
            post(
                    WorkOpcode.FETCH_AND_ADD,
                    WrFlags.SIGNALLED,
                    w -> w.wrId(id)
                            .remoteAddress(word.baseAddress())
                            .rkey(word.rkey())
                            .operand1(addend)
                            .addElement(result.localKey(), 0, 8));
        }

        public void postReceive(long id, Region region, int length) {
            if (!receive.claim(wqe)) {
                throw new AssertionError("receive queue full");
            }
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(id).addElement(region.localKey(), 0, length);
            receive.written();
            receive.publish();
        }

        /** A receive without a buffer. */
        void postEmptyReceive(long id) {
            if (!receive.claim(wqe)) {
                throw new AssertionError("receive queue full");
            }
            wqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(id);
            receive.written();
            receive.publish();
        }

        /** Completions as text: {@code "7 RECEIVE SUCCESS 16"}. */
        public List<String> completions() {
            List<String> all = new ArrayList<>();
            while (ring.peek(cqe)) {
                all.add(cqe.wrId() + " " + cqe.opcode() + " " + cqe.status() + " " + cqe.byteCount()
                        + (cqe.hasImmediate() ? " imm=" + cqe.immediate() : "")
                        + (cqe.hasInvalidatedKey() ? " invalidated" : "")
                        + (cqe.solicited() ? " solicited" : ""));
                ring.release();
            }
            return all;
        }

        /** Lets the engine build packets onto the wire. */
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

        /** A packet arrives. */
        public void receive(byte[] bytes, long nowNs) {
            IbPacket packet = new IbPacket();
            MemorySegment segment = MemorySegment.ofArray(bytes);
            if (packet.decode(segment, 0, bytes.length) != IbPacketOutcome.OK) {
                throw new AssertionError("not a packet");
            }
            engine.onPacket(packet, segment, origin, nowNs);
        }

        /** The packets on the wire as one-line texts without their QP number. */
        List<String> wireText() {
            List<String> lines = new ArrayList<>();
            for (byte[] each : wire) {
                lines.add(text(each));
            }
            return lines;
        }
    }

    static String text(byte[] bytes) {
        IbPacket packet = new IbPacket();
        packet.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
        String line = packet.describe(new StringBuilder()).toString();
        return line.replaceAll(" qp=0x\\w+", "").replaceAll("va=0x\\w+ rkey=0x\\w+ ", "");
    }

    public final End a;
    public final End b;
    public long nowNs = 5;

    RcPair(RcSettings aSettings, RcSettings bSettings) {
        a = new End(aSettings);
        b = new End(bSettings);
    }

    static RcSettings settings(int localQp, int remoteQp, int sendPsn, int receivePsn) {
        return builder(localQp, remoteQp, sendPsn, receivePsn).reliableConnection();
    }

    /** MTU 1024; three retries; 4 Reads each way. */
    static SettingsBuilder builder(int localQp, int remoteQp, int sendPsn, int receivePsn) {
        return new SettingsBuilder()
                .local(localQp)
                .remote(remoteQp)
                .firstPsns(sendPsn, receivePsn)
                .reads(4, 4)
                .retries(3, 3)
                .ackTimeoutNs(TIMEOUT_NS);
    }

    /** First PSNs 100 from a, 900 from b; MTU 1024; three retries; 4 Reads each way. */
    public static RcPair plain() {
        return new RcPair(settings(A_QP, B_QP, 100, 900), settings(B_QP, A_QP, 900, 100));
    }

    /** As {@link #plain}, with selective repeat. */
    static RcPair selective() {
        return new RcPair(
                builder(A_QP, B_QP, 100, 900).options(RcOption.SELECTIVE_REPEAT).reliableConnection(),
                builder(B_QP, A_QP, 900, 100).options(RcOption.SELECTIVE_REPEAT).reliableConnection());
    }

    /** Delivers packets in both directions until none is left. */
    public void run() {
        do {
            a.transmit(nowNs);
            b.transmit(nowNs);
            deliver(a, b);
            deliver(b, a);
            a.transmit(nowNs);
            b.transmit(nowNs);
        } while (!a.wire.isEmpty() || !b.wire.isEmpty());
    }

    public void deliver(End from, End to) {
        while (!from.wire.isEmpty()) {
            to.receive(from.wire.removeFirst(), nowNs);
        }
    }

    /** Advances time to the next deadline of either end. Returns false if there is none. */
    public boolean nextDeadline() {
        long first = a.engine.nextDeadlineNs();
        long second = b.engine.nextDeadlineNs();
        if (first == Long.MAX_VALUE && second == Long.MAX_VALUE) {
            return false;
        }
        long next = first == Long.MAX_VALUE || second != Long.MAX_VALUE && second - first < 0 ? second : first;
        nowNs = next - nowNs > 0 ? next : nowNs + 1;
        a.engine.onDeadline(nowNs);
        b.engine.onDeadline(nowNs);
        return true;
    }

    static void fill(Region region, int seed) {
        MemorySegment s = region.segment();
        for (long i = 0; i < s.byteSize(); i++) {
            s.set(JAVA_BYTE, i, (byte) (i * 31 + seed + (i >> 8)));
        }
    }

    static boolean same(Region one, Region other, int bytes) {
        return one.segment().asSlice(0, bytes).mismatch(other.segment().asSlice(0, bytes)) == -1;
    }
}
