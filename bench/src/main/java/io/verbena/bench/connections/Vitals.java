package io.verbena.bench.connections;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process holds of its system, as Linux shows it.
 *
 * @param residentKb memory in RAM
 * @param descriptors open files and sockets
 * @param threads threads
 */
record Vitals(long residentKb, int descriptors, int threads) {

    static Vitals of(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        long resident = 0;
        int threads = 0;
        for (String line : Files.readAllLines(process.resolve("status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = number(line);
            } else if (line.startsWith("Threads:")) {
                threads = (int) number(line);
            }
        }
        try (Stream<Path> open = Files.list(process.resolve("fd"))) {
            return new Vitals(resident, (int) open.count(), threads);
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }

    @Override
    public String toString() {
        return residentKb / 1024 + " MiB, " + descriptors + " descriptors, " + threads + " threads";
    }
}
