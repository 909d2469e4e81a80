package io.verbena.bench;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.Goal;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Random Reads of 4 KiB of a pageable file 16 times its frame pool, against a plain NIO server that reads the same file with
 * direct I/O for requests of the same depth; then with all pages resident against pinned memory. Interleaved pairs, median,
 * spread. Part of {@code bench/memory}.
 */
final class PageFigures {

    private static final int PAGE = 4096;
    private static final int DEPTH = Integer.getInteger("depth", 16);
    private static final int READS = Integer.getInteger("reads", 20_000);
    private static final long POOL_BYTES = Long.getLong("pool", 16L << 20);
    private static final long FILE_BYTES = 16 * POOL_BYTES;

    private final int rounds;
    private final List<MemoryFigure> figures = new ArrayList<>();
    private String circumstances = "";

    PageFigures(int rounds) {
        this.rounds = rounds;
    }

    /** How it was measured, in a sentence. */
    String circumstances() {
        return circumstances;
    }

    /** Makes a file in a folder, and takes it away again. */
    List<MemoryFigure> measure(Path folder) throws Exception {
        Path file = Files.createTempFile(folder, "verbena-pages", ".data");
        try {
            write(file);
            paged(file);
        } finally {
            Files.delete(file);
        }
        return figures;
    }

    private static void write(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long at = 0; at < FILE_BYTES; at += piece.capacity()) {
                channel.write(piece.clear(), at);
            }
            channel.force(true);
        }
    }

    private void paged(Path file) throws Exception {
        RnicOptions options = RnicOptions.defaults();
        Endpoint a = new Endpoint(options, DEPTH * PAGE, 64);
        Endpoint b = new Endpoint(options, 1 << 26, 64);
        try (VirtualMemory memory =
                        b.rnic.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(POOL_BYTES));
                NioPageServer nio = new NioPageServer(file, PAGE, DEPTH)) {
            Endpoint.connect(a, b);
            AddressSegment paged = memory.createAddressSpace("paged").mapFile(file, 0, FILE_BYTES, false);
            circumstances =
                    "Pages of " + PAGE + " bytes, pool " + (POOL_BYTES >> 20) + " MiB, file " + (FILE_BYTES >> 20)
                            + " MiB, " + DEPTH + " Reads in flight; direct I/O: "
                            + (paged.direct() ? "ours" : "not ours") + ", "
                            + (nio.direct() ? "theirs." : "not theirs.");
            MemoryRegion region = b.domain.register(paged, 0, FILE_BYTES, AccessRight.REMOTE_READ);
            pairs(
                    "random 4 KiB Reads, pageable, 16 times the pool, Reads/s",
                    "plain NIO, direct I/O",
                    0.8,
                    () -> nio.rate(FILE_BYTES, READS),
                    () -> rate(a, region.remote(), FILE_BYTES));
            region.close();
            resident(options, a, b.region.remote());
        } finally {
            a.close();
            b.close();
        }
    }

    private void resident(RnicOptions options, Endpoint a, RemoteRegion pinned) throws Exception {
        Endpoint c = new Endpoint(options, DEPTH * PAGE, 64);
        Endpoint d = new Endpoint(options, PAGE, 64);
        long bytes = pinned.length();
        try (VirtualMemory memory =
                d.rnic.openVirtualMemory(VirtualMemoryOptions.defaults().withFrameBytes(bytes + (8 << 20)))) {
            Endpoint.connect(c, d);
            AddressSegment whole = memory.createAddressSpace("resident").map(bytes);
            MemoryRegion resident = d.domain.register(whole, 0, bytes, AccessRight.REMOTE_READ);
            whole.swapIn(0, bytes);
            pairs(
                    "random 4 KiB Reads, pageable, all resident, Reads/s",
                    "pinned",
                    0.9,
                    () -> rate(a, pinned, bytes),
                    () -> rate(c, resident.remote(), bytes));
            resident.close();
        } finally {
            c.close();
            d.close();
        }
    }

    /** Reads per second. */
    private static double rate(Endpoint a, RemoteRegion from, long bytes) {
        SplittableRandom random = new SplittableRandom(1);
        long pages = bytes / PAGE;
        int posted = 0;
        int done = 0;
        long begin = System.nanoTime();
        while (done < READS) {
            while (posted < READS && posted - done < DEPTH) {
                a.queuePair.postRead(
                        posted,
                        a.region,
                        (long) (posted % DEPTH) * PAGE,
                        PAGE,
                        from,
                        random.nextLong(pages) * PAGE,
                        WrFlags.SIGNALLED);
                posted++;
            }
            int now = a.poll();
            done += now;
            if (now == 0) {
                a.cq.await(Endpoint.TIMEOUT);
            }
        }
        return READS * 1e9 / (System.nanoTime() - begin);
    }

    private interface Measure {
        double run() throws Exception;
    }

    private void pairs(String what, String peer, double goal, Measure theirs, Measure ours) throws Exception {
        double[] ratios = new double[rounds];
        double[] their = new double[rounds];
        double[] our = new double[rounds];
        theirs.run();
        ours.run();
        for (int i = 0; i < rounds; i++) {
            their[i] = theirs.run();
            our[i] = ours.run();
            ratios[i] = our[i] / their[i];
        }
        figures.add(new MemoryFigure(what, rate(our), peer, rate(their), ratios, Goal.atLeast(goal)));
    }

    private static String rate(double[] rates) {
        return String.format(Locale.ROOT, "%,.0f/s", MemoryFigure.median(rates));
    }
}
