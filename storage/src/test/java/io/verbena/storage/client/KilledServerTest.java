package io.verbena.storage.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.host.HostTimes;
import io.verbena.verbs.Rnic;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is killed and started again while a client writes and reads: no operation fails, and what was acknowledged is there. */
class KilledServerTest {
    private static final int BLOCK_BYTES = 4096;
    private static final int AREAS = 16;
    private static final int BLOCKS_PER_AREA = 16;

    /** The second one meets connections that replaced those of the first. */
    private static final int KILLS = 2;

    private static final long BYTES = (long) AREAS * BLOCKS_PER_AREA * BLOCK_BYTES;

    @TempDir
    private Path folder;

    private Process start(String provider, int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServeFile.class.getName(),
                        provider,
                        Integer.toString(port),
                        folder.resolve("disk").toString(),
                        Long.toString(BYTES))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static int port(Process server) throws IOException {
        BufferedReader reader = server.inputReader();
        String line = reader.readLine();
        assertTrue(line != null, "the server has not started");
        return Integer.parseInt(line);
    }

    /** Writes a part of the disk again and again, with a number that grows, and reads it back. */
    private static final class Worker {
        private final DiskOperation operation;
        private final DiskMemory memory;
        private final int area;
        private final Random random;
        private final byte[] written = new byte[BLOCKS_PER_AREA];
        private final AtomicInteger ended;
        private boolean writing;
        private int block;
        private volatile boolean stop;
        private volatile String failure = "";

        Worker(Disk disk, int area, AtomicInteger ended) {
            memory = disk.allocate(BLOCK_BYTES);
            this.area = area;
            this.ended = ended;
            random = new Random(area);
            operation = disk.operation(this::ended);
        }

        void next() {
            block = random.nextInt(BLOCKS_PER_AREA);
            writing = random.nextBoolean();
            long first = ((long) area * BLOCKS_PER_AREA + block) * (BLOCK_BYTES / 512);
            if (writing) {
                memory.segment().fill((byte) (written[block] + 1));
                operation.write(first, memory, 0, BLOCK_BYTES).submit();
            } else {
                memory.segment().fill((byte) -1);
                operation.read(first, memory, 0, BLOCK_BYTES).submit();
            }
        }

        private void ended(DiskOperation of) {
            if (!of.succeeded()) {
                failure = of.failure().toString();
                return;
            }
            ended.incrementAndGet();
            if (writing) {
                written[block]++;
            } else {
                byte[] bytes = memory.segment().toArray(ValueLayout.JAVA_BYTE);
                for (byte each : bytes) {
                    if (each != written[block]) {
                        failure = "read " + each + " in place of " + written[block];
                        return;
                    }
                }
            }
            if (!stop) {
                next();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce", "shm"})
    void server_killedUnderLoad_losesNothing(String provider) throws IOException, InterruptedException {
        Process server = start(provider, 0);
        int port = port(server);
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(DiskPair.SERVER), port);
        HostTimes times = new HostTimes(2_000_000_000L, 3_000_000_000L, 5_000_000_000L, 100_000_000L, 60_000_000_000L);
        DiskOptions options = DiskOptions.defaults().withTimes(times).withQueues(2);
        try (Rnic rnic = Rnic.open(DiskPair.options(provider, DiskPair.CLIENT));
                DiskClient client = DiskClient.connect(rnic, address, DiskPair.NAME, options)) {
            Disk disk = client.disks().getFirst();
            AtomicInteger ended = new AtomicInteger();
            List<Worker> workers = new ArrayList<>();
            for (int i = 0; i < AREAS; i++) {
                workers.add(new Worker(disk, i, ended));
                workers.getLast().next();
            }
            for (int kill = 0; kill < KILLS; kill++) {
                await(workers, ended, ended.get() + 500);
                server.destroyForcibly();
                assertTrue(server.waitFor(20, TimeUnit.SECONDS));
                server = start(provider, port);
                port(server);
            }
            await(workers, ended, ended.get() + 500);
            workers.forEach(worker -> worker.stop = true);
            awaitIdle(workers);
            disk.flush().join();
            byte[] contents = Files.readAllBytes(folder.resolve("disk"));
            for (Worker worker : workers) {
                assertEquals("", worker.failure);
                for (int block = 0; block < BLOCKS_PER_AREA; block++) {
                    int at = (worker.area * BLOCKS_PER_AREA + block) * BLOCK_BYTES;
                    assertEquals(worker.written[block], contents[at], "area " + worker.area + " block " + block);
                    assertEquals(worker.written[block], contents[at + BLOCK_BYTES - 1]);
                }
            }
        } finally {
            server.destroyForcibly();
        }
    }

    private static void await(List<Worker> workers, AtomicInteger ended, int count) {
        long startNs = System.nanoTime();
        while (ended.get() < count) {
            for (Worker worker : workers) {
                assertEquals("", worker.failure);
            }
            assertTrue(System.nanoTime() - startNs < 60_000_000_000L, () -> "stopped at " + ended);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void awaitIdle(List<Worker> workers) {
        long startNs = System.nanoTime();
        while (workers.stream().anyMatch(worker -> worker.operation.underWay())) {
            assertTrue(System.nanoTime() - startNs < 60_000_000_000L, "operations do not end");
            LockSupport.parkNanos(1_000_000);
        }
    }
}
