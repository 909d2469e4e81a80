package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Lrh;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Unreliable connections and datagrams between endnodes, and the headers of their packets. */
class ServicesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int QKEY = 0x1111;
    private static final int GLOBAL_HEADER_BYTES = 40;

    private final San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SanSettings.DEFAULT);
    private final Side a = new Side(san.open(0));
    private final Side b = new Side(san.open(3));

    /** One program. */
    private static final class Side {
        final Endnode endnode;
        final ProtectionDomain domain;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final MemoryRegion memory;

        Side(Endnode endnode) {
            this.endnode = endnode;
            domain = endnode.rnic().allocateProtectionDomain();
            cq = endnode.rnic().createCompletionQueue(64);
            cursor = cq.cursor();
            memory = domain.allocate(8_192, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        }

        QueuePair queuePair(TransportService service) {
            return domain.createQueuePair(QueuePairOptions.of(cq).withService(service));
        }

        QueuePair datagrams() {
            return started(queuePair(TransportService.UNRELIABLE_DATAGRAM));
        }

        QueuePair reliable(ReliableDatagramDomain among) {
            return started(domain.createQueuePair(QueuePairOptions.of(cq).withReliableDatagrams(among)));
        }

        private QueuePair started(QueuePair queuePair) {
            PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(endnode.gid(0)))
                    .withPartition(0, QKEY);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
            return queuePair;
        }

        void completes(long wrId) {
            assertTrue(cq.await(SECOND));
            assertTrue(cursor.next());
            assertEquals(CompletionStatus.SUCCESS, cursor.status());
            assertEquals(wrId, cursor.wrId());
        }
    }

    @AfterEach
    void close() {
        san.close();
    }

    private static void send(Side from, QueuePair by, AddressHandleAttributes to, int number) {
        assertTrue(by.post(by.newWorkRequest()
                .send()
                .gather(from.memory, 0, 1_024)
                .to(from.domain.createAddressHandle(to), number, QKEY)
                .id(7)));
        from.completes(7);
    }

    @Test
    void rnic_inAFabric_isOfInfiniband() {
        assertEquals(TransportType.INFINIBAND, a.endnode.rnic().query().transport());
    }

    @Test
    void datagram_byLidAndByGid_arrives() {
        QueuePair from = a.datagrams();
        QueuePair to = b.datagrams();
        List<byte[]> packets = new ArrayList<>();
        san.tap((packet, nowNs) -> packets.add(packet));
        a.memory.segment().fill((byte) 9);
        for (AddressHandleAttributes path : List.of(
                AddressHandleAttributes.to(b.endnode.lid(0), 1, 1),
                AddressHandleAttributes.to(b.endnode.gid(0)).withServiceLevel(1))) {
            to.postReceive(3, b.memory, 0, 4_096);
            send(a, from, path, to.number());
            b.completes(3);
            assertEquals(GLOBAL_HEADER_BYTES + 1_024, b.cursor.byteCount());
            assertEquals(9, b.memory.segment().get(JAVA_BYTE, GLOBAL_HEADER_BYTES + 1_023));
        }
        assertEquals(2, packets.size());
        Lrh lrh = new Lrh().wrap(MemorySegment.ofArray(packets.getFirst()), 0);
        assertEquals(
                "LRH 1 to 4 sl=1 vl=1 1056 B", lrh.describe(new StringBuilder()).toString());
        assertEquals(Lrh.LOCAL, lrh.lnh());
    }

    @Test
    void datagram_toUnknownLid_isRefused() {
        QueuePair from = a.datagrams();
        assertThrows(IllegalArgumentException.class, () -> send(a, from, AddressHandleAttributes.to(5, 0, 1), 1));
    }

    @Test
    void reliableDatagrams_shareAContext() throws Exception {
        ReliableDatagramDomain near = a.endnode.rnic().allocateReliableDatagramDomain();
        ReliableDatagramDomain far = b.endnode.rnic().allocateReliableDatagramDomain();
        QueuePair[] from = {a.reliable(near), a.reliable(near)};
        QueuePair[] to = {b.reliable(far), b.reliable(far)};
        try (Listener listener = b.endnode.rnic().listen(b.endnode.address(9))) {
            EndToEndContext first = near.startConnect(b.endnode.address(9), ConnectionOptions.defaults());
            EndToEndContext second =
                    listener.nextRequest(SECOND).orElseThrow().startAcceptContext(far, ConnectionOptions.defaults());
            first.awaitEstablished(SECOND);
            second.awaitEstablished(SECOND);
            a.memory.segment().fill((byte) 6);
            for (int i = 0; i < 2; i++) {
                to[i].postReceive(20 + i, b.memory, 0, 8_192);
                assertTrue(from[i].post(from[i].newWorkRequest()
                        .send()
                        .gather(a.memory, 0, 8_000)
                        .to(first, to[i].number(), QKEY)
                        .id(i)));
                a.completes(i);
                b.completes(20 + i);
                assertEquals(second.number(), b.cursor.sourceContextNumber());
                assertEquals(from[i].number(), b.cursor.sourceQueuePairNumber());
            }
            assertEquals(6, b.memory.segment().get(JAVA_BYTE, 7_999));
        }
    }

    @Test
    void lookUp_ofADatagramService_isAnswered() throws Exception {
        QueuePair to = b.datagrams();
        try (Listener listener = b.endnode.rnic().listen(b.endnode.address(7))) {
            san.world()
                    .after(
                            5_000,
                            () -> listener.nextRequest(Duration.ZERO)
                                    .ifPresent(request -> request.acceptDatagrams(to, QKEY, new byte[0])));
            san.world()
                    .after(
                            50_000,
                            () -> listener.nextRequest(Duration.ZERO)
                                    .ifPresent(request -> request.acceptDatagrams(to, QKEY, new byte[0])));
            DatagramPeer found = a.endnode.rnic().lookUp(b.endnode.address(7), ConnectionOptions.defaults());
            assertEquals(to.number(), found.queuePairNumber());
        }
    }

    @Test
    void unreliableConnection_writes_arrive() throws Exception {
        QueuePair from = a.queuePair(TransportService.UNRELIABLE_CONNECTION);
        QueuePair to = b.queuePair(TransportService.UNRELIABLE_CONNECTION);
        try (Listener listener = b.endnode.rnic().listen(b.endnode.address(8))) {
            Connection first = a.endnode.rnic().startConnect(from, b.endnode.address(8), ConnectionOptions.defaults());
            Connection second =
                    listener.nextRequest(SECOND).orElseThrow().startAccept(to, ConnectionOptions.defaults());
            first.awaitEstablished(SECOND);
            second.awaitEstablished(SECOND);
            a.memory.segment().fill((byte) 4);
            from.postWrite(1, a.memory, 0, 5_000, b.memory.remote(), 100, WrFlags.SIGNALLED);
            a.completes(1);
            san.world().runFor(1_000_000);
            assertEquals(4, b.memory.segment().get(JAVA_BYTE, 5_099));
            assertEquals(0, b.memory.segment().get(JAVA_BYTE, 5_100));
        }
    }
}
