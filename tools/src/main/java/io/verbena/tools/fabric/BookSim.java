package io.verbena.tools.fabric;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs a BookSim2 program, which is not a part of Verbena, and computes how fast it simulates from what it prints. */
public final class BookSim {

    private static final long POLL_MS = 2;
    private static final String NUMBER = "([0-9.]+(?:e[+-]?[0-9]+)?)";
    private static final Pattern CYCLES = Pattern.compile("Time taken is (\\d+) cycles");
    private static final Pattern HOPS = Pattern.compile("Hops average = " + NUMBER);
    private static final Pattern ACCEPTED = Pattern.compile("Accepted flit rate average ?= ?" + NUMBER);

    private final Path program;

    /** With the path of the program. */
    public BookSim(Path program) {
        this.program = program;
    }

    /** The configuration that equals the mesh of the benchmark: dimension order, one-flit packets, uniform traffic. */
    static String configuration(int side, double load) {
        return "topology = mesh;\nk = " + side + ";\nn = 2;\nrouting_function = dor;\nnum_vcs = 4;\nvc_buf_size = 16;\n"
                + "traffic = uniform;\npacket_size = 1;\ninjection_rate = " + load + ";\nsim_type = latency;\n";
    }

    /**
     * Flit-hops per second of processor time in a square mesh.
     *
     * @throws Failure if the program cannot be run or prints something else
     * @throws StopSignal.Stopped if the user requested the end
     */
    public double measure(int side, double load, StopSignal stop) throws Failure, InterruptedException {
        try {
            Path directory = Files.createTempDirectory("verbena-booksim");
            Path configuration = directory.resolve("mesh.cfg");
            Path output = directory.resolve("output");
            try {
                Files.writeString(configuration, configuration(side, load));
                Process process = new ProcessBuilder(program.toAbsolutePath().toString(), configuration.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                Duration busy = await(process, stop);
                return flitHops(Files.readString(output, StandardCharsets.ISO_8859_1), side * side)
                        * 1e9
                        / Math.max(1, Times.nanos(busy));
            } finally {
                Files.deleteIfExists(output);
                Files.deleteIfExists(configuration);
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            throw new Failure("Cannot run BookSim2, '" + program + "': " + e.getMessage(), e);
        }
    }

    /** Waits for the end. The processor time is that of the last look, because the system forgets it when the process ends. */
    private static Duration await(Process process, StopSignal stop) throws InterruptedException {
        Duration busy = Duration.ZERO;
        try {
            while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
                stop.check();
                busy = process.info().totalCpuDuration().orElse(busy);
            }
        } finally {
            process.destroyForcibly();
        }
        return busy;
    }

    /** The flits that routers have forwarded, by the last figures that the program printed. */
    static double flitHops(String output, int nodes) throws Failure {
        return last(CYCLES, output) * last(ACCEPTED, output) * last(HOPS, output) * nodes;
    }

    private static double last(Pattern pattern, String output) throws Failure {
        Matcher matcher = pattern.matcher(output);
        double value = Double.NaN;
        while (matcher.find()) {
            value = Double.parseDouble(matcher.group(1));
        }
        if (Double.isNaN(value)) {
            throw new Failure("BookSim2 did not print '" + pattern.pattern().replaceAll("[(\\\\?].*", "") + "…'");
        }
        return value;
    }
}
