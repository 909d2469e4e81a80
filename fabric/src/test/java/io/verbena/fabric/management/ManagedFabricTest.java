package io.verbena.fabric.management;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.mad.LinearForwardingTable;
import io.verbena.fabric.mad.NodeDescription;
import io.verbena.fabric.mad.NodeInfo;
import io.verbena.fabric.mad.Notice;
import io.verbena.fabric.mad.PortCounters;
import io.verbena.fabric.mad.PortCountersExtended;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.mad.SwitchInfo;
import io.verbena.fabric.management.Delivery.Outcome;
import io.verbena.fabric.topology.NetDiscoverReader;
import io.verbena.fabric.topology.Topology;
import io.verbena.fixture.Seeds;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Subnet and performance management of a small fabric: a, b: adapters; one, two: switches in a row between them. */
class ManagedFabricTest {

    private static final Topology TOPOLOGY = NetDiscoverReader.read("""
        Ca 1 "a"
        [1] "one"[1]
        Ca 1 "b"
        [1] "two"[1]
        Switch 4 "one"
        [2] "two"[2]
        Switch 4 "two"
        """);
    private static final int A = 0;
    private static final int B = 1;
    private static final int ONE = 2;
    private static final int TWO = 3;
    private static final int DATA = SmpHeader.DATA;

    private final ManagedFabric fabric = new ManagedFabric(TOPOLOGY);

    private MemorySegment answered(MemorySegment mad) {
        Delivery delivery = fabric.send(A, 1, 0, mad);
        assertEquals(Outcome.ANSWERED, delivery.outcome(), delivery.reason());
        return mad;
    }

    private int set(int attribute, int modifier, MemorySegment data, int... ports) {
        MemorySegment mad = Mads.directed(Smp.SET, attribute, modifier, ports);
        mad.asSlice(DATA, 64).copyFrom(data);
        return Mads.status(answered(mad));
    }

    private int portInfo(Consumer<PortInfo> change, int port, int... route) {
        MemorySegment mad = answered(Mads.directed(Smp.GET, Smp.PORT_INFO, port, route));
        PortInfo fields = new PortInfo().wrap(mad, DATA).portState(0).portPhysicalState(0);
        change.accept(fields);
        return set(Smp.PORT_INFO, port, mad.asSlice(DATA, 64), route);
    }

    private void forward(int lid, int port, int... route) {
        MemorySegment mad = answered(Mads.directed(Smp.GET, Smp.LINEAR_FORWARDING, lid / 64, route));
        new LinearForwardingTable().wrap(mad, DATA).port(lid % 64, port);
        assertEquals(0, set(Smp.LINEAR_FORWARDING, lid / 64, mad.asSlice(DATA, 64), route));
        mad = answered(Mads.directed(Smp.GET, Smp.SWITCH_INFO, 0, route));
        new SwitchInfo().wrap(mad, DATA).linearFdbTop(200).portStateChange(true);
        assertEquals(0, set(Smp.SWITCH_INFO, 0, mad.asSlice(DATA, 64), route));
    }

    /** a has LID 1, b LID 2, the switches 11 and 12; all routes and ports are set up. */
    private void bringUp() {
        assertEquals(0, portInfo(p -> p.lid(1).masterSmLid(1), 1));
        assertEquals(0, portInfo(p -> p.lid(2).masterSmLid(1), 1, 1, 2, 1));
        assertEquals(0, portInfo(p -> p.lid(11).masterSmLid(1), 0, 1));
        assertEquals(0, portInfo(p -> p.lid(12).masterSmLid(1), 0, 1, 2));
        forward(1, 1, 1);
        forward(2, 2, 1);
        forward(12, 2, 1);
        forward(11, 0, 1);
        forward(1, 2, 1, 2);
        forward(2, 1, 1, 2);
        forward(11, 2, 1, 2);
        forward(12, 0, 1, 2);
        for (int state : new int[] {Smp.ARMED, Smp.ACTIVE}) {
            assertEquals(0, portInfo(p -> p.portState(state), 1));
            assertEquals(0, portInfo(p -> p.portState(state), 1, 1));
            assertEquals(0, portInfo(p -> p.portState(state), 2, 1));
            assertEquals(0, portInfo(p -> p.portState(state), 2, 1, 2));
            assertEquals(0, portInfo(p -> p.portState(state), 1, 1, 2));
            assertEquals(0, portInfo(p -> p.portState(state), 1, 1, 2, 1));
        }
    }

    @Test
    void f8_directedRoute_get_returnsNodeInfoAndTheReturnPath() {
        MemorySegment mad = answered(Mads.directed(Smp.GET, Smp.NODE_INFO, 0, 1, 2));
        NodeInfo info = new NodeInfo().wrap(mad, DATA);
        assertEquals(2, info.nodeType());
        assertEquals(TOPOLOGY.node(TWO).guid(), info.nodeGuid());
        assertEquals(2, info.localPortNum());
        SmpHeader header = new SmpHeader().wrap(mad, 0);
        assertTrue(header.direction());
        assertEquals(1, header.returnPath(1));
        assertEquals(2, header.returnPath(2));
        assertEquals(
                "two",
                new NodeDescription()
                        .wrap(answered(Mads.directed(Smp.GET, Smp.NODE_DESCRIPTION, 0, 1, 2)), DATA)
                        .text());
    }

    @Test
    void directedRoute_throughAnAdapterOrAFreePort_isLost() {
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 0, Mads.directed(Smp.GET, Smp.NODE_INFO, 0, 1, 2, 1, 1))
                        .outcome());
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 0, Mads.directed(Smp.GET, Smp.NODE_INFO, 0, 1, 3))
                        .outcome());
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 0, Mads.directed(Smp.GET, Smp.NODE_INFO, 0, 1, 0))
                        .outcome());
    }

    @Test
    void lidRoute_beforeTheTables_isLostAndAfterThemAnswered() {
        assertEquals(0, portInfo(p -> p.lid(1), 1));
        MemorySegment mad = Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.NODE_INFO, 0);
        assertEquals(Outcome.LOST, fabric.send(A, 1, 2, mad).outcome());
        bringUp();
        mad = Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.NODE_INFO, 0);
        assertEquals(Outcome.ANSWERED, fabric.send(A, 1, 2, mad).outcome());
        assertEquals(TOPOLOGY.node(B).guid(), new NodeInfo().wrap(mad, DATA).nodeGuid());
        mad = Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.SWITCH_INFO, 0);
        assertEquals(Outcome.ANSWERED, fabric.send(A, 1, 12, mad).outcome());
        assertEquals(200, new SwitchInfo().wrap(mad, DATA).linearFdbTop());
    }

    @Test
    void forwardingLoop_isBoundedByTheHopLimit() {
        bringUp();
        forward(77, 2, 1);
        forward(77, 2, 1, 2);
        Delivery delivery = fabric.send(A, 1, 77, Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.NODE_INFO, 0));
        assertEquals(Outcome.LOST, delivery.outcome());
        assertTrue(delivery.reason().contains("forwarding loop"), delivery.reason());
    }

    @Test
    void managerThatAssignsNonsense_isRefusedAndNothingChanges() {
        assertEquals(Smp.BAD_VALUE, portInfo(p -> p.lid(0), 1));
        assertEquals(Smp.BAD_VALUE, portInfo(p -> p.lid(0xc000), 1));
        assertEquals(Smp.BAD_VALUE, portInfo(p -> p.lid(5).lmc(1), 1));
        assertEquals(Smp.BAD_VALUE, portInfo(p -> p.lid(5).portState(Smp.ACTIVE), 1));
        assertEquals(Smp.BAD_VALUE, portInfo(p -> p.lid(5).operationalVls(5), 1));
        assertEquals(0, fabric.lid(A, 1));
        MemorySegment top = Mads.blank();
        new SwitchInfo().wrap(top, 0).linearFdbTop(0xffff);
        assertEquals(Smp.BAD_VALUE, set(Smp.SWITCH_INFO, 0, top.asSlice(0, 64), 1));
        assertEquals(Smp.BAD_VALUE, set(Smp.LINEAR_FORWARDING, 768, top.asSlice(0, 64), 1));
        assertEquals(Smp.BAD_VALUE, set(Smp.LINEAR_FORWARDING, -1, top.asSlice(0, 64), 1));
        assertEquals(Smp.BAD_ATTRIBUTE, set(Smp.LINEAR_FORWARDING, 0, top.asSlice(0, 64)));
        assertEquals(Smp.BAD_ATTRIBUTE, set(Smp.NODE_INFO, 0, top.asSlice(0, 64), 1));
        assertEquals(Smp.BAD_ATTRIBUTE, Mads.status(answered(Mads.directed(Smp.GET, 0xff90, 0, 1))));
    }

    @Test
    void portsThatForwardNowhere_loseThePacketAndCountIt() {
        bringUp();
        forward(50, 99, 1);
        forward(51, 3, 1);
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 50, Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.NODE_INFO, 0))
                        .outcome());
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 51, Mads.smp(Smp.CLASS_LID_ROUTED, Smp.GET, Smp.NODE_INFO, 0))
                        .outcome());
        MemorySegment mad = Mads.smp(Smp.CLASS_PERFORMANCE, Smp.GET, Smp.PORT_COUNTERS, 0);
        new PortCounters().wrap(mad, DATA).portSelect(1);
        assertEquals(Outcome.ANSWERED, fabric.send(A, 1, 11, mad).outcome());
        assertEquals(1, new PortCounters().wrap(mad, DATA).portRcvSwitchRelayErrors());
    }

    @Test
    void mKey_set_protectsAgainstOthers() {
        assertEquals(0, portInfo(p -> p.lid(9).mKey(42), 1));
        assertEquals(
                Outcome.LOST,
                fabric.send(A, 1, 0, Mads.directed(Smp.SET, Smp.PORT_INFO, 1)).outcome());
        MemorySegment get = answered(Mads.directed(Smp.GET, Smp.PORT_INFO, 1));
        assertEquals(1, new PortInfo().wrap(get, DATA).mKeyViolations());
        assertEquals(9, fabric.lid(A, 1));
    }

    @Test
    void cable_unplugged_isReportedUntilTheManagerAcknowledges() {
        bringUp();
        MemorySegment mad = Mads.blank();
        assertEquals(Optional.empty(), fabric.pollTrap(0, mad));
        fabric.cable(TOPOLOGY.cableAt(ONE, 2), false);
        assertEquals(Smp.DOWN, fabric.portState(ONE, 2));
        Delivery first = fabric.pollTrap(1000, mad).orElseThrow();
        assertEquals(new Delivery(Outcome.FORWARDED, A, 1, ""), first);
        Notice notice = new Notice().wrap(mad, DATA);
        assertEquals(128, notice.trapNumber());
        assertEquals(11, notice.dataLid());
        // The other switch reports, too, but no path is left.
        assertEquals(
                Outcome.LOST, fabric.pollTrap(1000, Mads.blank()).orElseThrow().outcome());
        assertEquals(Optional.empty(), fabric.pollTrap(1000, Mads.blank()));
        assertEquals(500_001_000, fabric.nextDeadlineNs(1000));
        new MadHeader().wrap(mad, 0).method(Smp.TRAP_REPRESS);
        assertEquals(Outcome.CONSUMED, fabric.send(A, 1, 11, mad).outcome());
        assertEquals(
                Outcome.LOST,
                fabric.pollTrap(500_001_000, Mads.blank()).orElseThrow().outcome());
        assertEquals(Optional.empty(), fabric.pollTrap(500_001_000, Mads.blank()));
        MemorySegment get = answered(Mads.directed(Smp.GET, Smp.SWITCH_INFO, 0, 1));
        assertTrue(new SwitchInfo().wrap(get, DATA).portStateChange());
        fabric.cable(TOPOLOGY.cableAt(ONE, 2), true);
        assertEquals(Smp.INITIALIZE, fabric.portState(ONE, 2));
    }

    @Test
    void node_switchedOffAndOn_hasLostItsTables() {
        bringUp();
        fabric.node(TWO, false);
        assertEquals(Smp.DOWN, fabric.portState(ONE, 2));
        assertEquals(Smp.DOWN, fabric.portState(B, 1));
        assertFalse(fabric.connected(TOPOLOGY.cableAt(ONE, 2)));
        fabric.node(TWO, true);
        assertEquals(Smp.INITIALIZE, fabric.portState(ONE, 2));
        assertEquals(0, fabric.lid(TWO, 0));
        assertEquals(255, fabric.outputPort(TWO, 2));
        assertEquals(2, fabric.lid(B, 1));
    }

    @Test
    void portDisabledByManagement_staysDownUntilEnabled() {
        bringUp();
        assertEquals(0, portInfo(p -> p.portPhysicalState(Smp.DISABLED), 2, 1));
        assertEquals(Smp.DOWN, fabric.portState(TWO, 2));
        assertFalse(fabric.usable(TOPOLOGY.cableAt(ONE, 2)));
        assertEquals(0, portInfo(p -> p.portPhysicalState(Smp.POLLING), 2, 1));
        assertEquals(Smp.INITIALIZE, fabric.portState(TWO, 2));
    }

    @Test
    void counters_ofTraffic_areShownAndResetSeparately() {
        bringUp();
        CountedPorts traffic = new CountedPorts(TOPOLOGY);
        fabric.addCounts(traffic);
        traffic.add(TWO, 1, Counter.XMIT_DATA, 1L << 33);
        traffic.add(TWO, 1, Counter.SYMBOL_ERRORS, 70_000);
        traffic.add(TWO, 1, Counter.XMIT_WAIT, 5);
        PortCounters small = new PortCounters().wrap(counters(Smp.GET, Smp.PORT_COUNTERS, 1, 0), DATA);
        assertEquals(0xffff_ffffL, small.portXmitData());
        assertEquals(65_535, small.symbolErrorCounter());
        assertEquals(5, small.portXmitWait());
        assertTrue(new PortCountersExtended()
                        .wrap(counters(Smp.GET, Smp.PORT_COUNTERS_EXTENDED, 1, 0), DATA)
                        .portXmitData()
                >= 1L << 33);
        counters(Smp.SET, Smp.PORT_COUNTERS, 1, 0xffff);
        small.wrap(counters(Smp.GET, Smp.PORT_COUNTERS, 1, 0), DATA);
        assertEquals(0, small.symbolErrorCounter());
        assertTrue(small.portXmitData() < 1000);
        assertTrue(new PortCountersExtended()
                        .wrap(counters(Smp.GET, Smp.PORT_COUNTERS_EXTENDED, 255, 0), DATA)
                        .portXmitData()
                >= 1L << 33);
    }

    private MemorySegment counters(int method, int attribute, int port, int mask) {
        MemorySegment mad = Mads.smp(Smp.CLASS_PERFORMANCE, method, attribute, 0);
        new PortCounters().wrap(mad, DATA).portSelect(port).counterSelect(mask);
        assertEquals(Outcome.ANSWERED, fabric.send(A, 1, 12, mad).outcome());
        assertEquals(0, Mads.status(mad));
        return mad;
    }

    /** Datagrams of any content end in bounded time with one of the outcomes; the fabric remains usable. */
    @Tag(Seeds.TAG)
    @Test
    void datagrams_ofAnyContent_areAnsweredForwardedOrLost() {
        bringUp();
        Seeds.each(3000, seed -> {
            Random random = new Random(seed);
            MemorySegment mad = random.nextInt(4) == 0 ? random(random) : nearlyValid(random);
            int node = random.nextInt(4);
            int port = node >= ONE ? 0 : 1;
            Delivery delivery = fabric.send(node, port, random.nextInt(70), mad);
            assertEquals(delivery.outcome() == Outcome.LOST, !delivery.reason().isEmpty(), "seed " + seed);
            fabric.pollTrap(seed * 1_000_000, Mads.blank());
        });
        ManagedFabric other = new ManagedFabric(TOPOLOGY);
        assertEquals(
                Outcome.ANSWERED,
                other.send(A, 1, 0, Mads.directed(Smp.GET, Smp.NODE_INFO, 0, 1, 2, 1))
                        .outcome());
    }

    private static MemorySegment random(Random random) {
        byte[] bytes = new byte[256];
        random.nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    private static MemorySegment nearlyValid(Random random) {
        int[] classes = {Smp.CLASS_DIRECTED, Smp.CLASS_DIRECTED, Smp.CLASS_LID_ROUTED, Smp.CLASS_PERFORMANCE, 0x0a};
        int[] methods = {Smp.GET, Smp.SET, Smp.SET, Smp.TRAP, Smp.TRAP_REPRESS, 0x81, random.nextInt(256)};
        MemorySegment mad = random(random);
        MemorySegment head = Mads.smp(
                classes[random.nextInt(classes.length)],
                methods[random.nextInt(methods.length)] & 0x7f,
                random.nextInt(8) == 0 ? random.nextInt(65_536) : 0x10 + random.nextInt(18),
                random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(6) << (random.nextBoolean() ? 16 : 0));
        mad.asSlice(0, 24).copyFrom(head.asSlice(0, 24));
        int hops = random.nextInt(16) == 0 ? random.nextInt(256) : random.nextInt(4);
        SmpHeader header = new SmpHeader().wrap(mad, 0);
        if (head.get(ValueLayout.JAVA_BYTE, 1) == (byte) Smp.CLASS_DIRECTED) {
            header.hopPointer(0).hopCount(hops).drSlid(0xffff).drDlid(0xffff);
            for (int hop = 1; hop <= Math.min(hops, 63); hop++) {
                header.initialPath(hop, 1 + random.nextInt(2));
            }
        }
        header.mKey(0);
        return mad;
    }
}
