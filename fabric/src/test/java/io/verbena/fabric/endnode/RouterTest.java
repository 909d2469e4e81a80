package io.verbena.fabric.endnode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyBuilder;
import io.verbena.fixture.Seeds;
import io.verbena.port.Addresses;
import io.verbena.wire.ib.Grh;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.Vcrc;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** F6: routers forward packets between subnets by the GRH. */
class RouterTest {

    /** Three subnets in a row, each of a switch with a host, connected by two routers between the first two and one between the others. */
    private static Topology threeSubnets() {
        TopologyBuilder builder = new TopologyBuilder();
        int[] switches = new int[3];
        for (int i = 0; i < 3; i++) {
            switches[i] = builder.switchNode("switch-" + i, 8);
        }
        for (int i = 0; i < 3; i++) {
            builder.cable(builder.adapter("h" + i + " sanic-1", 1), switches[i]);
        }
        int routers = 0;
        for (int[] pair : new int[][] {{0, 1}, {0, 1}, {1, 2}}) {
            int router = builder.router("router-" + routers++, 2);
            builder.cable(router, switches[pair[0]]).cable(router, switches[pair[1]]);
        }
        return builder.build();
    }

    @Test
    void f6_endnodesOfThreeSubnets_connectAndWrite_throughRouters() throws Exception {
        try (San san = San.of(threeSubnets(), SanSettings.DEFAULT)) {
            Endnode a = san.open(0);
            Endnode c = san.open(2);
            assertFalse(a.gid(0).isLinkLocalAddress() == c.gid(0).isLinkLocalAddress(), "prefixes of subnets differ");
            List<String> headers = new ArrayList<>();
            san.tap((packet, nowNs) -> {
                MemorySegment bytes = MemorySegment.ofArray(packet);
                Lrh lrh = new Lrh().wrap(bytes, 0);
                assertEquals(Lrh.GLOBAL, lrh.lnh());
                headers.add(lrh.slid() + ">" + lrh.dlid() + " hops "
                        + new Grh().wrap(bytes, Lrh.LENGTH).hopLmt());
            });
            OneWrite.run(a, c, c.address(7), 20_000);
            // Hosts have LIDs 1 to 3, routers 4 to 9 in pairs; a router changes the LRH and the hop limit.
            assertTrue(headers.stream().anyMatch(line -> line.matches("1>[46] hops 64")), headers.toString());
            assertTrue(headers.stream().anyMatch(line -> line.matches("[57]>8 hops 63")), headers.toString());
            assertTrue(headers.stream().anyMatch(line -> line.equals("9>3 hops 62")), headers.toString());
            assertEquals(0, san.packetsLost());
        }
    }

    @Test
    void router_hasNoRnic() {
        try (San san = San.of(threeSubnets(), SanSettings.DEFAULT)) {
            assertThrows(IllegalArgumentException.class, () -> san.open(3));
        }
    }

    /** Each subnet has a manager of its own. */
    @Test
    void f6_eachSubnetUnderAManager_packetsPassRouters() throws Exception {
        try (San san = San.managed(threeSubnets(), SanSettings.DEFAULT, SubnetManager.Options.DEFAULT)) {
            Endnode a = san.open(0);
            Endnode b = san.open(1);
            Endnode c = san.open(2);
            OneWrite.run(a, b, b.address(7), 5_000);
            OneWrite.run(c, a, a.address(7), 5_000);
            assertEquals(0, san.packetsLost());
        }
    }

    /** IPv6 packets of raw datagrams have no GRH: routers forward them by their own header. */
    @Test
    void f6_rawDatagram_isForwardedByItsIpv6Header() {
        Topology topology = threeSubnets();
        EndnodePorts ports = EndnodePorts.of(topology, 0);
        SubnetRouter router = new SubnetRouter(ports, Subnets.of(topology, ports));
        byte[] ipv6 = new byte[51];
        new Ipv6Header()
                .wrap(MemorySegment.ofArray(ipv6), 0)
                .write(11, 17, 2, 0)
                .destination(Addresses.high(PortIdentity.routable(1, 2)), Addresses.low(PortIdentity.routable(1, 2)));
        assertEquals(5, router.forward(3, RawPacket.of(ipv6, 1, 4)));
        assertEquals(2, router.destination());
        byte[] forwarded = RawPacket.ipv6(router.packet()).orElseThrow();
        assertEquals(51, forwarded.length);
        assertEquals(1, forwarded[7], "hop limit");
        assertEquals(0, router.forward(3, RawPacket.of(forwarded, 1, 4)), "no hops left");
        ipv6[24 + 7] = 9; // a subnet that does not exist
        assertEquals(0, router.forward(3, RawPacket.of(ipv6, 1, 4)));
    }

    @Tag(Seeds.TAG)
    @Test
    void f6_hopLimitOfOne_andDamage_areDiscarded() {
        Topology topology = threeSubnets();
        EndnodePorts ports = EndnodePorts.of(topology, 0);
        SubnetRouter router = new SubnetRouter(ports, Subnets.of(topology, ports));
        SeededNumbers random = new SeededNumbers(Seeds.one(1));
        byte[] packet = new byte[100];
        MemorySegment bytes = MemorySegment.ofArray(packet);
        new Lrh().wrap(bytes, 0).clear().lnh(Lrh.GLOBAL).dlid(4).slid(1).pktLen(24);
        Grh grh = new Grh()
                .wrap(bytes, Lrh.LENGTH)
                .hopLmt(2)
                .dgidHigh(PortIdentity.prefix(1))
                .dgidLow(PortIdentity.guid(2));
        Vcrc.write(bytes, 98, Vcrc.compute(bytes, 0, 98));
        assertEquals(5, router.forward(3, packet));
        assertEquals(2, router.destination());
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = packet.clone();
            damaged[random.nextInt(100)] ^= (byte) (1 << random.nextInt(8));
            assertEquals(0, router.forward(3, damaged), "a bit was wrong");
            assertEquals(0, router.forward(3, Arrays.copyOf(packet, random.nextInt(100))));
        }
        grh.hopLmt(1);
        Vcrc.write(bytes, 98, Vcrc.compute(bytes, 0, 98));
        assertEquals(0, router.forward(3, packet));
    }
}
