package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection with several paths over real sockets: each path has a source port. */
class UdpPathsTest {

    private static final int PATHS = 8;
    private static final int ROUNDS = 50;
    private static final int BYTES = 16_000;

    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void allKindsOfWork_overEightPaths(int loseOneIn) throws IOException {
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        PacketFaults faults = PacketFaults.none().withLoss(loseOneIn);
        try (Rnic near = new RoceProvider().open(options, faults);
                Rnic far = new RoceProvider().open(options, faults)) {
            Site a = new Site(near);
            Site b = new Site(far);
            Connection connection = Site.connect(
                    a, b, StreamProbe.loopback(0), ConnectionOptions.defaults().withPaths(PATHS));
            for (int i = 0; i < ROUNDS; i++) {
                round(a, b, i);
            }
            List<ConnectionPath> paths = connection.paths();
            assertEquals(PATHS, paths.size());
            assertTrue(paths.stream().filter(it -> it.bytes() > 0).count() > PATHS / 2, paths::toString);
        }
    }

    /** Addresses of the loopback interface that no other process uses. */
    private static String loopback(int number) {
        long process = ProcessHandle.current().pid();
        return "127." + (64 + (process >> 14 & 63)) + "." + (process >> 6 & 255) + "." + ((process & 63) * 4 + number);
    }

    /** The second addresses are used once each side has answered there: the capture shows both kinds of packets. */
    @Test
    void twoAddressesOfEachSide_carryPathsInTurn(@TempDir Path folder) throws IOException {
        Path capture = folder.resolve("two.pcapng");
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        try (Rnic near = Rnic.open(
                        options.withDevice(loopback(0) + "," + loopback(1)).withCaptureFile(capture.toString()));
                Rnic far = Rnic.open(options.withDevice(loopback(2) + "," + loopback(3)))) {
            Site a = new Site(near);
            Site b = new Site(far);
            Connection connection = Site.connect(
                    a,
                    b,
                    new InetSocketAddress(InetAddress.ofLiteral(loopback(2)), 0),
                    ConnectionOptions.defaults().withPaths(PATHS));
            for (int i = 0; i < ROUNDS; i++) {
                round(a, b, i);
            }
            assertEquals(PATHS, connection.paths().size());
        }
        byte[] bytes = Files.readAllBytes(capture);
        for (int side = 0; side < 2; side++) {
            assertTrue(count(bytes, loopback(side), loopback(2 + side)) > ROUNDS, "from side " + side);
            assertTrue(count(bytes, loopback(2 + side), loopback(side)) > ROUNDS, "to side " + side);
            assertEquals(0, count(bytes, loopback(side), loopback(3 - side)), "no other pairs");
        }
    }

    /** How often two addresses follow each other, as in the header of a packet. */
    private static int count(byte[] bytes, String source, String destination) {
        byte[] pattern = new byte[8];
        System.arraycopy(InetAddress.ofLiteral(source).getAddress(), 0, pattern, 0, 4);
        System.arraycopy(InetAddress.ofLiteral(destination).getAddress(), 0, pattern, 4, 4);
        int count = 0;
        for (int i = 0; i + pattern.length <= bytes.length; i++) {
            count += Arrays.equals(bytes, i, i + pattern.length, pattern, 0, pattern.length) ? 1 : 0;
        }
        return count;
    }

    /** The peer has one address. */
    @Test
    void twoAddressesOfOneSide_reachTheOneOfThePeer() throws IOException {
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        try (Rnic near = Rnic.open(
                        options.withDevice(loopback(0) + "," + loopback(1)).withEngines(2));
                Rnic far = Rnic.open(options.withDevice(loopback(2)))) {
            Site a = new Site(near);
            Site b = new Site(far);
            Site.connect(
                    a,
                    b,
                    new InetSocketAddress(InetAddress.ofLiteral(loopback(2)), 0),
                    ConnectionOptions.defaults().withPaths(PATHS));
            for (int i = 0; i < ROUNDS; i++) {
                round(a, b, i);
            }
        }
    }

    @Test
    void devicesThatAreNoAddresses_areRefused() {
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        for (String device : List.of(
                loopback(0) + ",",
                "," + loopback(0),
                loopback(0) + ",eth1",
                loopback(0) + ",::1",
                loopback(0) + ",0.0.0.0",
                loopback(0) + "," + loopback(0),
                "127.0.1.1,127.0.1.2,127.0.1.3,127.0.1.4,127.0.1.5")) {
            assertThrows(VerbsException.class, () -> Rnic.open(options.withDevice(device)), device);
        }
        Rnic.open(options.withDevice(loopback(0))).close();
    }

    private static void round(Site a, Site b, int round) {
        a.memory.segment().asSlice(0, BYTES).fill((byte) round);
        b.queuePair.postReceive(round, b.memory, 2 * BYTES, 64);
        a.queuePair.postWrite(1, a.memory, 0, BYTES, b.memory.remote(), 0, WrFlags.SIGNALLED);
        a.queuePair.postRead(2, a.memory, BYTES, BYTES, b.memory.remote(), 0, WrFlags.SIGNALLED);
        a.queuePair.postSend(3, a.memory, 0, 64, WrFlags.SIGNALLED);
        for (int id = 1; id <= 3; id++) {
            assertTrue(a.cursor.next() || a.cq.await(Site.PATIENCE) && a.cursor.next());
            assertTrue(a.cursor.ok(), a.cursor::reason);
            assertEquals(id, a.cursor.wrId());
        }
        assertTrue(b.cq.await(Site.PATIENCE) && b.cursor.next());
        assertEquals(round, b.cursor.wrId());
        assertEquals(
                -1,
                a.memory.segment().asSlice(0, BYTES).mismatch(a.memory.segment().asSlice(BYTES, BYTES)));
    }
}
