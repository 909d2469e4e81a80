package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.host.system.Machine;
import io.verbena.port.faults.FaultPlan;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Real RNICs of the provider shm: the tests of the provider iwarp, and what differs. */
class SharedMemoryRnicTest {

    private static Rnic open(RnicOptions options) {
        return new SharedMemoryProvider().open(options);
    }

    @Nested
    class Loopback extends LoopbackTest {
        @Override
        Rnic open(RnicOptions options, FaultPlan faults) {
            return new SharedMemoryProvider().open(options, faults);
        }

        /** A capture sees the bytes of the stream, whatever carries them: not repeated, because it starts tshark. */
        @Override
        void captured_sendWriteRead_isDissected(Progress progress) {}
    }

    @Nested
    class MemoryGone extends MemoryGoneTest {
        @Override
        Rnic open(RnicOptions options) {
            return SharedMemoryRnicTest.open(options);
        }
    }

    @Nested
    class QuietSender extends QuietSenderTest {
        @Override
        int bufferBytes() {
            return 64 * 1024; // the system gives a socket more than it is asked for, a ring has what it is asked for
        }

        @Override
        Rnic open(RnicOptions options) {
            return SharedMemoryRnicTest.open(options);
        }
    }

    @Nested
    class Interrupt extends InterruptTest {
        @Override
        Rnic open(RnicOptions options) {
            return SharedMemoryRnicTest.open(options);
        }
    }

    private static ConnectionException failure(Rnic from, Listener listener) {
        Site site = new Site(from);
        return assertThrows(ConnectionException.class, () -> from.connect(site.queuePair, listener.localAddress()));
    }

    @Test
    void attributes_nameTheTransport() {
        try (Rnic rnic = open(RnicOptions.defaults())) {
            assertEquals(TransportType.SHARED_MEMORY, rnic.query().transport());
            assertEquals("shm", rnic.query().provider());
        }
    }

    @Test
    void listenerOfAnotherProvider_connect_namesTheProvider() throws IOException {
        try (Rnic near = open(RnicOptions.defaults());
                Rnic far = new IwarpProvider().open(RnicOptions.defaults());
                Listener listener = far.listen(StreamProbe.loopback(0))) {
            String sentence = failure(near, listener).toString();
            assertTrue(sentence.contains("provider shm"), sentence);
        }
    }

    @Test
    void clientOfAnotherProvider_isRejectedAndListenerGoesOn() throws IOException {
        try (Rnic near = new IwarpProvider().open(RnicOptions.defaults());
                Rnic far = open(RnicOptions.defaults());
                Rnic another = open(RnicOptions.defaults())) {
            try (Listener listener = far.listen(StreamProbe.loopback(0))) {
                failure(near, listener);
            }
            Site.connect(new Site(another), new Site(far));
        }
    }

    @Test
    void addressOfAnotherHost_connect_fails() {
        try (Rnic rnic = open(RnicOptions.defaults())) {
            Site site = new Site(rnic);
            InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.1", 7471);
            String sentence = assertThrows(ConnectionException.class, () -> rnic.connect(site.queuePair, elsewhere))
                    .toString();
            assertTrue(sentence.contains("of this host only"), sentence);
        }
    }

    @Test
    void otherProviderRequested_open_fails() {
        assertThrows(VerbsException.class, () -> open(RnicOptions.defaults().withProvider("roce")));
    }

    @Test
    void smallRings_largeMessages_arrive() throws IOException {
        RnicOptions options = RnicOptions.defaults().withIwarp(it -> it.withSocketBufferBytes(4096));
        try (Rnic rnic = open(options)) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Site.connect(near, far);
            Site.exchange(near, far, 300_000, 300_000);
            Site.exchange(far, near, 300_000, 300_000);
        }
    }

    /** Each side maps the same pages: so this is what two processes have together. */
    @Test
    void smallMessages_memoryOfAConnectionStaysSmall() throws IOException {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
        int connections = 8;
        try (Rnic rnic = open(RnicOptions.defaults())) {
            for (int i = 0; i < connections; i++) {
                Site near = new Site(rnic);
                Site far = new Site(rnic);
                Site.connect(near, far);
                for (int round = 0; round < 100; round++) {
                    Site.exchange(near, far, 8, round);
                }
            }
            long bytes = residentBytes();
            assertTrue(
                    bytes > 0 && bytes < 2L * connections * 48 * 1024,
                    bytes + " bytes for " + connections + " connections, of which both ends are here");
        }
    }

    /** Resident bytes of all mappings of shared memory in this process. */
    private static long residentBytes() throws IOException {
        long total = 0;
        boolean ours = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = line.contains("/memfd:verbena ");
            } else if (ours && line.startsWith("Rss:")) {
                total += Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        return total;
    }

    @Test
    void connectedAndClosed_nothingRemains() throws IOException {
        List<Path> before = left();
        try (Rnic near = open(RnicOptions.defaults());
                Rnic far = open(RnicOptions.defaults())) {
            Site.connect(new Site(near), new Site(far));
            assertEquals(before, left());
        }
        assertEquals(before, left());
    }

    /** Files and descriptors of shared memory that other processes could find. */
    private static List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("verbena-"))
                    .sorted()
                    .toList();
        }
    }
}
