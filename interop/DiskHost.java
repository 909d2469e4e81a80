import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.storage.client.DiskException;
import io.verbena.storage.client.DiskMemory;
import io.verbena.storage.client.DiskOperation;
import io.verbena.storage.client.DiskOptions;
import io.verbena.storage.client.KeyUse;
import io.verbena.storage.host.HostState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;

/**
 * Uses the disks of nvmet: {@code DiskHost PROVIDER ADDRESS PORT NQN KEYS}. Each line of standard input is a command, and each is answered
 * with one line:
 *
 * <pre>
 *   blocks N         number of blocks of disk N, or none
 *   sizes N          writes and reads of many lengths, and a part of a block
 *   flight N         32 operations at once of 4 KiB, and of 1 MiB
 *   zeroes N         Write Zeroes
 *   load N           begins to write, read back and compare, 32 at once
 *   progress         number of operations of the load
 *   end              ends the load
 *   state            of the connection, and how often it was established
 *   gone             how an operation ends on a disk that is absent
 *   close            ends the program
 * </pre>
 */
final class DiskHost {
    private static final int KIB = 1024;
    private static final int MIB = 1 << 20;
    private static final int AT_ONCE = 32;

    private final DiskClient client;
    private final List<Disk> first;
    private final AtomicInteger established = new AtomicInteger(1);
    private final Random random = new Random(1);
    private final Load load = new Load();
    private HostState before = HostState.LIVE;

    private DiskHost(DiskClient client) {
        this.client = client;
        first = client.disks();
        client.onChange(this::changed);
    }

    private void changed() {
        HostState now = client.state();
        if (now == HostState.LIVE && before != HostState.LIVE) {
            established.incrementAndGet();
        }
        before = now;
    }

    public static void main(String[] arguments) throws IOException {
        DiskOptions options = DiskOptions.defaults().withProvider(arguments[0]).withKeys(KeyUse.valueOf(arguments[4]));
        InetSocketAddress address = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        try (DiskClient client = DiskClient.connect(address, arguments[3], options)) {
            DiskHost host = new DiskHost(client);
            System.out.println("ready: " + client.disks().size() + " disks");
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); !"close".equals(line); line = lines.readLine()) {
                System.out.println(line + ": " + host.run(line.split(" ")));
            }
        }
        System.out.println("close: done");
    }

    private String run(String[] words) {
        try {
            return switch (words[0]) {
                case "blocks" -> client.disk(Integer.parseInt(words[1]))
                        .map(disk -> String.valueOf(disk.blocks()))
                        .orElse("none");
                case "sizes" -> sizes(disk(words));
                case "flight" -> flight(disk(words), 4 * KIB, 8) + flight(disk(words), MIB, 1);
                case "zeroes" -> zeroes(disk(words));
                case "load" -> load.begin(disk(words));
                case "progress" -> String.valueOf(load.operations.get());
                case "end" -> load.end();
                case "state" -> client.state() + " " + established.get();
                case "gone" -> gone();
                default -> throw new IllegalArgumentException("no command");
            };
        } catch (IOException | RuntimeException | InterruptedException e) {
            return "failed, " + e + "; " + client.reason();
        }
    }

    private Disk disk(String[] words) {
        return client.disk(Integer.parseInt(words[1])).orElseThrow();
    }

    private MemorySegment random(long bytes) {
        byte[] data = new byte[(int) bytes];
        random.nextBytes(data);
        return MemorySegment.ofArray(data);
    }

    private static void compare(MemorySegment expected, MemorySegment found, String what) {
        long at = expected.mismatch(found);
        if (at >= 0) {
            throw new IllegalStateException(what + ": another byte at " + at);
        }
    }

    private String sizes(Disk disk) throws IOException {
        int block = disk.blockBytes();
        int[] lengths = {block, 4 * KIB, 2 * block, 9 * block, 64 * KIB, 128 * KIB + block, MIB, 2 * MIB + 3 * block};
        for (int length : lengths) {
            for (long at : new long[] {0, 7, disk.blocks() - length / block}) {
                MemorySegment data = random(length);
                MemorySegment copy = MemorySegment.ofArray(new byte[length]);
                disk.write(at, data).join();
                disk.read(at, copy).join();
                compare(data, copy, length + " bytes at block " + at);
            }
        }
        disk.writeDurably(3, random(4 * KIB)).join();
        disk.flush().join();
        partOfABlock(disk);
        return "done, " + 3 * lengths.length + " times";
    }

    private void partOfABlock(Disk disk) throws IOException {
        try (SeekableByteChannel channel = disk.channel()) {
            MemorySegment text = random(5000);
            channel.position(777).write(text.asByteBuffer());
            ByteBuffer found = ByteBuffer.allocate(5000);
            channel.position(777);
            while (found.hasRemaining()) {
                channel.read(found);
            }
            compare(text, MemorySegment.ofBuffer(found.flip()), "5000 bytes at byte 777");
        }
    }

    /** Operations without objects, from and into one memory. */
    private String flight(Disk disk, int bytes, int rounds) {
        try (DiskMemory memory = disk.allocate((long) AT_ONCE * bytes)) {
            int blocks = bytes / disk.blockBytes();
            for (int round = 0; round < rounds; round++) {
                MemorySegment expected = random(memory.segment().byteSize());
                memory.segment().copyFrom(expected);
                atOnce(disk, (operation, i) -> operation.write((long) i * blocks, memory, (long) i * bytes, bytes));
                memory.segment().fill((byte) 0);
                atOnce(disk, (operation, i) -> operation.read((long) i * blocks, memory, (long) i * bytes, bytes));
                compare(expected, memory.segment(), bytes + " bytes, " + AT_ONCE + " at once");
            }
        }
        return 2 * rounds * AT_ONCE + " of " + bytes + " bytes ";
    }

    private static void atOnce(Disk disk, ObjIntConsumer<DiskOperation> what) {
        CompletableFuture<?>[] futures = new CompletableFuture<?>[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++) {
            CompletableFuture<Void> future = new CompletableFuture<>();
            futures[i] = future;
            DiskOperation operation = disk.operation(ended -> {
                if (ended.succeeded()) {
                    future.complete(null);
                } else {
                    future.completeExceptionally(ended.failure());
                }
            });
            what.accept(operation, i);
            operation.submit();
        }
        CompletableFuture.allOf(futures).join();
    }

    private String zeroes(Disk disk) {
        MemorySegment found = random(16L * disk.blockBytes());
        disk.write(8, found).join();
        try {
            disk.writeZeroes(8, 16).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DiskException refused && refused.kind() == DiskException.Kind.REFUSED) {
                return "refused with status " + Integer.toHexString(refused.status());
            }
            throw e;
        }
        disk.read(8, found).join();
        compare(MemorySegment.ofArray(new byte[(int) found.byteSize()]), found, "Write Zeroes");
        return "done";
    }

    private String gone() {
        Disk absent = first.stream().filter(disk -> !disk.present()).findFirst().orElseThrow();
        try {
            absent.read(0, ByteBuffer.allocate(absent.blockBytes())).join();
            return "it can be read";
        } catch (CompletionException e) {
            return e.getCause() instanceof DiskException failure ? failure.kind().name() : e.toString();
        }
    }

    /** Virtual threads, each with a range of its own, which write, read back and compare. */
    private static final class Load {
        private static final int RANGE_BYTES = 64 * KIB;

        final AtomicLong operations = new AtomicLong();
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean ending;
        private volatile String problem = "";

        String begin(Disk disk) {
            for (int i = 0; i < AT_ONCE; i++) {
                int number = i;
                threads.add(Thread.startVirtualThread(() -> work(disk, number)));
            }
            return "begun";
        }

        private void work(Disk disk, int number) {
            Random random = new Random(number);
            try {
                while (!ending && problem.isEmpty()) {
                    byte[] data = new byte[4 * KIB << random.nextInt(3)];
                    random.nextBytes(data);
                    int offset = random.nextInt((RANGE_BYTES - data.length) / disk.blockBytes());
                    long block = (long) number * (RANGE_BYTES / disk.blockBytes()) + offset;
                    byte[] found = new byte[data.length];
                    disk.write(block, ByteBuffer.wrap(data)).join();
                    disk.read(block, ByteBuffer.wrap(found)).join();
                    if (!Arrays.equals(data, found)) {
                        throw new IllegalStateException(data.length + " bytes at block " + block + " are others");
                    }
                    operations.addAndGet(2);
                }
            } catch (RuntimeException e) {
                problem = e.toString();
            }
        }

        String end() throws InterruptedException {
            ending = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return problem.isEmpty() ? "verified " + operations.get() : problem;
        }
    }
}
