package io.verbena.examples;

import io.verbena.verbs.*;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.*;

/**
 * A mapped file that another program fetches by RDMA Reads, four pieces at a time. Both files are memory: no byte passes through a
 * buffer of either program.
 */
final class FileFetch {

    private static final int PIECE = 256 << 10;
    private static final int WINDOW = 4; // Reads at a time
    private static final int FILE_BYTES = 8 * PIECE + 4711;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private FileFetch() {}

    public static void main(String... args) throws Exception {
        Path folder = Files.createTempDirectory("verbena-fetch");
        Path original = folder.resolve("original");
        Path copy = folder.resolve("copy");
        byte[] bytes = new byte[FILE_BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(original, bytes);
        try (Rnic rnic = Rnic.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            MemoryRegion file = domain.map(original, 0, FILE_BYTES, AccessRight.REMOTE_READ);
            Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Future<?> fetching = threads.submit(() -> fetch(listener.localAddress(), copy));
            listener.nextRequest(MINUTE)
                    .orElseThrow()
                    .accept(
                            domain.createQueuePair(rnic.createCompletionQueue(16)),
                            file.remote().toBytes());
            fetching.get();
            Check.that(Files.mismatch(original, copy) == -1, "the copy differs");
            System.out.println("The copy of " + FILE_BYTES + " bytes is equal.");
        } finally {
            Files.deleteIfExists(original);
            Files.deleteIfExists(copy);
            Files.delete(folder);
        }
    }

    private static Void fetch(SocketAddress server, Path to) throws Exception {
        try (Rnic rnic = Rnic.open()) {
            CompletionQueue cq = rnic.createCompletionQueue(16);
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            Connection connection = rnic.connect(domain.createQueuePair(cq), server);
            RemoteRegion from = RemoteRegion.fromBytes(connection.privateData()); // its address, key and length
            try (FileChannel file = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.allocate(1), from.length() - 1);
            }
            MemoryRegion memory = domain.map(to, 0, from.length(), AccessRight.LOCAL_WRITE);
            long posted = 0;
            for (long done = 0; done < from.length(); ) {
                while (posted < from.length() && posted - done < (long) WINDOW * PIECE) {
                    int length = (int) Math.min(PIECE, from.length() - posted);
                    connection.queuePair().postRead(posted, memory, posted, length, from, posted, WrFlags.SIGNALLED);
                    posted += length;
                }
                var read = cq.take(MINUTE);
                Check.that(read.ok(), read.reason());
                done += read.byteCount();
            }
        }
        return null;
    }
}
