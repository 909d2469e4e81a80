package io.verbena.tools.flood;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.Copier;
import io.verbena.files.CopyFigures;
import io.verbena.files.CopyListener;
import io.verbena.files.CopySettings;
import io.verbena.files.FileServer;
import io.verbena.files.ServeSettings;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.ExportTable;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A file server over RoCE on real sockets, with the limits of {@code verbena serve}, while requests with forged addresses arrive: clients
 * that it has never seen connect one after the other, connections that wait and a copy that runs are not lost. The flood lasts 3 s at
 * each rate; {@code -Dverbena.flood=60} makes it 60 s. {@code CmFloodTest} is the same in virtual time.
 */
class ForgedRequestsTest {

    private static final int SECONDS = Integer.getInteger("verbena.flood", 3);
    private static final int CLIENTS = 50;
    private static final int WAITING = 8;
    private static final int MAX_CONNECTIONS = 64;
    private static final int SERVICE = 7174;
    private static final int FILE_BYTES = 4 << 20;
    private static final int MOST_PACKET_BYTES = 1_024;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SET_UP = Duration.ofSeconds(8);

    /** Other programs may use the processors as well. */
    private static final long LONGEST_CONNECT_NS = 10_000_000_000L;

    /** Whose addresses the requests have. */
    private enum Forged {
        /** Those of no peer, so that nothing answers what the server sends there. */
        UNUSED,

        /** Those of clients that are connected. Each answer of the server reaches one of them, which does not expect it. */
        CONNECTED
    }

    /** Forged requests in a second. */
    private enum Rate {
        /** In the end as many as the server has places. */
        FEW(60),

        /** Far more than that. In the short form fewer, because the processors mostly compute checksums of forged requests. */
        MANY(SECONDS >= 30 ? 10_000 : 2_000);

        final int perSecond;

        Rate(int perSecond) {
            this.perSecond = perSecond;
        }
    }

    /**
     * A client whose own address is forged shares the backlog of that address with the forged requests: its next connection may have to
     * wait for the end of the flood. A machine that is busy sends the requests of a case more slowly.
     */
    private static final Duration LONGEST_FLOOD = Duration.ofMinutes(5);

    private static final CopySettings COPY = copy(PATIENCE);

    private static CopySettings copy(Duration retryFor) {
        return new CopySettings(
                new CopySettings.Work(2, 256 << 10, 8),
                new CopySettings.Content(true, true, false),
                new CopySettings.Patience(retryFor, PATIENCE),
                ConnectionOptions.defaults().withTimeout(PATIENCE));
    }

    @TempDir
    private Path folder = Path.of(".");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopped = new AtomicBoolean();

    /** The flood is over: copies that wait continue. */
    private final CountDownLatch released = new CountDownLatch(1);

    private InetSocketAddress port = new InetSocketAddress(0);
    private int hosts;

    /** A UDP port that no RNIC of another test has, so that every address of the loopback network is free. */
    @BeforeEach
    void choosePort() throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        try (DatagramSocket free = new DatagramSocket(new InetSocketAddress(loopback, 0))) {
            port = new InetSocketAddress(loopback, free.getLocalPort());
        }
    }

    @AfterEach
    void stop() throws InterruptedException {
        released.countDown();
        stopped.set(true);
        threads.shutdown();
        assertTrue(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS), "a thread did not end");
    }

    private Rnic open(String device) {
        return Rnic.open(RnicOptions.defaults()
                .withProvider("roce")
                .withDevice(device)
                .withInfiniband(it -> it.withUdpPort(port.getPort())));
    }

    private InetSocketAddress service() {
        return new InetSocketAddress(port.getAddress(), SERVICE);
    }

    private static String host(int number) {
        return "127.0.1." + number;
    }

    /** A client at an address of its own. */
    private Copier client(CopyListener listener, StopRequest stop) {
        String device = host(++hosts);
        return new Copier(() -> open(device), false, service(), COPY, listener, stop);
    }

    /** The request of a real client, which gets no answer. */
    private byte[] genuineRequest() throws Exception {
        AtomicBoolean received = new AtomicBoolean();
        try (DatagramChannel server = DatagramChannel.open().bind(port);
                Copier copier = client(new CopyListener() {}, received::get)) {
            Future<?> asking = threads.submit(() -> copier.list());
            ByteBuffer packet = ByteBuffer.allocate(MOST_PACKET_BYTES);
            server.receive(packet);
            received.set(true);
            asking.cancel(true);
            byte[] bytes = new byte[packet.flip().limit()];
            packet.get(bytes);
            return bytes;
        }
    }

    private void serve(Path file) throws Exception {
        CompletableFuture<SocketAddress> ready = new CompletableFuture<>();
        ExportTable table = new ExportTable(List.of(ExportSpec.parse("file=" + file, Long::parseLong)), false);
        threads.execute(() -> {
            try (Rnic rnic = open(port.getAddress().getHostAddress())) {
                ServeSettings settings = new ServeSettings(
                        MAX_CONNECTIONS, SET_UP, PATIENCE.multipliedBy(10), ConnectionOptions.defaults());
                new FileServer(rnic, table, settings, _ -> {}, stopped::get).serve(service(), ready::complete);
            } catch (IOException | RuntimeException e) {
                ready.completeExceptionally(e);
            }
        });
        ready.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** A copy whose file is open, and that does not continue before the flood is over. Returns the connections that it lost. */
    private Future<Long> waiting(CountDownLatch opened) {
        Copier copier = client(
                new CopyListener() {
                    @Override
                    public void onBegin(Stage stage, long bytes) {
                        opened.countDown();
                        try {
                            released.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }
                },
                () -> false);
        Path target = folder.resolve("waiting-" + hosts);
        return threads.submit(() -> {
            try (copier) {
                return copier.fetch("file", target).reconnects();
            }
        });
    }

    /** Copies of one client, one after the other, until the flood is over. Returns the connections that they lost. */
    private Future<Long> copying() {
        String device = host(++hosts);
        CopySettings settings = copy(LONGEST_FLOOD);
        return threads.submit(() -> {
            long lost = 0;
            do {
                try (Copier copier = new Copier(
                        () -> open(device), false, service(), settings, new CopyListener() {}, () -> false)) {
                    CopyFigures figures = copier.fetch("file", folder.resolve("copied"));
                    lost += figures.reconnects();
                }
            } while (released.getCount() > 0);
            return lost;
        });
    }

    private long connect() throws Exception {
        try (Copier copier = client(new CopyListener() {}, () -> false)) {
            long startNs = System.nanoTime();
            assertEquals(1, copier.list().size());
            return System.nanoTime() - startNs;
        }
    }

    @ParameterizedTest
    @CsvSource({"UNUSED, FEW", "UNUSED, MANY", "CONNECTED, FEW", "CONNECTED, MANY"})
    void forgedRequests_unknownClientsConnect_andNoConnectionIsLost(Forged forged, Rate rate) throws Exception {
        int perSecond = rate.perSecond;
        byte[] bytes = new byte[FILE_BYTES];
        new Random(perSecond).nextBytes(bytes);
        Path file = Files.write(folder.resolve("file"), bytes);
        byte[] genuine = genuineRequest();
        serve(file);
        int firstConnected = hosts + 1;
        CountDownLatch opened = new CountDownLatch(WAITING);
        List<Future<Long>> established = new ArrayList<>();
        for (int i = 0; i < WAITING; i++) {
            established.add(waiting(opened));
        }
        assertTrue(opened.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        established.add(copying());
        List<InetAddress> taken = IntStream.rangeClosed(firstConnected, hosts)
                .filter(_ -> forged == Forged.CONNECTED)
                .mapToObj(it -> InetAddress.ofLiteral(host(it)))
                .toList();
        List<Long> tookNs = new ArrayList<>();
        int requests = SECONDS * perSecond;
        long startNs = System.nanoTime();
        try (Forger forger = new Forger(genuine, taken, port, perSecond)) {
            Thread flood = Thread.ofPlatform().start(forger);
            for (int i = 0; i < CLIENTS; i++) {
                // The first client comes after a third of the requests, when they have taken what they can, and the
                // last one at their end.
                forger.awaitSent(requests / 3 + 2 * requests / 3 * i / CLIENTS);
                tookNs.add(connect());
            }
            forger.awaitSent(requests);
            forger.end();
            flood.join();
        }
        double floodS = (System.nanoTime() - startNs) / 1e9;
        released.countDown();
        for (Future<Long> each : established) {
            assertEquals(0, each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS), "connections lost");
        }
        assertEquals(-1, Files.mismatch(file, folder.resolve("copied")));
        tookNs.sort(null);
        System.out.printf(
                "%.0f forged requests per second, %s addresses, for %.1f s: %d new clients connected, median %.0f ms, longest %.0f ms%n",
                requests / floodS, forged, floodS, CLIENTS, tookNs.get(CLIENTS / 2) / 1e6, tookNs.getLast() / 1e6);
        assertTrue(tookNs.getLast() <= LONGEST_CONNECT_NS, tookNs.getLast() + " ns");
    }
}
