package io.verbena.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of the demo in one process, each with an RNIC and a thread of its own. */
class DemoTest {

    private static final byte[] TOKEN = {1, 2, 3};
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final RnicOptions PLAIN = RnicOptions.defaults();
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder = Path.of(".");

    /** What a run differs in. */
    private record Variant(RnicOptions rnic, boolean peerToPeer, int pieceBytes, int depth, int connections) {

        static Variant of(RnicOptions rnic) {
            return new Variant(rnic, true, MIB, 16, 4);
        }
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void run_eitherProgress_movedAndVerified(Progress progress) throws Exception {
        assertVerified(Variant.of(PLAIN.withProgress(progress)), 3 * MIB);
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void run_checksumsAndMarkers_movedAndVerified(Progress progress) throws Exception {
        assertVerified(Variant.of(PLAIN.withProgress(progress).withCrc(true).withMarkers(true)), 3 * MIB);
    }

    @Test
    void run_severalEnginesAndConnections_movedAndVerified() throws Exception {
        assertVerified(new Variant(PLAIN.withEngines(2), true, MIB, 16, 7), 3 * MIB);
    }

    @Test
    void run_smallPiecesWithoutPeerToPeer_movedAndVerified() throws Exception {
        assertVerified(new Variant(PLAIN, false, 10_000, 3, 1), 3 * MIB);
    }

    @Test
    void run_deepQueueAndSmallFrames_movedAndVerified() throws Exception {
        assertVerified(
                new Variant(PLAIN.withIwarp(it -> it.withMaxFpduPayloadBytes(1424)), true, 65_536, 64, 4), 3 * MIB);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, MIB - 1, 3 * MIB + 1})
    void run_fileOfAnyLength_movedAndVerified(int length) throws Exception {
        DemoResult result = assertVerified(Variant.of(PLAIN), length);
        for (StageFigures stage : result.stages().subList(0, 2)) {
            assertEquals(length, stage.bytes(), stage.name());
        }
    }

    @Test
    void run_emptyFile_hasTheChecksumOfNothing() throws Exception {
        assertEquals(
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                assertVerified(Variant.of(PLAIN), 0).sha256());
    }

    @Test
    void run_bytesDamaged_isFoundOut() throws Exception {
        DemoResult result = run(Variant.of(PLAIN), 1000, Fault.CORRUPT, LONGEST);
        assertFalse(result.verified());
        assertFalse(result.sha256().equals(result.atServer()));
        assertEquals(result.atServer(), result.broughtBack());
    }

    @ParameterizedTest
    @EnumSource(Progress.class)
    void run_serverStalls_saysWhatWasAwaited(Progress progress) {
        Failure failure = assertThrows(
                Failure.class,
                () -> run(Variant.of(PLAIN.withProgress(progress)), 1000, Fault.STALL, Duration.ofMillis(300)));
        assertFalse(failure instanceof ConnectionLost);
        assertTrue(failure.toString().contains(": The peer did nothing for 0.3 s while "), failure.toString());
    }

    private DemoResult assertVerified(Variant variant, int length) throws Exception {
        DemoResult result = run(variant, length, Fault.NONE, LONGEST);
        assertTrue(result.verified(), result.toString());
        assertEquals(
                List.of("write", "read", "send", "fetchAndAdd", "compareAndSwap"),
                result.stages().stream().map(StageFigures::key).toList());
        result.stages().forEach(stage -> assertTrue(stage.operations() > 0, stage.name()));
        return result;
    }

    private DemoResult run(Variant variant, int length, Fault fault, Duration timeout) throws Exception {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        DemoSource source = DemoSource.of(Files.write(folder.resolve("file.bin"), bytes));
        ConnectionOptions connection =
                ConnectionOptions.defaults().withTimeout(LONGEST).withPeerToPeer(variant.peerToPeer());
        DemoSettings settings = new DemoSettings(
                new DemoSettings.Transfer(variant.pieceBytes(), variant.depth(), Duration.ZERO),
                new DemoSettings.Operations(variant.connections(), Duration.ofMillis(20)),
                timeout,
                folder,
                connection,
                variant.rnic());
        CompletableFuture<SocketAddress> address = new CompletableFuture<>();
        StopSignal stop = new StopSignal();
        Thread server = Thread.ofPlatform().daemon().name("demo server").start(() -> {
            try {
                serve(settings, fault, stop, address);
            } catch (IOException | RuntimeException | Error e) {
                address.completeExceptionally(e);
            }
        });
        try {
            return new DemoClient(settings, (label, total) -> ProgressBar.hidden(), new StopSignal())
                    .run(address.get(LONGEST.toSeconds(), TimeUnit.SECONDS), TOKEN, source);
        } finally {
            stop.raise();
            assertTrue(server.join(LONGEST), "the server does not end");
        }
    }

    private static void serve(
            DemoSettings settings, Fault fault, StopSignal stop, CompletableFuture<SocketAddress> address)
            throws IOException {
        RnicOptions options = settings.rnic();
        DemoServer.Service service =
                new DemoServer.Service(options.progress(), settings.connection(), settings.folder(), fault);
        try (Rnic rnic = Rnic.open(options);
                DemoServer server = new DemoServer(rnic, service, TOKEN, stop);
                Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            address.complete(listener.localAddress());
            server.serve(listener);
        }
    }
}
