package io.verbena.bench;

import io.verbena.messaging.Bootstrap;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Messages between two processes of this machine over TCP: ours beside Open MPI (btl tcp,self) and MPICH (no shared memory), in
 * interleaved rounds of one run. Open MPI and MPICH are left out where they are not installed (Debian: openmpi-bin,
 * libopenmpi-dev, mpich, libmpich-dev).
 *
 * <pre>java -cp bench/target/quick/verbena-bench.jar io.verbena.bench.MessagingSideBySide [ROUNDS]</pre>
 */
public final class MessagingSideBySide {

    private static final int DEFAULT_ROUNDS = 7;
    private static final long LONGEST_SECONDS = 60;

    private MessagingSideBySide() {}

    /** A measurement: what, of how many bytes, how often. */
    private record Case(String name, String kind, int bytes, int count, boolean lowerIsBetter) {}

    private static final List<Case> CASES = List.of(
            new Case("8 B, half a round trip, µs", "latency", 8, 20_000, true),
            new Case("64 KiB, GB/s", "bandwidth", 64 << 10, 1000, false),
            new Case("4 MiB, GB/s", "bandwidth", 4 << 20, 30, false));

    private interface Contestant {
        List<Process> start(Case what) throws IOException;
    }

    public static void main(String[] args) throws Exception {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : DEFAULT_ROUNDS;
        Path folder = Files.createTempDirectory("verbena-messaging");
        List<String> names = new ArrayList<>(List.of("Verbena"));
        List<Contestant> contestants = new ArrayList<>(List.of(MessagingSideBySide::verbena));
        Path openMpi = compile("mpicc.openmpi", folder.resolve("pingpong.openmpi"));
        if (openMpi != null) {
            names.add("Open MPI");
            contestants.add(what -> mpi(
                    what,
                    openMpi,
                    "mpirun.openmpi",
                    "--allow-run-as-root",
                    "--oversubscribe",
                    "--mca",
                    "btl",
                    "tcp,self",
                    "--mca",
                    "pml",
                    "ob1",
                    "-n",
                    "2"));
        }
        Path mpich = compile("mpicc.mpich", folder.resolve("pingpong.mpich"));
        if (mpich != null) {
            names.add("MPICH");
            // Which netmod a build has decides which of the names it reads.
            contestants.add(what -> mpi(
                    what,
                    mpich,
                    "env",
                    "MPIR_CVAR_NOLOCAL=1",
                    "MPIR_CVAR_CH4_SHM_ENABLE=0",
                    "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ=0",
                    "FI_PROVIDER=tcp",
                    "UCX_TLS=tcp,self",
                    "mpirun.mpich",
                    "-n",
                    "2"));
        }
        for (Case what : CASES) {
            double[][] values = new double[contestants.size()][rounds];
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < contestants.size(); i++) {
                    values[i][round] = run(contestants.get(i), what);
                }
            }
            print(what, names, values);
        }
    }

    private static void print(Case what, List<String> names, double[][] values) {
        System.out.println(what.name());
        double scale = what.lowerIsBetter() ? 1e-3 : 1e-9;
        double[] ours = values[0];
        for (int i = 0; i < names.size(); i++) {
            double[] ratios = new double[ours.length];
            for (int k = 0; k < ratios.length; k++) {
                ratios[k] = what.lowerIsBetter() ? values[i][k] / ours[k] : ours[k] / values[i][k];
            }
            System.out.printf(
                    Locale.ROOT,
                    "  %-10s %8.2f  (%.2f to %.2f)   Verbena is %.2f times as good (%.2f to %.2f)%n",
                    names.get(i),
                    median(values[i]) * scale,
                    least(values[i]) * scale,
                    most(values[i]) * scale,
                    median(ratios),
                    least(ratios),
                    most(ratios));
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double least(double[] values) {
        return Arrays.stream(values).min().orElse(Double.NaN);
    }

    private static double most(double[] values) {
        return Arrays.stream(values).max().orElse(Double.NaN);
    }

    private static double run(Contestant contestant, Case what) throws Exception {
        List<Process> processes = contestant.start(what);
        try {
            String said =
                    new String(processes.getFirst().getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            for (Process process : processes) {
                if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new IOException("a contestant failed at " + what.name() + "; it said: " + said);
                }
            }
            return Double.parseDouble(said);
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static List<Process> verbena(Case what) throws IOException {
        InetSocketAddress meeting = Bootstrap.serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
        List<Process> processes = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    MessagingRank.class.getName(),
                    what.kind(),
                    String.valueOf(what.bytes()),
                    String.valueOf(what.count()));
            builder.environment().put(Bootstrap.RANK, String.valueOf(rank));
            builder.environment().put(Bootstrap.SIZE, "2");
            builder.environment()
                    .put(Bootstrap.ADDRESS, meeting.getAddress().getHostAddress() + ":" + meeting.getPort());
            processes.add(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        }
        return processes;
    }

    private static List<Process> mpi(Case what, Path program, String... launcher) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher));
        command.addAll(
                List.of(program.toString(), what.kind(), String.valueOf(what.bytes()), String.valueOf(what.count())));
        return List.of(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The compiled program, or null where there is no such compiler. */
    private static @org.jspecify.annotations.Nullable Path compile(String compiler, Path to) throws Exception {
        try {
            Process process = new ProcessBuilder(compiler, "-O2", "-o", to.toString(), source().toString())
                    .inheritIO()
                    .start();
            return process.waitFor() == 0 ? to : null;
        } catch (IOException e) {
            System.err.println(compiler + " is not installed: left out.");
            return null;
        }
    }

    private static Path source() {
        Path here = Path.of("bench", "messaging", "pingpong.c");
        return Files.exists(here) ? here : Path.of("messaging", "pingpong.c");
    }
}
