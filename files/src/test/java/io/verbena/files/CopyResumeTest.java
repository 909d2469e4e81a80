package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.store.Export;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.PartState;
import io.verbena.files.store.Zeros;
import io.verbena.host.IwarpProvider;
import io.verbena.host.RoceProvider;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that are interrupted continue: after broken connections, another start of the client or of the server. */
class CopyResumeTest extends CopyFolder {

    /** Every connection breaks after some bytes, with the provider that the servers have. */
    private static Supplier<Rnic> breaking(long afterBytes) {
        if (!System.getProperty("io.verbena.provider", "").equals("roce")) {
            return () -> new IwarpProvider()
                    .open(RnicOptions.defaults(), FaultPlan.none().withKillAfter(afterBytes));
        }
        RnicOptions impatient = RnicOptions.defaults()
                .withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(8)).withRetries(2, 7));
        return () -> new RoceProvider().open(impatient, PacketFaults.none().withOutages(afterBytes, 200_000_000));
    }

    @Test
    void fetch_connectionsBreakAgainAndAgain_resumesAndIsTheSame() throws Exception {
        Path source = file("a.bin", 6 * MIB);
        try (FileSite site = new FileSite(source.toString());
                Copier copier = site.copier(breaking(2 * MIB), FileSite.PLAIN, () -> {})) {
            CopyFigures figures = copier.fetch("a.bin", target());
            assertTrue(figures.reconnects() >= 2, figures.toString());
            assertFetched(source);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void store_connectionsBreakAgainAndAgain_resumesAndIsTheSame(boolean verify) throws Exception {
        Path source = file("a.bin", 6 * MIB);
        Path inbox = folder.resolve("inbox");
        try (FileSite site = new FileSite(inbox + ":rw:" + 6 * MIB);
                Copier copier = site.copier(breaking(2 * MIB), with(2, 64 * KIB, verify, true), () -> {})) {
            CopyFigures figures = copier.store(source, "inbox", false);
            assertTrue(figures.reconnects() >= 2, figures.toString());
            assertEquals(-1, Files.mismatch(source, inbox));
        }
    }

    @Test
    void fetch_stoppedAndRunAgain_keepsWhatIsThere() throws Exception {
        Path source = file("a.bin", 6 * MIB);
        try (FileSite site = new FileSite(source.toString())) {
            try (Copier copier = site.copier(breaking(2 * MIB), retryFor(Duration.ZERO), () -> {})) {
                assertThrows(ConnectionLost.class, () -> copier.fetch("a.bin", target()));
            }
            assertFalse(Files.exists(target()));
            assertTrue(Files.exists(folder.resolve("target.part")));
            CopyFigures figures = site.fetch("a.bin", target());
            assertTrue(figures.parts().keptBytes() > MIB, figures.toString());
            assertEquals(6 * MIB, figures.parts().keptBytes() + figures.parts().movedBytes());
            assertFetched(source);
        }
    }

    @Test
    void fetch_partOfAnEarlierRunDamaged_isFetchedAgain() throws Exception {
        Path source = file("a.bin", MIB);
        half(source);
        try (FileSite site = new FileSite(source.toString())) {
            CopyFigures figures = site.fetch("a.bin", target());
            assertEquals(7L * 64 * KIB, figures.parts().keptBytes());
            assertFetched(source);
        }
    }

    /** Each chunk that an earlier run noted as done, damaged alone: the first, one in the middle, the last and shortest one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 15, 16})
    void fetch_anyChunkOfAnEarlierRunDamaged_isFetchedAgain(int damaged) throws Exception {
        Path source = file("a.bin", MIB + 5);
        Path part = Files.copy(source, folder.resolve("target.part"));
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), damaged * 64L * KIB);
        }
        BitSet done = new BitSet();
        done.set(0, 17);
        FileAttributes attributes = Export.of(ExportSpec.parse(source.toString(), Long::parseLong), true)
                .attributes();
        new PartState(attributes, 64 * KIB, done).save(folder.resolve("target.part.state"));
        try (FileSite site = new FileSite(source.toString())) {
            CopyFigures figures = site.fetch("a.bin", target());
            assertEquals(damaged == 16 ? 5 : 64 * KIB, figures.parts().movedBytes());
            assertFetched(source);
        }
    }

    @Test
    void fetch_interruptedBeforeItLooked_stillKnowsWhatAnEarlierRunLeft() throws Exception {
        Path source = file("a.bin", MIB);
        half(source);
        try (FileSite site = new FileSite(source.toString())) {
            try (Copier copier = site.copier(Rnic::open, retryFor(Duration.ZERO), site::close)) {
                assertThrows(IOException.class, () -> copier.fetch("a.bin", target()));
            }
            PartState left = PartState.load(folder.resolve("target.part.state")).orElseThrow();
            assertEquals(8, left.done().cardinality());
        }
    }

    @Test
    void fetch_sourceChangedSinceAnEarlierRun_startsAnew() throws Exception {
        Path source = file("a.bin", MIB);
        half(source);
        Files.setLastModifiedTime(source, FileTime.fromMillis(1_000_000));
        try (FileSite site = new FileSite(source.toString())) {
            assertEquals(0, site.fetch("a.bin", target()).parts().keptBytes());
            assertFetched(source);
        }
    }

    /** What a run leaves that ended in the middle: half of the chunks, one of which is wrong. */
    private void half(Path source) throws Exception {
        Path part = folder.resolve("target.part");
        Files.copy(source, part);
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            Zeros.append(channel, 3 * 64 * KIB, 4 * 64 * KIB, MIB);
        }
        BitSet done = new BitSet();
        done.set(0, 8);
        FileAttributes attributes = Export.of(ExportSpec.parse(source.toString(), Long::parseLong), true)
                .attributes();
        new PartState(attributes, 64 * KIB, done).save(folder.resolve("target.part.state"));
    }

    @Test
    void copy_serverRestarted_bothWaysGoOn() throws Exception {
        Path source = file("a.bin", 3 * MIB);
        Path inbox = folder.resolve("inbox");
        String[] exports = {source.toString(), inbox + ":rw:" + 3 * MIB};
        FileSite first = new FileSite(exports);
        InetSocketAddress where = (InetSocketAddress) first.address();
        FileSite[] second = {first};
        Runnable restart = () -> {
            second[0].close();
            try {
                second[0] = new FileSite(where, FileSite.settings(16), true, exports);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        try (Copier copier = first.copier(Rnic::open, FileSite.PLAIN, restart)) {
            copier.fetch("a.bin", target());
            assertFetched(source);
        }
        int[] starts = {0};
        Runnable once = () -> {
            if (starts[0]++ == 0) {
                restart.run();
            }
        };
        try (Copier copier = first.copier(Rnic::open, FileSite.PLAIN, once)) {
            copier.store(source, "inbox", false);
            assertEquals(2, starts[0]);
            assertEquals(-1, Files.mismatch(source, inbox));
        } finally {
            second[0].close();
        }
    }

    @Test
    void fetch_serverGoneForGood_failsAfterRetryFor() throws Exception {
        Path source = file("a.bin", MIB);
        FileSite site = new FileSite(source.toString());
        try (Copier copier = site.copier(Rnic::open, retryFor(Duration.ofMillis(300)), site::close)) {
            ConnectionException failure =
                    assertThrows(ConnectionException.class, () -> copier.fetch("a.bin", target()));
            assertEquals(ConnectionException.Kind.REFUSED, failure.kind());
        }
    }

    /** A machine that slept, or a program that held the copy up, for longer than it tries to reconnect. */
    @Test
    void fetch_heldUpForLongerThanRetryFor_triesAgainBeforeItFails() throws Exception {
        Path source = file("a.bin", MIB);
        Duration retryFor = Duration.ofSeconds(3);
        FileSite first = new FileSite(source.toString());
        InetSocketAddress where = (InetSocketAddress) first.address();
        FutureTask<FileSite> restart = new FutureTask<>(() -> {
            Thread.sleep(300);
            return new FileSite(where, FileSite.settings(16), true, source.toString());
        });
        Runnable heldUp = () -> {
            first.close();
            LockSupport.parkNanos(retryFor.plusMillis(100).toNanos());
            Thread.ofPlatform().start(restart);
        };
        try (Copier copier = first.copier(Rnic::open, retryFor(retryFor), heldUp)) {
            copier.fetch("a.bin", target());
            assertFetched(source);
        } finally {
            restart.get().close();
        }
    }

    /** A host that accepts the TCP connection and does not answer, until a file server replaces it. */
    @Test
    void fetch_firstConnectionTimesOut_isRepeatedWithinRetryFor() throws Exception {
        Path source = file("a.bin", MIB);
        CopySettings plain = FileSite.PLAIN;
        CopySettings impatient = new CopySettings(
                new CopySettings.Work(1, plain.work().chunkBytes(), plain.work().depth()),
                new CopySettings.Content(true, true, false),
                new CopySettings.Patience(FileSite.LONGEST, plain.patience().timeout()),
                ConnectionOptions.defaults().withTimeout(Duration.ofMillis(500)));
        List<FileSite> sites = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            SocketAddress where = silent.getLocalSocketAddress();
            CopyListener replaces = new CopyListener() {
                @Override
                public void onServerAbsent(SocketAddress server, Duration retryFor) {
                    try {
                        silent.close();
                        sites.add(new FileSite(where, FileSite.settings(16), true, source.toString()));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
            try (Copier copier = new Copier(Rnic::open, false, where, impatient, replaces, () -> false)) {
                copier.fetch("a.bin", target());
            }
            assertEquals(1, sites.size());
            assertFetched(source);
        } finally {
            sites.forEach(FileSite::close);
        }
    }
}
