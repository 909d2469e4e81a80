package io.verbena.bench.tcp;

import io.verbena.bench.tcp.Table.Bound;
import java.io.IOException;
import java.util.function.Consumer;

/** Writes of Verbena over the TCP of the library, beside those over the TCP of the system through veth. */
final class WriteRows {

    private static final int BYTES = 64 * 1024;
    private static final int SMALL = 8;
    private static final String CRC = "--crc";

    private final Table table;
    private final Programs programs;
    private final int pairs;
    private final Consumer<String> progress;

    WriteRows(Table table, Programs programs, int pairs, Consumer<String> progress) {
        this.table = table;
        this.programs = programs;
        this.pairs = pairs;
        this.progress = progress;
    }

    void run() throws IOException, InterruptedException {
        rows();
        programs.perfServer(true, Wires.FAR, 7101);
        programs.perfServer(true, Wires.FAR, 7102, "--inline");
        programs.perfServer(true, Wires.FAR, 7103, "--inline", "--tcp", "udp");
        programs.perfServer(false, Wires.FIRST_SYSTEM, 7104);
        programs.perfServer(false, Wires.FIRST_SYSTEM, 7105, "--inline");
        programs.perfServer(false, Wires.SECOND_RNIC, 7106, "--tcp", "tun", "--device", Wires.SECOND);
        for (int pair = 0; pair < pairs; pair++) {
            progress.accept("Writes, pair " + (pair + 1));
            write("verbena kernel", Wires.FAR, 7101);
            write("verbena tun", Wires.FIRST_SYSTEM, 7104, "--tcp", "tun");
            write("verbena kernel, CRC", Wires.FAR, 7101, CRC);
            write("verbena tun, CRC", Wires.FIRST_SYSTEM, 7104, "--tcp", "tun", CRC);
            write("two engines", Wires.SECOND_RNIC, 7106, "--tcp", "tun");
            latency("verbena kernel latency", Wires.FAR, 7102);
            latency("verbena udp latency", Wires.FAR, 7103, "--tcp", "udp");
            latency("verbena tun latency", Wires.FIRST_SYSTEM, 7105, "--tcp", "tun");
        }
    }

    private void write(String name, String server, int port, String... options)
            throws IOException, InterruptedException {
        Programs.Result result = programs.perf("write_bw", server, port, BYTES, options);
        table.sample(name, result.number("bytesPerSecond") / 1e9);
        table.sample(name + ", CPU", result.number("cpuNsPerMessage") / BYTES);
    }

    private void latency(String name, String server, int port, String... options)
            throws IOException, InterruptedException {
        table.sample(
                name, programs.perf("write_lat", server, port, SMALL, options).number("p50") / 1e3);
    }

    private void rows() {
        row("64 KiB Writes over TUN beside TCP over veth", "verbena tun", "kernel out", 0.4);
        row("the same with CRC", "verbena tun, CRC", "kernel out", 0.3);
        row("64 KiB Writes between two engines beside Verbena over veth", "two engines", "verbena kernel", 0.5);
        row("64 KiB Writes over TUN beside Verbena over veth", "verbena tun", "verbena kernel", Double.NaN);
        row("the same with CRC", "verbena tun, CRC", "verbena kernel, CRC", Double.NaN);
        table.row(
                "CPU of the sender, 64 KiB Writes over TUN",
                "ns/B",
                "verbena tun, CPU",
                "verbena kernel, CPU",
                Bound.AT_MOST,
                Double.NaN);
        latencyRow("8 B Writes over TUN, INLINE", "verbena tun latency");
        latencyRow("8 B Writes over TCP in UDP, INLINE", "verbena udp latency");
    }

    private void row(String title, String ours, String theirs, double goal) {
        table.row(title, "GB/s", ours, theirs, Bound.AT_LEAST, goal);
    }

    private void latencyRow(String title, String ours) {
        table.row(title, "us", ours, "verbena kernel latency", Bound.AT_MOST, 1);
    }
}
