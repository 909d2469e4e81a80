package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.topology.AdapterKind;
import io.verbena.fabric.topology.NetDiscoverReader;
import io.verbena.fabric.topology.NetDiscoverWriter;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Adapters of I/O devices: few queue pairs, no incoming RDMA, and software instead of hardware. */
class AdapterKindTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int DEPTH = 4;

    private final San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SanSettings.DEFAULT);
    private CompletionQueue hostCq;
    private CompletionQueue deviceCq;
    private ProtectionDomain host;
    private ProtectionDomain device;
    private QueuePair source;
    private QueuePair target;

    @BeforeEach
    void connect() throws Exception {
        san.adapter(3, AdapterKind.LOW_END);
        host = san.open(0).rnic().allocateProtectionDomain();
        device = san.open(3).rnic().allocateProtectionDomain();
        hostCq = san.open(0).rnic().createCompletionQueue(64);
        deviceCq = san.open(3).rnic().createCompletionQueue(64);
        source = host.createQueuePair(QueuePairOptions.of(hostCq).withDepths(2 * DEPTH, DEPTH));
        target = device.createQueuePair(QueuePairOptions.of(deviceCq).withDepths(2 * DEPTH, DEPTH));
        try (Listener listener = san.open(3).rnic().listen(san.open(3).address(7471))) {
            Connection first =
                    san.open(0).rnic().startConnect(source, san.open(3).address(7471), ConnectionOptions.defaults());
            Connection second =
                    listener.nextRequest(SECOND).orElseThrow().startAccept(target, ConnectionOptions.defaults());
            first.awaitEstablished(SECOND);
            second.awaitEstablished(SECOND);
        }
    }

    @AfterEach
    void close() {
        san.close();
    }

    @Test
    void f10_lowEndAdapter_hasFewQueuePairs() {
        int most = san.open(3).rnic().query().maxQueuePairs();
        assertTrue(most < 10, "queue pairs " + most);
        for (int i = 1; i < most; i++) {
            device.createQueuePair(QueuePairOptions.of(deviceCq));
        }
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> device.createQueuePair(QueuePairOptions.of(deviceCq)));
        assertEquals("all " + most + " queue pairs of this RNIC are in use; close some first", e.getMessage());
        target.close();
        device.createQueuePair(QueuePairOptions.of(deviceCq));
    }

    @Test
    void f10_lowEndAdapter_grantsPeersNoAccess() {
        for (AccessRight right : List.of(
                AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC, AccessRight.BIND)) {
            assertThrows(IllegalArgumentException.class, () -> device.allocate(64, AccessRight.LOCAL_WRITE, right));
        }
        assertEquals(0, san.open(3).rnic().query().maxInboundReads());
        assertEquals(0, target.query().inboundReads());
        assertEquals(0, source.query().outboundReads());
        target.modify(QueuePairChange.rights(Set.of(AccessRight.REMOTE_WRITE)));
        assertEquals(Set.of(), target.query().remoteRights());
    }

    @Test
    void f10_writeOfAPeerThatInventsAKey_isRefusedAndChangesNothing() {
        MemoryRegion from = host.allocate(64, AccessRight.LOCAL_WRITE);
        MemoryRegion into = device.allocate(64, AccessRight.LOCAL_WRITE);
        from.segment().fill((byte) 9);
        source.postWrite(1, from, 0, 64, 0, 0x1234_5678, WrFlags.SIGNALLED);
        CompletionCursor cursor = hostCq.cursor();
        assertTrue(hostCq.await(SECOND));
        assertTrue(cursor.next());
        assertEquals(CompletionStatus.REMOTE_INVALID_REQUEST, cursor.status(), cursor.reason());
        assertEquals(0, into.segment().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void f10_softwareOfTheAdapter_performsReadsAndWritesThatArriveAsMessages() {
        MemoryRegion memory = device.allocate(4096, AccessRight.LOCAL_WRITE);
        MemoryRegion local = host.allocate(8192, AccessRight.LOCAL_WRITE);
        RdmaServer server = new RdmaServer(target, memory.segment(), 2, 3, DEPTH, 4096);
        RdmaClient client = new RdmaClient(source, 4, 5, DEPTH, 4096);
        for (int i = 0; i < 3000; i++) {
            local.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
        }
        assertTrue(client.write(local, 0, 3000, 1000));
        assertTrue(client.read(local, 4096, 3000, 1000));
        assertTrue(client.write(local, 0, 100, 3997));
        assertTrue(client.read(local, 0, 1, -1));
        assertFalse(client.write(local, 0, 1, 0), "all slots are in use");
        assertEquals(List.of(true, true, false, false), results(server, client));
        assertEquals(
                -1, local.segment().asSlice(0, 3000).mismatch(local.segment().asSlice(4096, 3000)));
        assertEquals(
                -1,
                memory.segment().asSlice(1000, 3000).mismatch(local.segment().asSlice(0, 3000)));
        assertTrue(client.read(local, 0, 0, 4096));
        assertEquals(List.of(true), results(server, client));
    }

    /** Lets the server process all requests, and returns the results. */
    private List<Boolean> results(RdmaServer server, RdmaClient client) {
        List<Boolean> results = new ArrayList<>();
        CompletionCursor arrived = deviceCq.cursor();
        CompletionCursor answered = hostCq.cursor();
        for (int idle = 0; idle < 50; idle++) {
            san.world().runFor(10_000);
            while (arrived.next()) {
                assertEquals(CompletionStatus.SUCCESS, arrived.status());
                if (arrived.wrId() == 2) {
                    server.onRequest(arrived.byteCount());
                }
            }
            while (answered.next()) {
                assertEquals(CompletionStatus.SUCCESS, answered.status());
                if (answered.wrId() == 5) {
                    results.add(client.onResult(answered.byteCount()));
                }
            }
        }
        return results;
    }

    @ParameterizedTest
    @EnumSource(AdapterKind.class)
    void f10_messagesToEachKind_arriveCorrectly_andSoftwareCostsTime(AdapterKind kind) throws Exception {
        double host = latency(AdapterKind.HOST, 1);
        double latency = latency(kind, 1);
        assertEquals(latency, latency(kind, 1));
        switch (kind) {
            case HOST -> assertEquals(host, latency);
            // The result of the software is one more message and one more event of a program.
            case IO -> assertTrue(latency > host, latency + " and " + host);
            case LOW_END -> assertTrue(latency > 1.5 * latency(AdapterKind.IO, 1), latency + " and " + host);
        }
    }

    private static double latency(AdapterKind kind, long seed) throws Exception {
        Topology topology = TopologySpecification.parse("leaf-spine:2x1,hosts=1");
        try (San san = San.of(topology, SanSettings.DEFAULT.withSeed(seed))) {
            san.adapter(1, kind);
            VerbsTraffic traffic = new VerbsTraffic(san, 2, VerbsPattern.RING, new VerbsLoad(16 << 10, 64, 1, 1));
            traffic.connect();
            traffic.start();
            assertTrue(traffic.run(1_000_000_000));
            assertEquals(0, traffic.failed());
            assertEquals(traffic.messages(), traffic.completed());
            return traffic.latencies().mean();
        }
    }

    @Test
    void f10_patternThatNeedsMoreQueuePairs_isRefused() {
        Topology topology = TopologySpecification.parse("leaf-spine:2x1,hosts=5,adapters=low-end");
        try (San many = San.of(topology, SanSettings.DEFAULT)) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class,
                    () -> new VerbsTraffic(many, 10, VerbsPattern.ALL_TO_ALL, new VerbsLoad(64, 1, 1, 1)));
            assertTrue(String.valueOf(e.getMessage()).contains("'low-end' has 8"), e.getMessage());
        }
    }

    @Test
    void f10_kindsOfATopology_surviveItsText_andReachTheEndnodes() {
        Topology room = TopologySpecification.parse("machine-room,adapters=low-end");
        Topology copy = NetDiscoverReader.read(NetDiscoverWriter.write(room));
        List<String> lowEnd = List.of("io1", "io2");
        for (Topology topology : List.of(room, copy)) {
            topology.nodes(NodeKind.ADAPTER)
                    .forEach(node -> assertEquals(
                            lowEnd.contains(node.unit()) ? AdapterKind.LOW_END : AdapterKind.HOST,
                            AdapterKind.of(node),
                            node.name()));
        }
        try (San built = San.of(room, SanSettings.DEFAULT)) {
            long count = IntStream.range(0, built.endnodes())
                    .filter(endnode -> built.adapter(endnode) == AdapterKind.LOW_END)
                    .count();
            assertEquals(8, count);
        }
        assertThrows(RuntimeException.class, () -> TopologySpecification.parse("ring:4,adapters=none"));
    }
}
