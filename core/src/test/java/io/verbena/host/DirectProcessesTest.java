package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.host.system.Machine;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Direct access between processes, one of which is stopped or killed. */
class DirectProcessesTest {

    private static final int HALF = Site.MEMORY / 2;
    private static final int ROUNDS = 2;
    private static final int READS_BEFORE = 5;

    private final Rnic rnic = open();
    private @Nullable Process other;

    private static Rnic open() {
        return RnicProvider.named("shm").open(RnicOptions.defaults().withIwarp(it -> it.withDirect(true)));
    }

    @BeforeEach
    void needsLinux() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    @AfterEach
    void close() throws InterruptedException {
        Process process = other;
        if (process != null) {
            process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
        rnic.close();
    }

    /** A process whose memory is accessed: prints its port, address and key, then the word at each offset it is asked for. */
    static final class Target {

        private Target() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = open();
                    Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                Site site = new Site(rnic);
                System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
                System.out.println(site.memory.address());
                System.out.println(site.memory.rkey());
                listener.nextRequest(Site.PATIENCE).orElseThrow().accept(site.queuePair);
                BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                    System.out.println(site.memory.segment().get(JAVA_LONG, Long.parseLong(line)));
                }
            }
        }
    }

    /** A process that writes to memory without end: arguments are port, address and key. */
    static final class Writer {

        private Writer() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = open()) {
                Site site = new Site(rnic);
                rnic.connect(site.queuePair, StreamProbe.loopback(Integer.parseInt(arguments[0])));
                long address = Long.parseLong(arguments[1]);
                int key = Integer.parseInt(arguments[2]);
                for (int i = 0; ; i++) {
                    site.memory.segment().fill((byte) i);
                    site.queuePair.postWrite(i, site.memory, 0, Site.MEMORY, address, key, WrFlags.SIGNALLED);
                    if (!site.cursor.next() && !(site.cq.await(Site.PATIENCE) && site.cursor.next())
                            || !site.cursor.ok()) {
                        return;
                    }
                    if (i == 20) {
                        System.out.println("writing");
                    }
                }
            }
        }
    }

    private BufferedReader start(Class<?> main, Object... arguments) throws IOException {
        Process process = OtherJvm.start(main, arguments);
        other = process;
        return process.inputReader();
    }

    private Process other() {
        Process process = other;
        if (process == null) {
            throw new AssertionError("no other process");
        }
        return process;
    }

    private void signal(int signal) {
        Signals.send(other().pid(), signal);
    }

    /** A target process, which has granted its memory. */
    private final class Far {
        final BufferedReader lines;
        final Site near;
        final Connection connection;
        final long address;
        final int key;

        Far() throws IOException {
            lines = start(Target.class);
            int port = Integer.parseInt(lines.readLine());
            address = Long.parseLong(lines.readLine());
            key = Integer.parseInt(lines.readLine());
            near = new Site(rnic);
            // A stopped process does not answer the keep-alive.
            connection = rnic.connect(
                    near.queuePair,
                    StreamProbe.loopback(port),
                    ConnectionOptions.defaults().withKeepAlive(Duration.ZERO));
            // The peer answers the request for a grant in the turn of the first Read or in the next one, so the last
            // Read is
            // direct. A long one waits until the peer has processed what precedes it: nothing is left for its engine.
            for (int i = 0; i < READS_BEFORE; i++) {
                read(0, HALF);
                near.complete(0);
            }
        }

        void write(int id, int offset, int bytes) {
            assertTrue(near.queuePair.postWrite(id, near.memory, 0, bytes, address + offset, key, WrFlags.SIGNALLED));
        }

        void read(int id, int bytes) {
            assertTrue(near.queuePair.postRead(id, near.memory, HALF, bytes, address, key, WrFlags.SIGNALLED));
        }

        long ask(int offset) throws IOException {
            other().outputWriter().append(offset + "\n").flush();
            return Long.parseLong(lines.readLine());
        }
    }

    @Test
    void peerIsStopped_itsMemoryIsWrittenReadAndChangedAtomically() throws IOException {
        Far far = new Far();
        signal(Signals.STOP);
        try {
            far.near.fill(0, HALF, 5);
            far.near.memory.segment().set(JAVA_LONG, 0, 40);
            far.write(2, 0, HALF);
            far.near.complete(2);
            far.read(3, HALF);
            far.near.complete(3);
            assertEquals(
                    -1,
                    far.near
                            .memory
                            .segment()
                            .asSlice(0, HALF)
                            .mismatch(far.near.memory.segment().asSlice(HALF)));
            assertTrue(far.near.queuePair.postFetchAndAdd(
                    4, far.near.memory, 8, far.address, far.key, 2, WrFlags.SIGNALLED));
            far.near.complete(4);
            assertEquals(40, far.near.memory.segment().get(JAVA_LONG, 8));
        } finally {
            signal(Signals.CONT);
        }
        assertEquals(42, far.ask(0));
        assertEquals(far.near.memory.segment().get(JAVA_LONG, 4096), far.ask(4096));
    }

    @Test
    void targetIsKilled_workCompletesInError(TestReporter reporter) throws Exception {
        Far far = new Far();
        int posted = 2;
        for (; posted < 100; posted++) {
            far.write(posted, 0, HALF);
            far.near.complete(posted);
        }
        for (int i = 0; i < 20; i++) {
            far.write(posted + i, 0, HALF);
        }
        other().destroyForcibly().waitFor();
        long goneNs = System.nanoTime();
        assertTrue(far.connection.awaitClosed(Site.PATIENCE));
        for (int i = 0; i < 20; i++) {
            assertTrue(far.near.cursor.next() || far.near.cq.await(Site.PATIENCE) && far.near.cursor.next());
        }
        reporter.publishEntry("complete after " + (System.nanoTime() - goneNs) / 1_000_000 + " ms");
        assertEquals(ConnectionState.FAILED, far.connection.state());
    }

    /** A process that writes to memory of this one without end. */
    private final class Near {
        final Site site = new Site(rnic);
        final Connection connection;

        Near() throws IOException {
            try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                BufferedReader lines = start(
                        Writer.class,
                        ((InetSocketAddress) listener.localAddress()).getPort(),
                        site.memory.address(),
                        site.memory.rkey());
                connection = listener.nextRequest(Site.PATIENCE)
                        .orElseThrow()
                        .startAccept(site.queuePair, ConnectionOptions.defaults());
                connection.awaitEstablished(Site.PATIENCE);
                assertEquals("writing", lines.readLine());
            }
        }
    }

    private static byte[] contents(Site site) {
        return site.memory.segment().toArray(JAVA_BYTE);
    }

    @Test
    void writerIsKilled_itsGrantIsRevokedAtOnce() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Near near = new Near();
            other().destroyForcibly().waitFor();
            assertTrue(near.connection.awaitClosed(Site.PATIENCE));
            byte[] before = contents(near.site);
            near.site.memory.renewKey();
            assertTrue(near.site.memory.valid());
            assertEquals(-1, Arrays.mismatch(before, contents(near.site)));
            near.site.memory.close();
        }
    }

    @Test
    void keyIsRenewed_whileTheWriterCopies_nothingIsWrittenAfterwards() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Near near = new Near();
            near.site.memory.renewKey();
            byte[] after = contents(near.site);
            assertTrue(near.site.memory.valid());
            assertTrue(near.connection.awaitClosed(Site.PATIENCE), "the old key is refused");
            assertEquals(-1, Arrays.mismatch(after, contents(near.site)));
        }
    }

    /** Renews the key of a region. Returns false if that reports that the region is lost. */
    private static boolean renewed(MemoryRegion memory) {
        try {
            memory.renewKey();
        } catch (VerbsException e) {
            assertFalse(memory.valid());
            return false;
        }
        assertTrue(memory.valid());
        return true;
    }

    @Test
    void writerIsStopped_renewalIsBounded_andTheRegionIsLostIfItWasInside(TestReporter reporter) throws Exception {
        int lost = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Near near = new Near();
            signal(Signals.STOP);
            boolean valid = renewed(near.site.memory);
            byte[] after = contents(near.site);
            lost += valid ? 0 : 1;
            signal(Signals.CONT);
            assertTrue(near.connection.awaitClosed(Site.PATIENCE), "the old key is refused");
            if (valid) {
                assertEquals(-1, Arrays.mismatch(after, contents(near.site)));
            }
        }
        reporter.publishEntry("regions lost: " + lost);
    }

    @Test
    void queuePairIsClosed_whileTheWriterCopies_nothingIsWrittenAfterwards() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Near near = new Near();
            near.site.queuePair.close();
            byte[] after = contents(near.site);
            other().waitFor(20, TimeUnit.SECONDS);
            assertEquals(-1, Arrays.mismatch(after, contents(near.site)));
            assertTrue(near.site.memory.valid());
        }
    }
}
