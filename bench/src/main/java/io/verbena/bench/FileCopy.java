package io.verbena.bench;

import io.verbena.files.Copier;
import io.verbena.files.CopyListener;
import io.verbena.files.CopySettings;
import io.verbena.files.FileServer;
import io.verbena.files.ServeSettings;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.ExportTable;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * {@code verbena cp} from {@code verbena serve} against plain NIO that sends the file with {@code transferTo} and writes
 * what it reads: interleaved pairs in one JVM, the first pair not counted. Arguments: a folder (on a RAM disk, so that no
 * disk is measured), MiB, pairs.
 */
public final class FileCopy {

    private static final int BUFFER_BYTES = 1 << 20;
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final SocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Path source;
    private final Path target;

    private FileCopy(Path folder) {
        source = folder.resolve("verbena-source.bin");
        target = folder.resolve("verbena-target.bin");
    }

    /** Prints MB/s of each, and the ratio, as medians with their spread. */
    public static void main(String[] arguments) throws Exception {
        FileCopy copy = new FileCopy(Path.of(arguments.length > 0 ? arguments[0] : "/dev/shm"));
        int mebibytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1024;
        int pairs = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 7;
        try {
            copy.fill(mebibytes);
            copy.run(pairs);
        } finally {
            Files.deleteIfExists(copy.source);
            Files.deleteIfExists(copy.target);
        }
    }

    private void fill(int mebibytes) throws IOException {
        byte[] bytes = new byte[1 << 20];
        Random random = new Random(1);
        try (var out = Files.newOutputStream(source)) {
            for (int i = 0; i < mebibytes; i++) {
                random.nextBytes(bytes);
                out.write(bytes);
            }
        }
    }

    private void run(int pairs) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<SocketAddress> ready = new CompletableFuture<>();
        Thread server = Thread.ofPlatform().daemon().start(() -> serve(stop, ready));
        SocketAddress address = ready.get();
        double[] plain = new double[pairs];
        double[] verified = new double[pairs];
        double[] ratio = new double[pairs];
        for (int pair = -1; pair < pairs; pair++) {
            double nio = nio();
            double cp = cp(address);
            if (pair >= 0) {
                plain[pair] = nio;
                verified[pair] = cp;
                ratio[pair] = cp / nio;
            }
        }
        print("plain NIO, MB/s", plain);
        print("verbena cp, MB/s", verified);
        print("ratio", ratio);
        stop.set(true);
        server.join(LONGEST);
    }

    private void serve(AtomicBoolean stop, CompletableFuture<SocketAddress> ready) {
        try (Rnic rnic = Rnic.open()) {
            ExportTable table = new ExportTable(List.of(ExportSpec.parse("a=" + source, Long::parseLong)), true);
            ServeSettings settings = new ServeSettings(16, LONGEST, LONGEST, ConnectionOptions.defaults());
            new FileServer(rnic, table, settings, line -> {}, stop::get).serve(ANY, ready::complete);
        } catch (IOException | FileServiceException | RuntimeException e) {
            ready.completeExceptionally(e);
        }
    }

    private double cp(SocketAddress address) throws IOException, FileServiceException {
        CopySettings settings = new CopySettings(
                new CopySettings.Work(2, 1 << 20, 8),
                new CopySettings.Content(true, true, false),
                new CopySettings.Patience(LONGEST, LONGEST),
                ConnectionOptions.defaults());
        CopyListener silent = new CopyListener() {};
        Files.deleteIfExists(target);
        long startNs = System.nanoTime();
        try (Copier copier = new Copier(Rnic::open, false, address, settings, silent, () -> false)) {
            return megabytesPerSecond(copier.fetch("a", target).bytes(), startNs);
        }
    }

    private double nio() throws IOException {
        Files.deleteIfExists(target);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY)) {
            Thread.ofPlatform().daemon().start(() -> send(listener));
            long startNs = System.nanoTime();
            try (SocketChannel from = SocketChannel.open(listener.getLocalAddress());
                    FileChannel to = FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
                long bytes = 0;
                while (from.read(buffer.clear()) >= 0) {
                    buffer.flip();
                    while (buffer.hasRemaining()) {
                        bytes += to.write(buffer);
                    }
                }
                return megabytesPerSecond(bytes, startNs);
            }
        }
    }

    private void send(ServerSocketChannel listener) {
        try (SocketChannel to = listener.accept();
                FileChannel file = FileChannel.open(source)) {
            for (long sent = 0; sent < file.size(); ) {
                sent += file.transferTo(sent, file.size() - sent, to);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static double megabytesPerSecond(long bytes, long startNs) {
        return bytes * 1e3 / (System.nanoTime() - startNs);
    }

    private static void print(String name, double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        System.out.printf(
                Locale.ROOT,
                "%-18s %8.2f (%.2f to %.2f)%n",
                name,
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1]);
    }
}
