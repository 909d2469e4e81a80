package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.ServerRefuses;
import io.verbena.files.failure.Stalled;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.Greeting;
import io.verbena.files.store.Growth;
import io.verbena.host.IwarpProvider;
import io.verbena.port.faults.FaultPlan;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that want more than their share of places, log lines or writing, or that die on the way. */
class FairServerTest {

    private static final int MIB = 1 << 20;
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private Path folder = Path.of(".");

    private final Rnic rnic = Rnic.open();
    private Path source = Path.of("");

    @BeforeEach
    void makeFile() throws IOException {
        source = FileSite.file(folder.resolve("a.bin"), MIB);
    }

    @AfterEach
    void closeRnic() {
        rnic.close();
    }

    private static ServeSettings patient(int places) {
        return new ServeSettings(
                places, HOUR, HOUR, ConnectionOptions.defaults().withTimeout(HOUR));
    }

    private void assertServes(FileSite site) throws Exception {
        site.fetch("a.bin", folder.resolve("target"));
        assertEquals(-1, Files.mismatch(source, folder.resolve("target")));
    }

    /** A connection that starts at an address of this machine. */
    private static Link link(Rnic rnic, FileSite site, String from) throws ConnectionException, FileServiceException {
        CopySettings plain = FileSite.PLAIN;
        CopySettings settings = new CopySettings(
                new CopySettings.Work(1, plain.work().chunkBytes(), plain.work().depth()),
                new CopySettings.Content(true, true, false),
                new CopySettings.Patience(
                        plain.patience().retryFor(), plain.patience().timeout()),
                plain.connection().withLocalAddress(new InetSocketAddress(from, 0)));
        return new Link(rnic, site.address(), settings, () -> false);
    }

    private static FileMessage.Names list(Link link) throws FileServiceException {
        return link.ask(new FileMessage.ListFrom(0), FileMessage.Names.class, "the list", FileSite.LONGEST);
    }

    private static void closeAll(List<Link> links) {
        links.forEach(Link::close);
    }

    // Places.

    /** A request, and the connection is reset before it is established. */
    private static void requestAndDie(FileSite site, boolean readReply) throws IOException {
        try (Socket socket = request(site)) {
            if (readReply) {
                assertEquals('M', socket.getInputStream().read());
            }
            socket.setSoLinger(true, 0);
        }
    }

    /** A request for a peer-to-peer connection: after its reply the server waits for a first frame. */
    private static Socket request(FileSite site) throws IOException {
        InetSocketAddress at = (InetSocketAddress) site.address();
        Socket socket = new Socket(at.getAddress(), at.getPort());
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII));
        frame.writeBytes(new byte[] {0x10, 2, 0, (byte) (4 + Greeting.bytes().length)});
        frame.writeBytes(new byte[] {(byte) 0x80, 1, (byte) 0xc0, 1});
        frame.writeBytes(Greeting.bytes());
        socket.getOutputStream().write(frame.toByteArray());
        return socket;
    }

    /** Requests of one origin hold all places and never become connections: the next request takes the oldest one's. */
    @Test
    void setUpsThatNeverEnd_makeRoomForTheNext() throws Exception {
        List<Socket> crowd = new ArrayList<>();
        try (FileSite site = new FileSite(FileSite.ANY, patient(4), true, source.toString())) {
            try (Link established = link(rnic, site, "127.0.0.1")) {
                list(established);
                for (int i = 0; i < 6; i++) {
                    crowd.add(request(site));
                    assertEquals('M', crowd.getLast().getInputStream().read());
                }
                try (Link honest = link(rnic, site, "127.0.0.1")) {
                    list(honest);
                }
                list(established);
            }
        } finally {
            for (Socket socket : crowd) {
                socket.close();
            }
        }
    }

    @Test
    void setUpsThatDied_giveTheirPlacesBackAtOnce() throws Exception {
        try (FileSite site = new FileSite(FileSite.ANY, patient(3), true, source.toString())) {
            for (int round = 0; round < 30; round++) {
                requestAndDie(site, true);
                requestAndDie(site, false);
                requestAndDie(site, round % 2 == 0);
                awaitNobody(rnic, site);
            }
            assertServes(site);
        }
    }

    /** Requests arrive in their order: once one more is turned away or served, the server has seen all before it. */
    private static void awaitNobody(Rnic rnic, FileSite site) throws Exception {
        site.awaitNobody();
        try (Link link = link(rnic, site, "127.0.0.1")) {
            list(link);
        } catch (ConnectionException e) {
            assertEquals(ConnectionException.Kind.REJECTED, e.kind());
        }
        site.awaitNobody();
    }

    @Test
    void oneOriginWithAllPlaces_losesTheOldestToAnother() throws Exception {
        List<Link> greedy = new ArrayList<>();
        try (FileSite site = new FileSite(FileSite.ANY, patient(4), true, source.toString())) {
            for (int i = 0; i < 4; i++) {
                greedy.add(link(rnic, site, "127.0.0.1"));
                list(greedy.getLast());
            }
            assertThrows(ConnectionException.class, () -> link(rnic, site, "127.0.0.1"));
            try (Link first = link(rnic, site, "127.0.0.2");
                    Link second = link(rnic, site, "127.0.0.2")) {
                list(first);
                list(second);
                assertThrows(FileServiceException.class, () -> list(greedy.get(0)));
                assertThrows(FileServiceException.class, () -> list(greedy.get(1)));
                list(greedy.get(2));
                list(greedy.get(3));
                ConnectionException full = assertThrows(ConnectionException.class, () -> link(rnic, site, "127.0.0.2"));
                assertTrue(Copier.refusal(full).contains("has its maximum of 4 connections"), Copier.refusal(full));
                try (Link third = link(rnic, site, "127.0.0.3")) {
                    list(third);
                    assertThrows(FileServiceException.class, () -> list(greedy.get(2)));
                }
            }
            assertEquals(
                    3,
                    site.events.stream()
                            .filter(event -> event.contains("was closed in favour of one at 127.0.0."))
                            .count(),
                    site.events.toString());
            closeAll(greedy);
            site.awaitNobody();
            assertServes(site);
        }
    }

    @Test
    void origin_ofAnAddress_isTheAddressOrThePrefix() {
        assertEquals(
                "192.0.2.7",
                PeerNetwork.of(new InetSocketAddress("192.0.2.7", 5)).name());
        assertEquals(
                "192.0.2.7",
                PeerNetwork.of(new InetSocketAddress("::ffff:192.0.2.7", 5)).name());
        PeerNetwork origin = PeerNetwork.of(new InetSocketAddress("2001:db8:1:2::7", 5));
        assertEquals("2001:db8:1:2::/64", origin.name());
        assertEquals(origin, PeerNetwork.of(new InetSocketAddress("2001:db8:1:2:ffff:1:2:3", 9)));
        assertFalse(origin.equals(PeerNetwork.of(new InetSocketAddress("2001:db8:1:3::7", 5))));
    }

    // Log lines.

    @Test
    void clientThatAsksForMissingFiles_cannotFloodTheLog() throws Exception {
        long beganNs = System.nanoTime();
        try (FileSite site = new FileSite(source.toString())) {
            try (Link link = site.link(rnic)) {
                for (int round = 0; round < 2000; round++) {
                    assertThrows(
                            ServerRefuses.class,
                            () -> link.ask(
                                    new FileMessage.Open(1, 0, false, "x".repeat(255)),
                                    FileMessage.Opened.class,
                                    "it",
                                    FileSite.LONGEST));
                }
            }
            assertTrue(site.events.size() >= 10, site.events.toString());
            // Twenty, and then one a second with its count of those suppressed.
            long mostLines = 20 + 2 * (2 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs));
            assertTrue(site.events.size() <= mostLines, site.events.size() + " lines");
            assertServes(site);
        }
    }

    @Test
    void logLimit_firstAndThenOneASecond_countsTheRest() {
        long nowNs = Long.MAX_VALUE - 500_000_000L;
        LogLimit limit = new LogLimit(nowNs);
        PeerNetwork one = new PeerNetwork("192.0.2.7");
        for (int i = 0; i < 20; i++) {
            assertEquals(List.of("x" + i), limit.admit(one, "x" + i, nowNs));
        }
        for (int i = 0; i < 1234; i++) {
            assertEquals(List.of(), limit.admit(one, "more", nowNs));
        }
        assertEquals(List.of("other"), limit.admit(new PeerNetwork("192.0.2.8"), "other", nowNs));
        assertEquals(
                List.of("1234 line(s) about clients at 192.0.2.7 were suppressed.", "late"),
                limit.admit(one, "late", nowNs + 1_000_000_000L));
        assertEquals(List.of(), limit.admit(one, "more", nowNs + 1_000_000_000L));
        assertEquals(1235, limit.leftOut());
        for (int i = 0; i < 20; i++) {
            assertFalse(limit.admit(one, "x", nowNs + 3_600_000_000_000L).isEmpty());
        }
        assertTrue(limit.admit(one, "x", nowNs + 3_600_000_000_000L).isEmpty());
    }

    @Test
    void logLimit_manyOrigins_areBoundedTogether() {
        LogLimit limit = new LogLimit(0);
        int lines = 0;
        for (int i = 0; i < 100_000; i++) {
            lines +=
                    limit.admit(new PeerNetwork("origin " + i), "x", i * 1_000L).size();
        }
        assertTrue(lines >= 200 && lines <= 203, lines + " lines"); // 200 at once and 20 in a second
    }

    @Test
    void clientThatVanishes_leavesALine() throws Exception {
        ServeSettings vigilant = new ServeSettings(
                4, HOUR, HOUR, ConnectionOptions.defaults().withTimeout(HOUR).withKeepAlive(Duration.ofMillis(200)));
        try (FileSite site = new FileSite(FileSite.ANY, vigilant, true, source.toString());
                Rnic stalling = new IwarpProvider()
                        .open(RnicOptions.defaults(), FaultPlan.none().withStallAfter(100_000))) {
            Link link = site.link(stalling);
            RemoteRegion file = link.ask(
                            new FileMessage.Open(7, 0, false, "a.bin"),
                            FileMessage.Opened.class,
                            "it",
                            FileSite.LONGEST)
                    .region();
            MemoryRegion local = link.register(link.pd().allocate(8L * MIB, AccessRight.LOCAL_WRITE));
            for (int slot = 0; slot < 8; slot++) { // more than fits into a socket whose peer does not read
                link.queuePair().postRead(slot, local, slot * (long) MIB, MIB, file, 0, WrFlags.SIGNALLED);
            }
            site.awaitNobody();
            assertTrue(
                    site.events.stream().anyMatch(event -> event.contains("The peer has vanished")),
                    site.events.toString());
            assertServes(site);
        }
    }

    /** A graceful end with a peer that is stalled takes two seconds and more. */
    @Test
    void link_whosePeerStalls_endsWithoutAGoodBye() throws Exception {
        long shortestNs = Long.MAX_VALUE;
        try (FileSite site = new FileSite(FileSite.ANY, patient(16), true, source.toString());
                Rnic stalling = new IwarpProvider()
                        .open(RnicOptions.defaults(), FaultPlan.none().withStallAfter(1000))) {
            for (int round = 0; round < 5; round++) {
                Link link = site.link(stalling);
                assertThrows(Stalled.class, () -> {
                    while (true) {
                        link.ask(new FileMessage.ListFrom(0), FileMessage.Names.class, "it", Duration.ofMillis(200));
                    }
                });
                long startNs = System.nanoTime();
                link.close();
                shortestNs = Math.min(shortestNs, System.nanoTime() - startNs);
            }
            assertTrue(shortestNs < 500_000_000L, shortestNs + " ns");
        }
    }

    // Writing.

    @Test
    void fileShortenedAndLengthenedRepeatedly_isRefusedAfterSomeTimes() throws Exception {
        Path inbox = folder.resolve("inbox");
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw:" + 64 * MIB);
                Link link = site.link(rnic)) {
            int grown = 0;
            String refusal = "";
            while (refusal.isEmpty() && grown < 50) {
                store(link, 1);
                try {
                    store(link, 64 * MIB);
                    grown++;
                } catch (ServerRefuses e) {
                    refusal = String.valueOf(e.getMessage());
                }
            }
            assertTrue(grown >= 4 && grown < 50, grown + " times: " + refusal);
            assertTrue(refusal.contains("was truncated and extended too often; try again in "), refusal);
            store(link, 1);
            assertServes(site);
        }
    }

    private static void store(Link link, long bytes) throws FileServiceException {
        link.ask(new FileMessage.Open(7, bytes, true, "inbox"), FileMessage.Opened.class, "it", FileSite.LONGEST);
        link.ask(new FileMessage.Commit(bytes, false), FileMessage.Status.class, "it", FileSite.LONGEST);
    }

    @Test
    void growth_beyondTheFirstCapacities_isSlow() {
        long second = 1_000_000_000L;
        long start = Long.MAX_VALUE - second;
        long gib = 1L << 30;
        Growth growth = new Growth(100 * gib, start);
        for (int i = 0; i < 4; i++) {
            assertEquals(0, growth.take(100 * gib, start));
        }
        long wait = growth.take(100 * gib, start);
        assertTrue(wait >= 590 && wait <= 610, wait + " s");
        assertEquals(0, growth.take(100 * gib, start + (wait + 1) * second));
        assertEquals(1, new Growth(0, start).take(1, start));
    }
}
