package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.segment.AbstractNames;
import io.verbena.shm.Announcements;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice between shared memory and TCP, by the providers of the two ends. */
@EnabledOnOs(OS.LINUX)
class AutomaticRnicTest {

    private static Rnic open(String provider, Progress progress) {
        return RnicProvider.named(provider).open(RnicOptions.defaults().withProgress(progress));
    }

    private static Rnic open(String provider) {
        return open(provider, Progress.ENGINE_THREAD);
    }

    /** Connects two sites at an address and returns what carries the connection, of which both sides must be aware. */
    private static TransportType connect(Site near, Site far, InetSocketAddress where) throws IOException {
        try (Listener listener = far.rnic.listen(where)) {
            InetSocketAddress target = new InetSocketAddress(
                    where.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : where.getAddress(),
                    ((InetSocketAddress) listener.localAddress()).getPort());
            Connection opening = near.rnic.startConnect(near.queuePair, target, ConnectionOptions.defaults());
            Connection accepted = listener.nextRequest(Site.PATIENCE)
                    .orElseThrow()
                    .startAccept(far.queuePair, ConnectionOptions.defaults());
            opening.awaitEstablished(Site.PATIENCE);
            accepted.awaitEstablished(Site.PATIENCE);
            assertEquals(opening.transport(), accepted.transport());
            return opening.transport();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "auto, auto, 127.0.0.1, SHARED_MEMORY",
        "auto, auto, 0.0.0.0, SHARED_MEMORY",
        "auto, auto, ::1, SHARED_MEMORY",
        "auto, iwarp, 127.0.0.1, IWARP",
        "iwarp, auto, 127.0.0.1, IWARP",
        "iwarp, iwarp, 127.0.0.1, IWARP",
        "shm, auto, 127.0.0.1, SHARED_MEMORY",
        "auto, shm, 127.0.0.1, SHARED_MEMORY",
        "shm, shm, 0.0.0.0, SHARED_MEMORY"
    })
    void providers_connect_chooses(String ours, String theirs, String host, TransportType expected) throws IOException {
        try (Rnic near = open(ours);
                Rnic far = open(theirs)) {
            Site a = new Site(near);
            Site b = new Site(far);
            assertEquals(expected, connect(a, b, new InetSocketAddress(host, 0)));
            Site.exchange(a, b, 100_000, 1);
            Site.exchange(b, a, 8, 2);
        }
    }

    @Test
    void inlineRnics_connect_chooseSharedMemory() throws IOException {
        try (Rnic near = open("auto", Progress.INLINE);
                Rnic far = open("auto", Progress.INLINE)) {
            Site a = new Site(near);
            Site b = new Site(far);
            assertEquals(TransportType.SHARED_MEMORY, connect(a, b, StreamProbe.loopback(0)));
            Site.exchange(a, b, 100_000, 1);
        }
    }

    @Test
    void severalEngines_connect_chooseSharedMemory() throws IOException {
        try (Rnic rnic = RnicProvider.named("auto").open(RnicOptions.defaults().withEngines(3))) {
            for (int i = 0; i < 6; i++) {
                Site a = new Site(rnic);
                Site b = new Site(rnic);
                assertEquals(TransportType.SHARED_MEMORY, connect(a, b, StreamProbe.loopback(0)));
                Site.exchange(a, b, 5000, i);
            }
        }
    }

    @Test
    void captured_connect_choosesSharedMemoryAndWorks(@TempDir Path folder) throws IOException {
        RnicOptions options = RnicOptions.defaults()
                .withCaptureFile(folder.resolve("capture.pcapng").toString());
        try (Rnic rnic = RnicProvider.named("auto").open(options)) {
            Site a = new Site(rnic);
            Site b = new Site(rnic);
            assertEquals(TransportType.SHARED_MEMORY, connect(a, b, StreamProbe.loopback(0)));
            Site.exchange(a, b, 5000, 3);
        }
    }

    @Test
    void defaultProvider_isAuto() {
        assertEquals("auto", RnicProvider.named("").name());
    }

    @Test
    void clientOfProviderIwarp_listenerOfProviderShm_isRejectedWithTheReason() throws IOException {
        try (Rnic near = open("iwarp");
                Rnic far = open("shm");
                Listener listener = far.listen(StreamProbe.loopback(0))) {
            Site site = new Site(near);
            ConnectionException refused = assertThrows(
                    ConnectionException.class, () -> near.connect(site.queuePair, listener.localAddress()));
            assertEquals(ConnectionException.Kind.REJECTED, refused.kind());
            assertTrue(refused.toString().contains("provider shm"), refused.toString());
        }
    }

    @Test
    void otherProviderRequested_open_fails() {
        assertThrows(
                VerbsException.class,
                () -> new AutomaticProvider().open(RnicOptions.defaults().withProvider("roce")));
    }

    /** What occupies the name of a listener makes its peers offer memory in vain. */
    @Test
    void falseAnnouncement_connect_usesTcp() throws IOException {
        try (Rnic near = open("auto");
                Rnic far = open("iwarp")) {
            Site a = new Site(near);
            Site b = new Site(far);
            try (Listener listener = far.listen(StreamProbe.loopback(0));
                    Announcements.Announcement _ = AbstractNames.ofThisProcess().announce(listener.localAddress())) {
                assertTrue(AbstractNames.ofThisProcess().announced(listener.localAddress()));
                Connection opening =
                        near.startConnect(a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                Connection accepted = listener.nextRequest(Site.PATIENCE)
                        .orElseThrow()
                        .startAccept(b.queuePair, ConnectionOptions.defaults());
                opening.awaitEstablished(Site.PATIENCE);
                accepted.awaitEstablished(Site.PATIENCE);
                assertEquals(TransportType.IWARP, opening.transport());
            }
            Site.exchange(a, b, 5000, 4);
        }
    }

    @Test
    void closedListener_isNotAnnounced() throws IOException {
        try (Rnic rnic = open("auto")) {
            InetSocketAddress where;
            try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                where = (InetSocketAddress) listener.localAddress();
                assertTrue(AbstractNames.ofThisProcess().announced(where));
            }
            assertFalse(AbstractNames.ofThisProcess().announced(where));
        }
    }

    @Test
    void unresolvedAddress_isNotAnnounced() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 7471);
        assertFalse(AbstractNames.ofThisProcess().announced(unresolved));
    }
}
