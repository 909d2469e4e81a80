package io.verbena.bench.disk;

import io.verbena.bench.side.Spread;
import io.verbena.bench.sockets.OtherJvm;
import io.verbena.storage.client.KeyUse;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Random reads of a file in the page cache of one JVM by another, 32 in flight: over shared memory, over iWARP, and by a server of blocks with
 * the channels of the JDK. The contestants run in turn; a figure is the median of the rounds, a ratio the median of the ratios in each round.
 * {@code --short} reads a twentieth, {@code --per-memory} uses one key for all reads, {@code --only CONTESTANT} runs one.
 */
public final class DiskFigures {
    private static final long FILE_BYTES = 256L << 20;
    private static final int ROUNDS = 7;
    private static final int READS_OF_4_KIB = 200_000;
    private static final int READS_OF_64_KIB = 20_000;
    private static final int SHORTER = 20;

    private DiskFigures() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> words = List.of(arguments);
        boolean json = words.contains("--json");
        int part = words.contains("--short") ? SHORTER : 1;
        KeyUse keys = words.contains("--per-memory") ? KeyUse.PER_MEMORY : KeyUse.PER_COMMAND;
        List<Contestant> contestants = words.contains("--only")
                ? List.of(Contestant.valueOf(
                        words.get(words.indexOf("--only") + 1).toUpperCase(Locale.ROOT)))
                : List.of(Contestant.values());
        Path file = Files.createTempFile("verbena-disk", ".bin");
        Map<Contestant, OtherJvm> servers = new EnumMap<>(Contestant.class);
        Map<Contestant, BlockReader> readers = new EnumMap<>(Contestant.class);
        try {
            fill(file);
            for (Contestant contestant : contestants) {
                OtherJvm server = new OtherJvm(List.of(), DiskSide.class, contestant.name(), file.toString());
                servers.put(contestant, server);
                readers.put(contestant, BlockReader.open(contestant, server.number(), FILE_BYTES, keys));
            }
            List<String> rows = new ArrayList<>();
            rows.add(row("read-4k", 4096, measure(readers, READS_OF_4_KIB / part, 4096), json));
            rows.add(row("read-64k", 65_536, measure(readers, READS_OF_64_KIB / part, 65_536), json));
            System.out.println(json ? "[" + String.join(",\n ", rows) + "]" : String.join("\n", rows));
        } finally {
            servers.values().forEach(OtherJvm::close);
            Files.delete(file);
        }
        System.exit(0);
    }

    /** No holes: all pages are in the page cache. */
    private static void fill(Path file) throws IOException {
        byte[] part = new byte[1 << 20];
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at = 0; at < FILE_BYTES; at += part.length) {
                Arrays.fill(part, (byte) (at >> 20));
                out.write(part);
            }
        }
    }

    private static Map<Contestant, double[]> measure(Map<Contestant, BlockReader> readers, int count, int lengthBytes)
            throws IOException, InterruptedException {
        Map<Contestant, double[]> perSecond = new EnumMap<>(Contestant.class);
        for (int round = -1; round < ROUNDS; round++) {
            for (Map.Entry<Contestant, BlockReader> reader : readers.entrySet()) {
                long ns = reader.getValue().read(count, lengthBytes);
                if (round >= 0) {
                    perSecond.computeIfAbsent(reader.getKey(), _ -> new double[ROUNDS])[round] = count * 1e9 / ns;
                }
            }
        }
        return perSecond;
    }

    private static String row(String name, int lengthBytes, Map<Contestant, double[]> perSecond, boolean json) {
        StringBuilder text = new StringBuilder(json ? "{\"name\":\"" + name + "\"" : String.format("%-10s", name));
        double[] nothing = new double[ROUNDS];
        Arrays.fill(nothing, Double.NaN);
        double[] nio = perSecond.getOrDefault(Contestant.NIO, nothing);
        perSecond.forEach((contestant, each) -> text.append(String.format(
                Locale.ROOT,
                json ? ",\"%s\":{\"perSecond\":%.0f,\"timesNio\":%.3f}" : "  %5s %,9.0f/s (%.2f of NIO)",
                contestant.name().toLowerCase(Locale.ROOT),
                Spread.of(each).median(),
                Spread.ofRatios(each, nio).median())));
        return json ? text.append(",\"bytes\":" + lengthBytes + "}").toString() : text.toString();
    }
}
