package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.RejectReason;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts that stop half-way, with explicit time: what they hold is bounded and is taken back. */
class SilentHostsTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";
    private static final long SECOND_NS = 1_000_000_000L;
    private static final TargetLimits LIMITS = new TargetLimits(4, 2, 16, 8192, 5);

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final StorageTarget target = new StorageTarget(LIMITS);

    @BeforeEach
    void add() {
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
    }

    @AfterEach
    void close() {
        device.close();
    }

    private HostScript connectWithoutKeepAlive(String subsystem, String host) {
        return connectWithoutKeepAlive(new HostScript(target, 0, 32), subsystem, host);
    }

    private static HostScript connectWithoutKeepAlive(HostScript admin, String subsystem, String host) {
        new ConnectData()
                .wrap(MemorySegment.ofArray(admin.memory), 0)
                .clear()
                .hostId(HostScript.HOST_ID)
                .controllerId(0xffff)
                .subsystemName(subsystem)
                .hostName(host);
        admin.send(0, e -> {
            admin.connectEntry(e);
            e.keepAliveMs(0);
        });
        return admin;
    }

    @Test
    void controller_thatIsNeverEnabled_endsAfterTenSeconds() {
        HostScript admin = connectWithoutKeepAlive(NAME, HOST);
        assertEquals(10 * SECOND_NS, target.nextDeadlineNs(0).getAsLong());
        target.onDeadline(10 * SECOND_NS - 1);
        assertFalse(admin.closed);
        target.onDeadline(10 * SECOND_NS);
        assertTrue(admin.closed);
    }

    @Test
    void enabledController_withoutKeepAlive_stays() {
        HostScript admin = connectWithoutKeepAlive(NAME, HOST);
        admin.enable();
        target.onDeadline(3600 * SECOND_NS);
        assertFalse(admin.closed);
        assertTrue(target.nextDeadlineNs(0).isEmpty());
    }

    @Test
    void discovery_withoutKeepAlive_endsAfterTwoMinutesWithoutACommand() {
        HostScript admin = connectWithoutKeepAlive(StorageTarget.DISCOVERY, HOST);
        admin.enable();
        admin.nowNs = 100 * SECOND_NS;
        assertEquals(0, admin.status(e -> e.opcode(6).cdw10(1).keyed(8192, 4096, 5, true)));
        target.onDeadline(200 * SECOND_NS);
        assertFalse(admin.closed);
        target.onDeadline(221 * SECOND_NS);
        assertTrue(admin.closed);
    }

    /** A Connect that waits for a flush of the host's earlier association. */
    private record Waiting(HostScript oldIo, HostScript again) {}

    private Waiting waitingConnect() {
        HostScript admin = new HostScript(target, 0, 32);
        int controller = (int) admin.connect(NAME, 0xffff, HOST).result();
        admin.enable();
        HostScript io = new HostScript(target, 1, 16);
        assertEquals(0, io.connect(NAME, controller, HOST).status());
        io.holdDevice = true;
        io.send(0, e -> e.opcode(0).namespaceId(1));
        HostScript again = new HostScript(target, 0, 32);
        System.arraycopy(admin.memory, 0, again.memory, 0, ConnectData.LENGTH);
        again.send(0, again::connectEntry);
        admin.settle();
        io.settle();
        return new Waiting(io, again);
    }

    @Test
    void connect_thatWaitedForOlderWork_hasItsWholeKeepAliveTime() {
        Waiting waiting = waitingConnect();
        target.onDeadline(8 * SECOND_NS);
        waiting.oldIo.releaseDevice();
        assertEquals(0, waiting.again.responses.remove().status());
        target.onDeadline(14 * SECOND_NS - 1);
        assertFalse(waiting.again.closed);
        target.onDeadline(14 * SECOND_NS);
        assertTrue(waiting.again.closed);
    }

    @Test
    void connect_thatWaitedTenSeconds_isAnsweredBusyBeforeTheConnectionEnds() {
        Waiting waiting = waitingConnect();
        target.onDeadline(10 * SECOND_NS - 1);
        assertTrue(waiting.again.responses.isEmpty());
        target.onDeadline(10 * SECOND_NS);
        assertEquals(
                Status.CONNECT_BUSY.field(), waiting.again.responses.remove().status());
        assertFalse(waiting.again.closed);
        target.onDeadline(10 * SECOND_NS + 1);
        assertTrue(waiting.again.closed);
        waiting.oldIo.releaseDevice();
        assertTrue(waiting.again.responses.isEmpty());
    }

    private HostScript connect(String network, String host, long nowNs) {
        target.at(nowNs);
        HostScript admin = new HostScript(target, 0, 32, network);
        admin.nowNs = nowNs;
        assertEquals(0, admin.connect(NAME, 0xffff, host).status());
        admin.enable();
        return admin;
    }

    /** All controllers: admin queues with keep-alive 0, and then silence. */
    private List<HostScript> unusedHosts(String network) {
        List<HostScript> hosts = new ArrayList<>();
        for (int i = 0; i < LIMITS.controllers(); i++) {
            hosts.add(connectWithoutKeepAlive(new HostScript(target, 0, 32, network), NAME, HOST + i));
            hosts.getLast().enable();
            hosts.getLast().responses.clear();
        }
        return hosts;
    }

    private static long closed(List<HostScript> hosts) {
        hosts.forEach(HostScript::settle);
        return hosts.stream().filter(each -> each.closed).count();
    }

    @Test
    void allControllers_ofHostsWithoutKeepAliveThatDoNothing_giveWayToHostsOfTheirOwnNetwork() {
        List<HostScript> silent = unusedHosts("192.0.2.66");
        for (int i = 0; i < LIMITS.controllers(); i++) {
            HostScript host = waitingForPlace("192.0.2.66", "nqn.2026-01.org.example:honest" + i, 11 * SECOND_NS);
            assertEquals(i + 1, closed(silent));
            assertEquals(0, host.responses.remove().status());
        }
        assertEquals(Status.CONNECT_BUSY.field(), refused("192.0.2.66", 12 * SECOND_NS));
    }

    @Test
    void allControllers_ofOneNetwork_giveWayToAnotherNetwork_untilTheSharesAreEqual() {
        List<HostScript> greedy = new ArrayList<>();
        for (int i = 0; i < LIMITS.controllers(); i++) {
            greedy.add(connect("192.0.2.66", HOST + i, 0));
        }
        for (int i = 0; i < LIMITS.controllers() / 2; i++) {
            HostScript host = waitingForPlace("192.0.2.7", "nqn.2026-01.org.example:honest" + i, SECOND_NS);
            assertEquals(i + 1, closed(greedy));
            assertEquals(0, host.responses.remove().status());
        }
        assertEquals(Status.CONNECT_BUSY.field(), refused("192.0.2.7", SECOND_NS));
        assertEquals(Status.CONNECT_BUSY.field(), refused("192.0.2.66", SECOND_NS));
        assertEquals(LIMITS.controllers() / 2, closed(greedy));
    }

    @Test
    void hostThatGivesWay_hasNoIoQueue_ifThereIsOneWithout() {
        HostScript used = connect("192.0.2.66", HOST, 0);
        HostScript io = new HostScript(target, 1, 16, "192.0.2.66");
        assertEquals(0, io.connect(NAME, 1, HOST).status());
        List<HostScript> others = new ArrayList<>();
        for (int i = 1; i < LIMITS.controllers(); i++) {
            others.add(connect("192.0.2.66", HOST + i, SECOND_NS));
        }
        waitingForPlace("192.0.2.7", HOST + "-other", 2 * SECOND_NS);
        assertFalse(used.closed);
        assertEquals(1, closed(others));
    }

    @Test
    void oneHostWithManyQueues_leavesMemoryForAQueueOfEachOtherHost() {
        long each = LIMITS.queueBytes(0, 32) + LIMITS.queueBytes(1, LIMITS.queueEntries());
        StorageTarget small = new StorageTarget(LIMITS.withMemoryBytes(2L * LIMITS.controllers() * each));
        assertEquals(2, small.grantedQueues());
        byte[] taken = new byte[(int) (LIMITS.controllers() * each)];
        small.took(new QueueMemory(MemorySegment.ofArray(taken), 64, MemorySegment.ofArray(new byte[4096]), 4096));
        assertEquals(1, small.grantedQueues());
    }

    private HostScript waitingForPlace(String network, String host, long nowNs) {
        target.at(nowNs);
        HostScript admin = new HostScript(target, 0, 32, network);
        admin.nowNs = nowNs;
        connectData(admin, host);
        admin.send(0, admin::connectEntry);
        return admin;
    }

    private int refused(String network, long nowNs) {
        HostScript admin = waitingForPlace(network, HOST + "-late", nowNs);
        return admin.responses.remove().status();
    }

    private static void connectData(HostScript admin, String host) {
        new ConnectData()
                .wrap(MemorySegment.ofArray(admin.memory), 0)
                .clear()
                .hostId(HostScript.HOST_ID)
                .controllerId(0xffff)
                .subsystemName(NAME)
                .hostName(host);
    }

    @Test
    void halfCreatedControllers_ofManyHosts_areBounded_andGiveWayToAHost() {
        List<HostScript> hosts = new ArrayList<>();
        int rejected = 0;
        int busy = 0;
        byte[] request = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(request), 0)
                .receiveQueueSize(32)
                .sendQueueSizeMinusOne(31);
        for (int i = 0; i < 200; i++) {
            Optional<RejectReason> reason = target.check(request, "192.0.2.9");
            if (reason.isPresent()) {
                assertEquals(RejectReason.NO_RESOURCES, reason.get());
                rejected++;
            } else {
                HostScript host = connectWithoutKeepAlive(NAME, HOST + i);
                busy += host.responses.remove().status() == Status.CONNECT_BUSY.field() ? 1 : 0;
                hosts.add(host);
            }
        }
        assertEquals(200 - rejected - LIMITS.controllers(), busy);
        assertTrue(hosts.size() <= LIMITS.controllers() * (LIMITS.ioQueues() + 1));
        target.onDeadline(10 * SECOND_NS);
        hosts.forEach(HostScript::settle);
        assertTrue(hosts.stream().allMatch(host -> host.closed));
        HostScript admin = new HostScript(target, 0, 32);
        assertEquals(0, admin.connect(NAME, 0xffff, HOST).status());
    }
}
