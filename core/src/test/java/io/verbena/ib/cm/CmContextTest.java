package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.UdpEncapsulation;
import io.verbena.ib.rd.RdContext;
import io.verbena.ib.rd.RdDomain;
import io.verbena.ib.rd.RdQueuePair;
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
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbPacket;
import io.verbena.work.QueuePairContext;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Communication management connects end-to-end contexts of reliable datagrams, which then carry messages. */
class CmContextTest {

    private static final int Q_KEY = 0x1111_1111;
    private static final int QUEUE_PAIR = 0x10;

    private final CmPair pair = new CmPair();

    CmContextTest() {
        pair.b.agent.stopListening(CmPair.SERVICE);
        pair.b.agent.listen(CmPair.SERVICE, new CmListener(1 << CmOffer.RELIABLE_DATAGRAM, false));
    }

    private static CmOffer offer(int service, int number) {
        CmEndpoint endpoint = new CmEndpoint(number, 77, 4, 4, false, false);
        return new CmOffer(CmPair.SERVICE, service, endpoint, 3, CmPair.RETRIES, new byte[0]);
    }

    /** One node: a queue pair of a domain, and a context that both ends have negotiated. */
    private static final class Node {
        final WorkQueue send = new WorkQueue(8, Wqe.strideBytes(4, 64));
        final WorkQueue receive = new WorkQueue(8, Wqe.strideBytes(4, 64));
        final CompletionRing ring = new CompletionRing(16);
        final PacketList list = new PacketList(64 * 1024);
        final PacketBuilder builder = new PacketBuilder(list, new UdpEncapsulation(0, CmPair.A_ADDRESS, 4791));
        final Region region;
        final RdContext context;
        private final Wqe wqe = new Wqe();

        Node(SettingsBuilder settings, PacketPath path) {
            SplittableRandom random = new SplittableRandom(1);
            RegionTable regions = new RegionTable(random::nextLong);
            region = regions.register(new OffHeapMemory().allocate(64), 1, Set.of(AccessRight.LOCAL_WRITE));
            WorkQueues queues = new WorkQueues(QUEUE_PAIR, false, send, new ReceiveQueue(receive), ring, ring);
            RdDomain domain = new RdDomain();
            QueuePairWork work = QueuePairWork.of(new QueuePairContext(queues, regions, 1, 0));
            domain.add(new RdQueuePair(QUEUE_PAIR, Q_KEY, work));
            context = new RdContext(settings.context(), domain, path);
        }

        void post(WorkQueue queue, WorkOpcode opcode) {
            queue.claim(wqe);
            wqe.clear(opcode, WrFlags.SIGNALLED).wrId(5).addElement(region.localKey(), 0, 16);
            if (opcode == WorkOpcode.SEND) {
                wqe.destination(QUEUE_PAIR, Q_KEY).otherKey(context.number());
            }
            queue.written();
            queue.publish();
        }

        void transmit(Node to, Origin origin, long nowNs) {
            while (context.hasTransmitWork(nowNs)) {
                list.reset(64, 65_507);
                context.fillTransmit(builder, 64 * 1024, nowNs);
                for (int i = 0; i < list.packets(); i++) {
                    ByteBuffer copy = ByteBuffer.allocate(list.length(i));
                    list.copyOut(i, copy);
                    IbPacket packet = new IbPacket();
                    MemorySegment segment = MemorySegment.ofArray(copy.array());
                    packet.decode(segment, 0, copy.capacity());
                    to.context.onPacket(packet, segment, origin, nowNs);
                }
            }
        }

        CompletionStatus completion() {
            Cqe cqe = new Cqe();
            if (!ring.peek(cqe)) {
                throw new AssertionError("no completion");
            }
            CompletionStatus status = cqe.status();
            ring.release();
            return status;
        }
    }

    private static SettingsBuilder settings(int local, int remote, int sendPsn, int receivePsn) {
        return new SettingsBuilder().local(local).remote(remote).firstPsns(sendPsn, receivePsn);
    }

    @Test
    void contexts_connectedByCm_carryMessages() {
        int own =
                pair.a.agent.connect(offer(CmOffer.RELIABLE_DATAGRAM, 0x31), CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        pair.toB();
        CmSignal.Requested requested = pair.b.last(CmSignal.Requested.class);
        assertEquals(CmOffer.RELIABLE_DATAGRAM, requested.offer().transportService());
        assertEquals(0x31, requested.offer().endpoint().queuePair());
        pair.b.agent.accept(requested.connection(), CmPair.answer(0x42), pair.nowNs);
        pair.toA();
        CmAnswer answer = pair.a.last(CmSignal.Replied.class).answer();
        assertEquals(0x42, answer.endpoint().queuePair());
        pair.a.agent.ready(own, new byte[0], pair.nowNs);
        pair.toB();
        int firstOfA = answer.endpoint().startingPsn();
        int firstOfB = requested.offer().endpoint().startingPsn();
        Node a = new Node(
                settings(0x31, answer.endpoint().queuePair(), firstOfA, firstOfB), CmPair.path(CmPair.B_ADDRESS));
        Node b = new Node(
                settings(0x42, requested.offer().endpoint().queuePair(), firstOfB, firstOfA),
                CmPair.path(CmPair.A_ADDRESS));
        b.post(b.receive, WorkOpcode.RECEIVE);
        a.post(a.send, WorkOpcode.SEND);
        a.transmit(b, pair.b.fromPeer, pair.nowNs);
        b.transmit(a, pair.a.fromPeer, pair.nowNs);
        assertEquals(CompletionStatus.SUCCESS, a.completion());
        assertEquals(CompletionStatus.SUCCESS, b.completion());
        pair.a.agent.disconnect(own, pair.nowNs);
        pair.toB();
        assertEquals(1, pair.b.count(CmSignal.Disconnected.class));
    }

    @Test
    void contextAndQueuePairWithTheSameNumber_areNotStale() {
        pair.b.agent.stopListening(CmPair.SERVICE);
        pair.b.agent.listen(CmPair.SERVICE, new CmListener(1 | 1 << CmOffer.RELIABLE_DATAGRAM, false));
        pair.a.agent.connect(offer(0, 0x31), CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        pair.a.agent.connect(offer(CmOffer.RELIABLE_DATAGRAM, 0x31), CmPair.path(CmPair.B_ADDRESS), pair.nowNs);
        pair.toB();
        assertEquals(List.of(), pair.b.sent());
        assertEquals(2, pair.b.count(CmSignal.Requested.class));
    }
}
