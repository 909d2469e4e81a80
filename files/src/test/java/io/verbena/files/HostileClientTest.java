package io.verbena.files;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.ServerRefuses;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.Greeting;
import io.verbena.fixture.Rounds;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that do what ours never do, and files whose memory goes away: whatever it is, other clients are served. */
class HostileClientTest {

    private static final int MIB = 1 << 20;
    private static final int ENDS = Rounds.of(20, 200);
    private static final Duration HASTE = Duration.ofMillis(200);
    private static final ConnectionOptions GREETED =
            ConnectionOptions.defaults().withTimeout(FileSite.LONGEST).withPrivateData(Greeting.bytes());

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

    private void assertServes(FileSite site) throws Exception {
        site.fetch("a.bin", folder.resolve("target"));
        assertEquals(-1, Files.mismatch(source, folder.resolve("target")));
    }

    private static FileMessage.Opened open(Link link, String name, long length, boolean writing)
            throws FileServiceException {
        return link.ask(
                new FileMessage.Open(7, length, writing, name), FileMessage.Opened.class, "the file", FileSite.LONGEST);
    }

    private static void assertProblem(Link link, FileMessage question, String sentence) {
        ServerRefuses refusal = assertThrows(
                ServerRefuses.class, () -> link.ask(question, FileMessage.class, "the answer", FileSite.LONGEST));
        assertTrue(String.valueOf(refusal.getMessage()).contains(sentence), refusal.getMessage());
    }

    @Test
    void questions_outOfOrderOrRange_answeredByAProblem() throws Exception {
        try (FileSite site = new FileSite(source.toString());
                Link link = site.link(rnic)) {
            assertProblem(link, new FileMessage.Stat(), "has no open file");
            assertProblem(link, new FileMessage.Sum(0, 1), "has no open file");
            assertProblem(link, new FileMessage.Close(), "has no open file");
            assertProblem(link, new FileMessage.ListFrom(-1), "no file with index -1");
            assertProblem(
                    link,
                    new FileMessage.Open(7, 0, false, "\u0007\u009b31m\u202e/etc"),
                    "There is no file '??31m?/etc'");
            open(link, "a.bin", 0, false);
            assertProblem(link, new FileMessage.Open(7, 0, false, "a.bin"), "already has an open file");
            assertProblem(link, new FileMessage.Sum(0, 0), "the request was for 0 bytes from offset 0");
            assertProblem(link, new FileMessage.Sum(0, -1), "the request was for 4294967295 bytes");
            assertProblem(
                    link,
                    new FileMessage.Sum(MIB, 1),
                    "the file, which has 1048576 bytes; the request was for 1 bytes");
            assertProblem(link, new FileMessage.Sum(Long.MAX_VALUE, 1), "from offset 9223372036854775807");
            assertProblem(link, new FileMessage.Sum(0, Integer.MAX_VALUE), "A checksum covers 1 to 67108864 bytes");
            assertProblem(link, new FileMessage.Commit(MIB, true), "opened for reading");
            link.ask(new FileMessage.Close(), FileMessage.Closed.class, "the end", FileSite.LONGEST);
            open(link, "a.bin", 0, false);
            assertServes(site);
        }
    }

    @Test
    void commit_onOneConnection_endsTheStoreOnAllAndReleasesTheFile() throws Exception {
        Path inbox = Files.copy(source, folder.resolve("inbox"));
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw");
                Link first = site.link(rnic);
                Link second = site.link(rnic);
                Link other = site.link(rnic)) {
            open(first, "inbox", MIB, true);
            RemoteRegion stale = open(second, "inbox", MIB, true).region();
            assertProblem(other, new FileMessage.Open(8, MIB, true, "inbox"), "is being written by another client");
            first.ask(new FileMessage.Commit(MIB, false), FileMessage.Status.class, "the end", FileSite.LONGEST);
            FileMessage.Opened opened = other.ask(
                    new FileMessage.Open(8, MIB, true, "inbox"),
                    FileMessage.Opened.class,
                    "the file",
                    FileSite.LONGEST);
            assertTrue(opened.region().length() == MIB);
            assertProblem(first, new FileMessage.Commit(MIB, false), "has no open file");
            MemoryRegion local = second.register(second.pd().allocate(100));
            second.queuePair().postWrite(1, local, 0, 100, stale, 0, WrFlags.UNSIGNALLED);
            assertThrows(
                    ConnectionLost.class,
                    () -> second.ask(new FileMessage.Stat(), FileMessage.Status.class, "it", FileSite.LONGEST));
            assertEquals(-1, Files.mismatch(source, inbox));
            assertServes(site);
        }
    }

    @Test
    void link_thatEndsWithoutCommit_releasesTheFileBeforeItReturns() throws Exception {
        try (FileSite site = new FileSite(source.toString(), folder.resolve("inbox") + ":rw:" + MIB);
                Link next = site.link(rnic)) {
            for (int round = 0; round < ENDS; round++) {
                try (Link link = site.link(rnic)) {
                    link.ask(
                            new FileMessage.Open(100 + round, MIB, true, "inbox"),
                            FileMessage.Opened.class,
                            "the file",
                            FileSite.LONGEST);
                }
                next.ask(
                        new FileMessage.Open(500 + round, MIB, true, "inbox"),
                        FileMessage.Opened.class,
                        "the file",
                        FileSite.LONGEST);
                next.ask(new FileMessage.Close(), FileMessage.Closed.class, "the end", FileSite.LONGEST);
            }
        }
    }

    @Test
    void key_ofAnotherConnection_opensNothing() throws Exception {
        try (FileSite site = new FileSite(source.toString());
                Link owner = site.link(rnic);
                Link thief = site.link(rnic)) {
            RemoteRegion region = open(owner, "a.bin", 0, false).region();
            assertReadFails(thief, region);
            read(owner, region);
            assertServes(site);
        }
    }

    @Test
    void key_afterClose_opensNothing() throws Exception {
        try (FileSite site = new FileSite(source.toString());
                Link link = site.link(rnic)) {
            RemoteRegion region = open(link, "a.bin", 0, false).region();
            read(link, region);
            link.ask(new FileMessage.Close(), FileMessage.Closed.class, "the end", FileSite.LONGEST);
            assertReadFails(link, region);
            assertServes(site);
        }
    }

    @Test
    void write_intoAFileOpenedForReading_endsTheConnectionAndChangesNothing() throws Exception {
        Path inbox = Files.copy(source, folder.resolve("inbox"));
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw");
                Link link = site.link(rnic)) {
            RemoteRegion region = open(link, "inbox", 0, false).region();
            MemoryRegion local = link.register(link.pd().allocate(100));
            link.queuePair().postWrite(1, local, 0, 100, region, 0, WrFlags.UNSIGNALLED);
            assertThrows(
                    ConnectionLost.class,
                    () -> link.ask(new FileMessage.Stat(), FileMessage.Status.class, "it", FileSite.LONGEST));
            assertEquals(-1, Files.mismatch(source, inbox));
            assertServes(site);
        }
    }

    @Test
    void read_fromAFileOpenedForWriting_endsTheConnection() throws Exception {
        Path inbox = Files.copy(source, folder.resolve("inbox"));
        try (FileSite site = new FileSite(source.toString(), inbox + ":rw");
                Link link = site.link(rnic)) {
            assertReadFails(link, open(link, "inbox", MIB, true).region());
            assertServes(site);
        }
    }

    private static void read(Link link, RemoteRegion region) throws FileServiceException {
        MemoryRegion local = link.register(link.pd().allocate(region.length(), LOCAL_WRITE));
        link.queuePair().postRead(0, local, 0, (int) region.length(), region, 0, WrFlags.SIGNALLED);
        link.next("the bytes");
    }

    private static void assertReadFails(Link link, RemoteRegion region) {
        assertThrows(ConnectionLost.class, () -> read(link, region));
    }

    @Test
    void truncatedWhileMapped_readsFailWithASentenceAndOthersGoOn() throws Exception {
        Path other = FileSite.file(folder.resolve("b.bin"), MIB);
        try (FileSite site = new FileSite(source.toString(), other.toString())) {
            try (Link link = site.link(rnic);
                    Link neighbour = site.link(rnic)) {
                RemoteRegion region = open(link, "b.bin", 0, false).region();
                RemoteRegion neighbours = open(neighbour, "a.bin", 0, false).region();
                try (FileChannel channel = FileChannel.open(other, StandardOpenOption.WRITE)) {
                    channel.truncate(5);
                }
                assertProblem(link, new FileMessage.Sum(0, MIB), "became shorter at the server");
                assertReadFails(link, region);
                read(neighbour, neighbours);
                awaitEvent(site, "Client ");
            }
            try (Link again = site.link(rnic)) {
                assertProblem(
                        again,
                        new FileMessage.Open(7, 0, false, "b.bin"),
                        "'b.bin' became shorter at the server: it had 1048576 bytes and now has 5");
            }
            assertServes(site);
        }
    }

    /** A small disk of its own if this process may make one; else a file that is truncated fails in the same way. */
    @Test
    void diskFullWhileWritten_storeFailsWithASentenceAndOthersGoOn() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk.toString());
        try {
            Path inbox = disk.resolve("inbox");
            Path large = FileSite.file(folder.resolve("large"), 6 * MIB);
            Runnable atStart = () -> {
                if (!mounted) {
                    truncate(inbox);
                }
            };
            try (FileSite site = new FileSite(
                            FileSite.ANY, FileSite.settings(16), false, source.toString(), inbox + ":rw:" + 6 * MIB);
                    Copier copier = site.copier(Rnic::open, FileSite.PLAIN, atStart)) {
                FileServiceException failure =
                        assertThrows(FileServiceException.class, () -> copier.store(large, "inbox", false));
                String expected = mounted ? "The disk of the server is full" : "became shorter at the server";
                assertTrue(failure.toString().contains(expected), failure.toString());
                assertServes(site);
            }
            if (mounted) {
                Files.delete(inbox);
                FileServiceException failure =
                        assertThrows(FileServiceException.class, () -> new FileSite(inbox + ":rw:" + 6 * MIB));
                assertTrue(
                        failure.toString().contains("the disk has not enough space for 6291456 bytes"),
                        failure.toString());
            }
        } finally {
            if (mounted) {
                run("umount", "-l", disk.toString());
            }
        }
    }

    private static void truncate(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void client_withoutGreeting_rejectedWithASentence() throws Exception {
        try (FileSite site = new FileSite(source.toString())) {
            CompletionQueue cq = rnic.createCompletionQueue(64);
            QueuePair queuePair = rnic.allocateProtectionDomain().createQueuePair(cq);
            ConnectionException refused = assertThrows(
                    ConnectionException.class,
                    () -> rnic.connect(queuePair, site.address(), GREETED.withPrivateData(new byte[] {
                        'V', 'F', 'I', 'L', 0, 9, 0, 0
                    })));
            assertEquals(ConnectionException.Kind.REJECTED, refused.kind());
            assertTrue(
                    Copier.refusal(refused).startsWith("This is 'verbena serve' with version 1"),
                    Copier.refusal(refused));
            awaitEvent(site, "it speaks version 9 of the file protocol");
            assertServes(site);
        }
    }

    @Test
    void connections_moreThanTheServerTakes_turnedAwayAndTheRestServes() throws Exception {
        try (FileSite site = new FileSite(FileSite.ANY, FileSite.settings(2), true, source.toString())) {
            assertServes(site); // one connection looks after the copy, the other one copies
            site.awaitNobody();
            try (Link first = site.link(rnic);
                    Link second = site.link(rnic)) {
                open(first, "a.bin", 0, false);
                open(second, "a.bin", 0, false);
                ConnectionException refused = assertThrows(
                        ConnectionException.class, () -> site.link(rnic).close());
                assertTrue(Copier.refusal(refused).contains("has its maximum of 2 connections"));
                link(first);
                link(second);
            }
        }
    }

    /** On a busy machine the server may give it up before it knows that it is connected. */
    @Test
    void client_thatSaysNothing_isGivenUp() throws Exception {
        ServeSettings hasty = new ServeSettings(4, HASTE, FileSite.LONGEST, ConnectionOptions.defaults());
        try (FileSite site = new FileSite(FileSite.ANY, hasty, true, source.toString())) {
            while (!said(site, "it did nothing for 0.2 s after the connection was established (--timeout)")) {
                try (Link silent = site.link(rnic)) {
                    assertThrows(ConnectionLost.class, () -> silent.next("anything"));
                    awaitEvent(site, "(--timeout)");
                } catch (ConnectionException e) {
                    awaitEvent(site, "(--timeout)");
                }
            }
        }
    }

    @Test
    void client_thatDoesNothingMore_isGivenUp() throws Exception {
        ServeSettings hasty = new ServeSettings(4, FileSite.LONGEST, HASTE, ConnectionOptions.defaults());
        try (FileSite site = new FileSite(FileSite.ANY, hasty, true, source.toString())) {
            try (Link idle = site.link(rnic)) {
                open(idle, "a.bin", 0, false);
                awaitEvent(site, "it did nothing for 0.2 s (--idle)");
                assertThrows(ConnectionLost.class, () -> idle.next("anything"));
            }
        }
    }

    @Test
    void messages_ofRandomBytes_endOneConnectionAtMost() throws Exception {
        Random random = new Random(4);
        try (FileSite site = new FileSite(source.toString());
                Link neighbour = site.link(rnic)) {
            open(neighbour, "a.bin", 0, false);
            for (int round = 0; round < 100; round++) {
                assertFalse(sendRandomBytes(site, random));
            }
            link(neighbour);
            assertServes(site);
        }
    }

    private static void link(Link neighbour) throws FileServiceException {
        neighbour.ask(new FileMessage.Sum(0, MIB), FileMessage.Summed.class, "the sum", FileSite.LONGEST);
    }

    /** Sends messages until the server has had enough; whether the connection still stands then. */
    private boolean sendRandomBytes(FileSite site, Random random) throws Exception {
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(256);
        try (QueuePair queuePair = pd.createQueuePair(cq);
                MemoryRegion memory = pd.allocate(65_536, LOCAL_WRITE)) {
            for (int slot = 0; slot < 32; slot++) {
                queuePair.postReceive(slot, memory, slot * 1024L, 1024);
            }
            rnic.connect(queuePair, site.address(), GREETED);
            byte[] bytes = new byte[1 + random.nextInt(2000)];
            random.nextBytes(bytes);
            bytes[0] = (byte) random.nextInt(13);
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory.segment(), 40_000, bytes.length);
            queuePair.postSend(99, memory, 40_000, bytes.length, WrFlags.SIGNALLED);
            queuePair.postSend(99, memory, 39_000, 3, WrFlags.SIGNALLED); // too short for any message
            CompletionCursor completion = cq.take(FileSite.LONGEST);
            while (completion.ok()) {
                completion = cq.take(FileSite.LONGEST);
            }
            return !queuePair.connection().orElseThrow().awaitClosed(FileSite.LONGEST);
        } finally {
            cq.close();
            pd.close();
        }
    }

    private static void awaitEvent(FileSite site, String text) throws InterruptedException {
        long deadlineNs = System.nanoTime() + FileSite.LONGEST.toNanos();
        while (!said(site, text)) {
            assertTrue(System.nanoTime() - deadlineNs < 0, text + " does not come: " + site.events);
            Thread.sleep(2);
        }
    }

    private static boolean said(FileSite site, String text) {
        return site.events.stream().anyMatch(event -> event.contains(text));
    }
}
