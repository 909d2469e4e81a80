package io.verbena.storage.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.device.SlowDevice;
import io.verbena.storage.host.DiscoveryRecord;
import io.verbena.storage.host.HostTimes;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every wait for a disk ends: by an interrupt, by a close of another thread, by a peer that is silent, refuses or is not there. */
class DiskEndsTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final Duration SLOW = Duration.ofSeconds(3);

    @TempDir
    private Path folder;

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);

    @AfterEach
    void close() {
        device.close();
    }

    private static DiskException.Kind kind(CompletableFuture<?> future) {
        CompletionException failure = assertThrows(CompletionException.class, future::join);
        return assertInstanceOf(DiskException.class, failure.getCause()).kind();
    }

    private BlockDevice slow() {
        return new SlowDevice(device, SLOW);
    }

    @Test
    void operations_clientClosed_fail() throws IOException {
        try (DiskPair pair = new DiskPair("shm", List.of(slow()));
                DiskClient client = pair.connect(DiskOptions.defaults())) {
            Disk disk = client.disks().getFirst();
            CompletableFuture<Void> copied = disk.read(0, MemorySegment.ofArray(new byte[512]));
            CompletableFuture<Void> plain = disk.flush();
            client.close();
            assertEquals(DiskException.Kind.CLOSED, kind(copied));
            assertEquals(DiskException.Kind.CLOSED, kind(plain));
            assertEquals(DiskException.Kind.CLOSED, kind(disk.flush()));
            assertEquals(DiskException.Kind.CLOSED, kind(disk.read(0, MemorySegment.ofArray(new byte[512]))));
        }
    }

    @Test
    void operations_rnicClosed_fail() throws IOException {
        try (DiskPair pair = new DiskPair("iwarp", List.of(slow()));
                Rnic rnic = Rnic.open(DiskPair.options("iwarp", DiskPair.CLIENT))) {
            long longNs = 60 * SECOND_NS;
            HostTimes times = new HostTimes(longNs, longNs, longNs, SECOND_NS / 10, longNs);
            try (DiskClient client = DiskClient.connect(
                    rnic, pair.address(), DiskPair.NAME, DiskOptions.defaults().withTimes(times))) {
                CompletableFuture<Void> future = client.disks().getFirst().flush();
                rnic.close();
                long closedNs = System.nanoTime();
                assertTrue(kind(future) != DiskException.Kind.REFUSED);
                assertTrue(System.nanoTime() - closedNs < longNs / 2, "the client waits for time-outs");
            }
        }
    }

    @Test
    void channel_interrupted_isClosed() throws Exception {
        try (DiskPair pair = new DiskPair("shm", List.of(slow()));
                DiskClient client = pair.connect(DiskOptions.defaults())) {
            SeekableByteChannel channel = client.disks().getFirst().channel();
            FutureTask<Class<?>> reading = reading(channel);
            Thread reader = Thread.ofPlatform().start(reading);
            reader.interrupt();
            assertEquals(ClosedByInterruptException.class, reading.get());
            assertTrue(!channel.isOpen());
        }
    }

    @Test
    void channel_closedByAnotherThread_endsTheWait() throws Exception {
        try (DiskPair pair = new DiskPair("shm", List.of(slow()));
                DiskClient client = pair.connect(DiskOptions.defaults())) {
            SeekableByteChannel channel = client.disks().getFirst().channel();
            FutureTask<Class<?>> reading = reading(channel);
            Thread reader = Thread.ofPlatform().start(reading);
            while (reader.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            channel.close();
            assertEquals(AsynchronousCloseException.class, reading.get());
        }
    }

    private static FutureTask<Class<?>> reading(SeekableByteChannel channel) {
        return new FutureTask<>(() -> {
            try {
                channel.read(ByteBuffer.allocate(100));
                return void.class;
            } catch (IOException e) {
                return e.getClass();
            }
        });
    }

    @Test
    void connect_refused_statesWhy() throws IOException {
        try (DiskPair pair = new DiskPair("iwarp", List.of(device))) {
            ConnectionException wrong = assertThrows(
                    ConnectionException.class,
                    () -> DiskClient.connect(pair.using, pair.address(), "nqn.unknown", DiskOptions.defaults())
                            .close());
            String sentence = String.valueOf(wrong.getMessage());
            assertTrue(sentence.contains("nqn.unknown"), sentence);
        }
    }

    @Test
    void connect_targetSilent_endsInTime() throws IOException {
        HostTimes times = new HostTimes(SECOND_NS, SECOND_NS / 2, SECOND_NS, SECOND_NS, SECOND_NS);
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.ofLiteral("127.0.0.85"))) {
            InetSocketAddress address = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
            DiskOptions options = DiskOptions.defaults().withProvider("iwarp").withTimes(times);
            assertThrows(
                    ConnectionException.class,
                    () -> DiskClient.connect(address, DiskPair.NAME, options).close());
        }
    }

    @Test
    void hosts_severalOnOneDisk_seeEachOthersBlocks() throws IOException {
        try (DiskPair pair = new DiskPair("shm", List.of(device));
                DiskClient one = pair.connect(DiskOptions.defaults());
                DiskClient two = pair.connect(DiskOptions.defaults().withQueues(3))) {
            byte[] written = new byte[4096];
            for (int i = 0; i < 50; i++) {
                written[i] = (byte) i;
                byte[] read = new byte[written.length];
                one.disks().getFirst().write(i, MemorySegment.ofArray(written)).join();
                two.disks().getFirst().read(i, MemorySegment.ofArray(read)).join();
                assertArrayEquals(written, read);
            }
        }
    }

    /** More often than there are chunks, all of which remain in use. */
    @Test
    void memoryOfATruncatedFile_failsItsTransferOnly() throws IOException {
        Path file = folder.resolve("mapped");
        try (DiskPair pair = new DiskPair("shm", List.of(device));
                DiskClient client = pair.connect(DiskOptions.defaults());
                Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            channel.truncate(0);
            Disk disk = client.disks().getFirst();
            for (int i = 0; i < 40; i++) {
                CompletableFuture<Void> future = i % 2 == 0 ? disk.read(0, mapped) : disk.write(0, mapped);
                CompletionException failure = assertThrows(CompletionException.class, future::join);
                assertInstanceOf(InternalError.class, failure.getCause());
            }
            disk.write(0, MemorySegment.ofArray(new byte[512])).join();
            disk.read(0, MemorySegment.ofArray(new byte[512])).join();
        }
    }

    @Test
    void discovery_listsTheSubsystems() throws IOException {
        try (DiskPair pair = new DiskPair("iwarp", List.of(device))) {
            List<DiscoveryRecord> found = DiskClient.discover(pair.using, pair.address(), DiskOptions.defaults());
            assertEquals(DiskPair.NAME, found.getFirst().subsystem());
        }
    }

    @Test
    void memory_inUse_isNotClosed() throws IOException {
        try (DiskPair pair = new DiskPair("shm", List.of(slow()));
                DiskClient client = pair.connect(DiskOptions.defaults())) {
            Disk disk = client.disks().getFirst();
            CompletableFuture<Integer> ended = new CompletableFuture<>();
            DiskMemory memory = disk.allocate(512);
            DiskOperation operation = disk.operation(of -> ended.complete(of.status()));
            operation.read(0, memory, 0, 512).submit();
            assertThrows(IllegalStateException.class, memory::close);
            assertThrows(IllegalStateException.class, () -> operation.read(0, memory, 0, 512));
            assertEquals(0, ended.join());
            memory.close();
            assertThrows(
                    IllegalStateException.class,
                    () -> operation.read(0, memory, 0, 512).submit());
        }
    }
}
