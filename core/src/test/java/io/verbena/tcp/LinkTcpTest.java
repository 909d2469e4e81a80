package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.port.LinkPort;
import io.verbena.port.faults.FaultyLinkPort;
import io.verbena.port.faults.PacketFaults;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hosts over network devices, in virtual time. */
class LinkTcpTest {

    /** Last byte of the sender's hardware address, behind the headers of virtio and of Ethernet. */
    private static final int ARP_SENDER_END = 10 + 14 + 13;

    private static final long MS = 1_000_000;
    private static final LinkAddress NEAR = LinkAddress.parse("10.0.0.1/24", FlowKey.inet(0x0a00_0001));
    private static final LinkAddress FAR = LinkAddress.parse("10.0.0.2/24", FlowKey.inet(0x0a00_0001));
    private static final InetAddress GATEWAY6 = InetAddress.ofLiteral("fd77::1");
    private static final LinkAddress NEAR6 = LinkAddress.parse("fd77::1/64", GATEWAY6);
    private static final LinkAddress FAR6 = LinkAddress.parse("fd77::2/64", GATEWAY6);
    private static final InetSocketAddress SERVICE6 = new InetSocketAddress(FAR6.address(), 7471);
    private static final InetSocketAddress SERVICE = new InetSocketAddress(FAR.address(), 7471);

    private final Random random = new Random(5);
    private long nowNs = 1000;

    private LinkHost host(LinkPort link, LinkAddress address) {
        return new LinkHost(new LinkTcp(link, address, TcpSettings.defaults(), random::nextLong, nowNs));
    }

    private byte[] bytes(int count) {
        byte[] all = new byte[count];
        random.nextBytes(all);
        return all;
    }

    /** Exchanges frames until nothing moves for a while. */
    private void run(LinkHost near, FakeLink nearLink, LinkHost far, FakeLink farLink, long forNs) {
        for (long endNs = nowNs + forNs; nowNs < endNs; nowNs += MS / 10) {
            for (int i = 0; i < 3; i++) {
                near.tcp.turn(nowNs);
                near.tcp.flush(nowNs);
                far.tcp.turn(nowNs);
                far.tcp.flush(nowNs);
                farLink.arriving.addAll(nearLink.onWire());
                nearLink.arriving.addAll(farLink.onWire());
                near.tcp.onReadable();
                far.tcp.onReadable();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, false", "false, true, false", "true, false, false", "true, true, false",
        "false, false, true", "false, true, true", "true, false, true", "true, true, true"
    })
    void twoHosts_bulkBothWays_allBytesArrive(boolean ethernet, boolean offloads, boolean ipv6) throws IOException {
        FakeLink nearLink = new FakeLink(ethernet, offloads, 1500);
        FakeLink farLink = new FakeLink(ethernet, offloads, 1500);
        LinkHost near = host(nearLink, ipv6 ? NEAR6 : NEAR);
        LinkHost far = host(farLink, ipv6 ? FAR6 : FAR);
        InetSocketAddress service = ipv6 ? SERVICE6 : SERVICE;
        near.toSend = bytes(1 << 20);
        far.toSend = bytes(300_000);
        far.tcp.listen(service, 4, far::begin);
        near.tcp.connect(service, near);
        if (ipv6 && ethernet) {
            // RFC 4862 section 5.4: nothing is sent before the address is known to be unique.
            run(near, nearLink, far, farLink, 2 * MS);
            assertEquals(0, far.received.position());
            nowNs += 998 * MS;
        }
        run(near, nearLink, far, farLink, 100 * MS);
        assertEquals(List.of(), near.failures);
        assertTrue(Arrays.equals(near.toSend, far.got()), () -> far.got().length + " bytes");
        assertTrue(Arrays.equals(far.toSend, near.got()), () -> near.got().length + " bytes");
        assertEquals(offloads, nearLink.largest > 60_000, "large segments");
        assertEquals(0, far.tcp.counters().checksumErrors());
        near.stream().close(false);
        far.stream().close(false);
        run(near, nearLink, far, farLink, 10 * MS);
        near.tcp.turn(nowNs);
        assertFalse(Times.due(near.tcp.nextDeadlineNs(), nowNs));
    }

    // A lost segment among those of a large one is repeated alone.
    @Test
    void offloads_segmentsAreLost_onlyThoseAreRepeated() throws IOException {
        FakeLink nearLink = new FakeLink(false, true, 1500);
        FakeLink farLink = new FakeLink(false, true, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        near.toSend = bytes(1 << 20);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        int segments = 0;
        for (int round = 0; round < 30_000 && far.received.position() < near.toSend.length; round++) {
            nowNs += MS / 10;
            near.tcp.turn(nowNs);
            near.tcp.flush(nowNs);
            for (byte[] frame : nearLink.onWire()) {
                segments++;
                if (segments < 4 || random.nextInt(50) > 0) {
                    farLink.arriving.add(frame);
                }
            }
            far.tcp.onReadable();
            far.tcp.turn(nowNs);
            far.tcp.flush(nowNs);
            nearLink.arriving.addAll(farLink.onWire());
            near.tcp.onReadable();
        }
        assertTrue(Arrays.equals(near.toSend, far.got()));
        int least = near.toSend.length / 1448;
        int most = segments;
        assertTrue(most < least * 1.06, () -> most + " segments, at least " + least + " are needed");
    }

    @Test
    void deviceIsFull_framesWaitAndContinue() throws IOException {
        FakeLink nearLink = new FakeLink(true, true, 1500);
        FakeLink farLink = new FakeLink(true, true, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        near.toSend = bytes(200_000);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        nearLink.full = true;
        run(near, nearLink, far, farLink, 5 * MS);
        assertTrue(nearLink.wantsWritable);
        near.tcp.turn(nowNs);
        assertFalse(Times.due(near.tcp.nextDeadlineNs(), nowNs), "no turn is needed while the device is full");
        nearLink.full = false;
        near.tcp.onWritable();
        run(near, nearLink, far, farLink, 100 * MS);
        assertFalse(nearLink.wantsWritable);
        assertEquals(near.toSend.length, far.received.position());
    }

    // The packet that waits for the device is not the one that is written next.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deviceIsFull_resetIsWrittenMeanwhile_theWaitingPacketIsIntact(boolean offloads) throws IOException {
        FakeLink nearLink = new FakeLink(false, offloads, 1500);
        FakeLink farLink = new FakeLink(false, offloads, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        run(near, nearLink, far, farLink, 5 * MS);
        nearLink.full = true;
        near.toSend = bytes(1000);
        near.onWritable();
        near.tcp.turn(nowNs);
        near.tcp.flush(nowNs);
        assertTrue(nearLink.wantsWritable);
        far.tcp.connect(new InetSocketAddress(NEAR.address(), 9), far);
        far.tcp.flush(nowNs);
        nearLink.arriving.addAll(farLink.onWire());
        near.tcp.onReadable();
        near.tcp.turn(nowNs);
        nearLink.full = false;
        near.tcp.onWritable();
        run(near, nearLink, far, farLink, MS);
        assertTrue(Arrays.equals(near.toSend, far.got()), "the first transmission has arrived");
        assertEquals(0, far.tcp.counters().checksumErrors());
        assertEquals(List.of("Connection refused"), far.failures);
    }

    // RFC 4987 section 3.6.
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void forgedSynsFillTheBacklog_peerConnects_allBytesArrive(boolean offloads, boolean ipv6) throws IOException {
        FakeLink nearLink = new FakeLink(false, offloads, 1500);
        FakeLink farLink = new FakeLink(false, offloads, 1500);
        LinkHost near = host(nearLink, ipv6 ? NEAR6 : NEAR);
        LinkHost far = host(farLink, ipv6 ? FAR6 : FAR);
        InetSocketAddress service = ipv6 ? SERVICE6 : SERVICE;
        near.toSend = bytes(1 << 20);
        far.toSend = bytes(300_000);
        far.tcp.listen(service, 4, far::begin);
        for (int i = 0; i < 10; i++) {
            FakeLink link = new FakeLink(false, offloads, 1500);
            LinkAddress source = ipv6
                    ? LinkAddress.parse("fd77::10" + i + "/64", GATEWAY6)
                    : LinkAddress.parse("10.0.0.10" + i + "/24", FlowKey.inet(0x0a00_0001));
            LinkHost forger = host(link, source);
            forger.tcp.connect(service, forger);
            forger.tcp.flush(nowNs);
            farLink.arriving.addAll(link.onWire());
        }
        far.tcp.onReadable();
        far.tcp.turn(nowNs);
        assertEquals(6, far.tcp.counters().cookiesOut());
        near.tcp.connect(service, near);
        run(near, nearLink, far, farLink, 100 * MS);
        assertEquals(1, far.tcp.counters().cookiesAccepted());
        assertEquals(List.of(), near.failures);
        assertTrue(Arrays.equals(near.toSend, far.got()), () -> far.got().length + " bytes");
        assertTrue(Arrays.equals(far.toSend, near.got()), () -> near.got().length + " bytes");
        assertEquals(offloads, nearLink.largest > 60_000, "large segments");
        assertEquals(
                0, near.tcp.counters().checksumErrors() + far.tcp.counters().checksumErrors());
    }

    @Test
    void deviceRemoved_connectionsEndWithAReason_andNewOnesAreRefused() throws IOException {
        FakeLink nearLink = new FakeLink(true, true, 1500);
        FakeLink farLink = new FakeLink(true, true, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        run(near, nearLink, far, farLink, 5 * MS);
        nearLink.gone = true;
        near.tcp.turn(nowNs);
        near.tcp.turn(nowNs);
        near.tcp.flush(nowNs);
        assertEquals(List.of("The network device or port of the connection is gone"), near.failures);
        assertTrue(nearLink.closed);
        LinkHost later = host(nearLink, NEAR);
        near.tcp.connect(SERVICE, later);
        near.tcp.turn(nowNs);
        assertEquals(List.of("the network device fake0 is gone: it was removed"), later.failures);
        assertThrows(IOException.class, () -> near.tcp.listen(new InetSocketAddress(NEAR.address(), 9), 4, _ -> {}));
        assertEquals(Times.NEVER, near.tcp.nextDeadlineNs());
    }

    @Test
    void closed_peersAreReset() throws IOException {
        FakeLink nearLink = new FakeLink(true, false, 1500);
        FakeLink farLink = new FakeLink(true, false, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        run(near, nearLink, far, farLink, 5 * MS);
        near.tcp.close(nowNs);
        farLink.arriving.addAll(nearLink.onWire());
        far.tcp.onReadable();
        far.tcp.turn(nowNs);
        assertEquals(List.of("Connection reset by the peer"), far.failures);
    }

    // RFC 1122 section 2.3.2.1: three requests a second apart, and again for each SYN.
    @Test
    void connect_noHostAnswersArp_failsAfterTwoMinutes() {
        failsAfterTwoMinutes(NEAR, FlowKey.inet(0x0a00_0009));
    }

    // RFC 4861 sections 7.2.2 and 10: MAX_MULTICAST_SOLICIT.
    @Test
    void connect_noHostAnswersSolicitations_failsAfterTwoMinutes() {
        failsAfterTwoMinutes(NEAR6, InetAddress.ofLiteral("fd77::9"));
    }

    private void failsAfterTwoMinutes(LinkAddress own, InetAddress absent) {
        FakeLink link = new FakeLink(true, true, 1500);
        LinkHost near = host(link, own);
        nowNs += 1_000 * MS; // the own address is known to be unique
        near.tcp.turn(nowNs);
        near.tcp.flush(nowNs);
        link.onWire();
        near.tcp.connect(new InetSocketAddress(absent, 1), near);
        int requests = 0;
        for (long endNs = nowNs + 2_900 * MS; nowNs < endNs; nowNs += 10 * MS) {
            near.tcp.turn(nowNs);
            near.tcp.flush(nowNs);
            requests += link.onWire().size();
        }
        assertEquals(3, requests);
        // Three lost answers are not enough: each SYN asks again, for as long as TCP waits for an answer.
        for (long endNs = nowNs + 115_000 * MS; nowNs < endNs; nowNs += 100 * MS) {
            near.tcp.turn(nowNs);
            near.tcp.flush(nowNs);
            requests += link.onWire().size();
        }
        assertTrue(requests > 3 * 5, requests + " requests");
        assertEquals(List.of(), near.failures);
        for (long endNs = nowNs + 20_000 * MS; nowNs < endNs; nowNs += 100 * MS) {
            near.tcp.turn(nowNs);
            near.tcp.flush(nowNs);
            link.onWire();
        }
        assertEquals(List.of("No route to the host"), near.failures);
    }

    @Test
    void secondHostWithTheAddress_endsWithAReason_andTheFirstContinues() throws IOException {
        FakeLink nearLink = new FakeLink(true, true, 1500);
        FakeLink farLink = new FakeLink(true, true, 1500);
        LinkHost near = host(nearLink, FAR6);
        nowNs += 1_000 * MS;
        near.tcp.turn(nowNs);
        near.tcp.flush(nowNs);
        nearLink.onWire();
        LinkHost far = host(farLink, FAR6);
        far.tcp.connect(new InetSocketAddress(NEAR6.address(), 1), far);
        run(near, nearLink, far, farLink, 2 * MS);
        far.tcp.turn(nowNs);
        assertEquals(List.of("The network device or port of the connection is gone"), far.failures);
        assertTrue(farLink.closed);
        IOException refused = assertThrows(IOException.class, () -> far.tcp.listen(SERVICE6, 4, _ -> {}));
        assertEquals(
                "the address fd77:0:0:0:0:0:0:2 cannot be used on this link: another host has it",
                refused.getMessage());
        assertFalse(nearLink.closed);
    }

    @Test
    void ownAddress_isReachedWithoutTheLink() throws IOException {
        FakeLink link = new FakeLink(true, true, 1500);
        LinkHost far = host(link, FAR);
        LinkHost accepted = host(new FakeLink(true, true, 1500), NEAR);
        far.toSend = bytes(200_000);
        far.tcp.listen(SERVICE, 4, stream -> {
            accepted.byteStream = stream;
            far.tcp.attach(stream, accepted);
        });
        far.tcp.connect(SERVICE, far);
        for (long endNs = nowNs + 100 * MS; nowNs < endNs; nowNs += MS / 10) {
            far.tcp.turn(nowNs);
            far.tcp.flush(nowNs);
        }
        assertTrue(Arrays.equals(far.toSend, accepted.got()));
        assertEquals(List.of(), link.onWire());
    }

    @Test
    void ipv6_onALinkWithASmallMtu_isRejected() {
        FakeLink link = new FakeLink(true, true, 1279);
        assertThrows(IllegalArgumentException.class, () -> host(link, NEAR6));
    }

    // The whole path on a bad link: faults in both directions, bytes equal, no matter what.
    @Tag(Seeds.TAG)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void badLink_allBytesArrive(boolean ipv6) throws IOException {
        PacketFaults faults = PacketFaults.none()
                .withLoss(20)
                .withDuplicates(30)
                .withFlips(40)
                .withHolds(5, 2 * MS)
                .withOutages(100_000, 5 * MS);
        FakeLink nearLink = new FakeLink(true, false, 1500);
        FakeLink farLink = new FakeLink(true, false, 1500);
        random.setSeed(Seeds.one(1));
        FaultyLinkPort bad = new FaultyLinkPort(nearLink, faults, random.nextLong(), nowNs);
        LinkHost near = host(bad, ipv6 ? NEAR6 : NEAR);
        LinkHost far = host(farLink, ipv6 ? FAR6 : FAR);
        near.toSend = bytes(200_000);
        far.toSend = bytes(200_000);
        far.tcp.listen(ipv6 ? SERVICE6 : SERVICE, 4, far::begin);
        near.tcp.connect(ipv6 ? SERVICE6 : SERVICE, near);
        for (int round = 0; round < 400_000; round++) {
            nowNs += MS / 10;
            if (bad.turn(nowNs)) {
                near.tcp.onReadable();
            }
            run(near, nearLink, far, farLink, 1);
            if (near.received.position() == 200_000 && far.received.position() == 200_000) {
                break;
            }
        }
        assertEquals(List.of(), near.failures);
        assertTrue(Arrays.equals(near.toSend, far.got()));
        assertTrue(Arrays.equals(far.toSend, near.got()));
    }

    // RFC 1122 section 2.3.2.1 (4). ARP packets have no checksum, and an answer is valid for a minute.
    @Test
    void arpReplyIsDamaged_allBytesArriveWithinSeconds() throws IOException {
        FakeLink nearLink = new FakeLink(true, false, 1500);
        FakeLink farLink = new FakeLink(true, false, 1500);
        LinkHost near = host(nearLink, NEAR);
        LinkHost far = host(farLink, FAR);
        near.toSend = bytes(200_000);
        far.toSend = bytes(200_000);
        far.tcp.listen(SERVICE, 4, far::begin);
        near.tcp.connect(SERVICE, near);
        near.tcp.flush(nowNs);
        farLink.arriving.addAll(nearLink.onWire());
        far.tcp.onReadable();
        far.tcp.turn(nowNs);
        far.tcp.flush(nowNs);
        for (byte[] frame : farLink.onWire()) {
            frame[ARP_SENDER_END] ^= 4;
            nearLink.arriving.add(frame);
        }
        near.tcp.onReadable();
        run(near, nearLink, far, farLink, 10_000 * MS);
        assertEquals(List.of(), near.failures);
        assertTrue(Arrays.equals(near.toSend, far.got()), () -> far.got().length + " bytes");
        assertTrue(Arrays.equals(far.toSend, near.got()), () -> near.got().length + " bytes");
    }

    @Test
    void faultsOnLargeSegments_areRejected() {
        LinkPort large = new FakeLink(true, true, 1500);
        assertThrows(
                IllegalArgumentException.class,
                () -> new FaultyLinkPort(large, PacketFaults.none().withLoss(2), 1, 0));
    }

    @Test
    void addresses_areCheckedAndRouted() {
        LinkAddress there = LinkAddress.after(FlowKey.inet(0x0a4d_0001), 24);
        assertEquals("10.77.0.2/24", there.toString());
        assertEquals(IpAddress.ipv4(0x0a4d_0009), there.nextHop(IpAddress.ipv4(0x0a4d_0009)));
        assertEquals(IpAddress.ipv4(0x0a4d_0001), there.nextHop(IpAddress.ipv4(0x0808_0808)));
        LinkAddress there6 = LinkAddress.after(GATEWAY6, 64);
        assertEquals("fd77:0:0:0:0:0:0:2/64", there6.toString());
        IpAddress onLink = IpAddress.of(InetAddress.ofLiteral("fd77::9"));
        assertEquals(onLink, there6.nextHop(onLink));
        assertEquals(IpAddress.of(GATEWAY6), there6.nextHop(IpAddress.of(InetAddress.ofLiteral("fd78::9"))));
        for (String wrong : List.of("fd77::/64", "fd78::2/64", "ff02::1/64", "::1/64", "fd77::2/128", "fd77::x/64")) {
            assertThrows(IllegalArgumentException.class, () -> LinkAddress.parse(wrong, GATEWAY6), wrong);
        }
        for (String wrong : List.of(
                "",
                "10.0.0.2",
                "10.0.0.2/",
                "10.0.0.2/31",
                "10.0.0.0/24",
                "10.0.0.255/24",
                "10.0.0.256/24",
                "host/24",
                "10.0.0.2/24/1",
                "10.0.1.2/24")) {
            assertThrows(
                    IllegalArgumentException.class, () -> LinkAddress.parse(wrong, FlowKey.inet(0x0a00_0001)), wrong);
        }
    }
}
