package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The provider roce over real UDP sockets, both ends in this process. */
class RoceLoopbackTest {

    private static final int[] LENGTHS = {0, 1, 8, 1000, 4096, 4097, 100_000};
    private static final RnicOptions ROCE = RnicOptions.defaults().withProvider("roce");

    @TempDir
    Path folder;

    private final List<Rnic> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Rnic::close);
    }

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = Rnic.open(options);
        open.add(rnic);
        return rnic;
    }

    private Rnic rnic(PacketFaults faults) {
        Rnic rnic = new RoceProvider().open(ROCE, faults);
        open.add(rnic);
        return rnic;
    }

    private static void exchangeBothWays(Rnic left, Rnic right) throws IOException {
        Site near = new Site(left);
        Site far = new Site(right);
        Site.connect(near, far);
        for (int length : LENGTHS) {
            Site.exchange(near, far, length, length);
            Site.exchange(far, near, length, length + 5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoRnics_sendWriteRead(Progress progress) throws IOException {
        exchangeBothWays(rnic(ROCE.withProgress(progress)), rnic(ROCE.withProgress(progress)));
    }

    @ParameterizedTest
    @EnumSource
    void oneRnic_connectedToItself_sendWriteRead(Progress progress) throws IOException {
        Rnic rnic = rnic(ROCE.withProgress(progress));
        exchangeBothWays(rnic, rnic);
    }

    @Test
    void inlineAndEngineThread_mixed_sendWriteRead() throws IOException {
        exchangeBothWays(rnic(ROCE.withProgress(Progress.INLINE)), rnic(ROCE));
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1024, 4096})
    void pathMtu_sendWriteRead(int mtuBytes) throws IOException {
        RnicOptions options = ROCE.withInfiniband(it -> it.withPathMtuBytes(mtuBytes));
        Rnic left = rnic(options);
        Site near = new Site(left);
        Site far = new Site(rnic(options));
        Site.connect(near, far);
        assertEquals(mtuBytes, near.queuePair.query().maxFrameBytes());
        Site.exchange(near, far, 100_000, 1);
    }

    /** The address of this machine that its peers know, or one of the loopback network if it has no other. */
    private static String addressOfThisMachine() {
        return new RoceProvider()
                .devices().stream()
                        .map(InetAddress::ofLiteral)
                        .filter(it -> it instanceof Inet4Address && !it.isLoopbackAddress())
                        .map(InetAddress::getHostAddress)
                        .findFirst()
                        .orElse("127.0.0.78");
    }

    @Test
    void serverAtAddressOfThisMachine_clientOfThisMachine_sendWriteRead() throws IOException {
        RnicOptions options = ROCE.withInfiniband(it -> it.withUdpPort(14_793));
        String address = addressOfThisMachine();
        Rnic server = rnic(options.withDevice(address));
        String towards = new RoceProvider().deviceTowards(InetAddress.ofLiteral(address));
        for (int client = 0; client < 2; client++) {
            Site near = new Site(rnic(options.withDevice(towards)));
            Site far = new Site(server);
            Site.connect(near, far, new InetSocketAddress(0));
            Site.exchange(near, far, 100_000, client);
            Site.exchange(far, near, 100_000, client);
        }
    }

    @Test
    void serverAtIpv6AddressOfThisMachine_clientHasAnotherAddress() {
        RoceProvider roce = new RoceProvider();
        for (String each : roce.devices()) {
            InetAddress server = InetAddress.ofLiteral(each);
            if (server instanceof Inet6Address && !server.isLoopbackAddress()) {
                assertNotEquals(server, InetAddress.ofLiteral(roce.deviceTowards(server)));
            }
        }
    }

    @Test
    void ipv6_sendWriteRead() throws IOException {
        RnicOptions options = ROCE.withDevice("::1").withInfiniband(it -> it.withUdpPort(14_791));
        Rnic rnic = rnic(options);
        exchangeBothWays(rnic, rnic);
    }

    @Test
    void jdkSockets_sendWriteRead() throws IOException {
        System.setProperty("io.verbena.sockets", "jdk");
        try {
            exchangeBothWays(rnic(ROCE), rnic(ROCE.withProgress(Progress.INLINE)));
        } finally {
            System.clearProperty("io.verbena.sockets");
        }
    }

    @Test
    void packetsAreLostDoubledAndHeld_sendWriteRead() throws IOException {
        PacketFaults faults = PacketFaults.none()
                .withLoss(50)
                .withDuplicates(50)
                .withHolds(50, 100_000)
                .withFlips(50);
        exchangeBothWays(rnic(faults), rnic(faults));
    }

    @Test
    void captured_tsharkFindsRoce() throws IOException {
        Path file = folder.resolve("roce.pcapng");
        Rnic left = rnic(ROCE.withCaptureFile(file.toString()));
        exchangeBothWays(left, rnic(ROCE));
        left.close();
        Dissection.check(file, "infiniband.bth");
    }

    @Test
    void device_isTheAddress_andBelongsToOneRnic() throws IOException {
        RnicOptions options = ROCE.withDevice("127.0.0.77").withInfiniband(it -> it.withUdpPort(14_792));
        Rnic first = rnic(options);
        VerbsException taken = assertThrows(VerbsException.class, () -> rnic(options));
        assertTrue(String.valueOf(taken.getMessage()).contains("127.0.0.77"), taken::toString);
        try (Listener listener = first.listen(new InetSocketAddress(0))) {
            assertEquals(
                    InetAddress.ofLiteral("127.0.0.77"), ((InetSocketAddress) listener.localAddress()).getAddress());
        }
        assertThrows(
                IOException.class, () -> first.listen(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.2"), 0)));
        first.close();
        rnic(options);
    }

    @Test
    void unusableDevice_throws() {
        assertThrows(VerbsException.class, () -> rnic(ROCE.withDevice("eth0")));
        assertThrows(VerbsException.class, () -> rnic(ROCE.withDevice("192.0.2.99")));
        assertThrows(VerbsException.class, () -> rnic(ROCE.withDevice("0.0.0.0")));
        assertThrows(VerbsException.class, () -> new RoceProvider().open(ROCE.withProvider("iwarp")));
    }

    @Test
    void provider_isListedBehindIwarp() {
        List<String> names = RnicProvider.all().stream().map(RnicProvider::name).toList();
        assertTrue(names.indexOf("iwarp") < names.indexOf("roce"), names::toString);
        RnicProvider roce = RnicProvider.named("roce");
        assertTrue(roce.devices().contains("127.0.0.1"), () -> roce.devices().toString());
        assertEquals("roce", roce.describe(ROCE).provider());
        assertEquals("", roce.obstacle());
        assertEquals("", roce.deviceTowards(InetAddress.ofLiteral("127.0.0.9")));
        assertFalse(roce.description().isEmpty());
    }
}
