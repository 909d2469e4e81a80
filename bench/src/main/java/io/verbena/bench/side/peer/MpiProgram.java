package io.verbena.bench.side.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * bench/messaging/mpi.c compiled for one implementation of MPI, and its options to use TCP over loopback and nothing
 * else, or shared memory and nothing else.
 *
 * @param name of the implementation
 * @param version its version, one line
 * @param launcher the command that starts two ranks
 * @param environment that its ranks need
 * @param program what was compiled
 */
public record MpiProgram(
        String name, String version, List<String> launcher, Map<String, String> environment, Path program) {

    private static final long COMPILE_LIMIT_S = 60;

    /** Debian: openmpi-bin, libopenmpi-dev. */
    public static MpiProgram openMpi(Path folder) throws IOException {
        return openMpi(folder, "tcp,self", "--mca", "btl_tcp_if_include", "lo");
    }

    /** The same through shared memory. */
    public static MpiProgram openMpiShared(Path folder) throws IOException {
        return openMpi(folder, "vader,self");
    }

    private static MpiProgram openMpi(Path folder, String transports, String... more) throws IOException {
        Path program = compile("mpicc.openmpi", "openmpi-bin libopenmpi-dev", folder.resolve("mpi.openmpi"));
        List<String> launcher = new ArrayList<>(List.of("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"));
        launcher.addAll(List.of("--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", transports));
        launcher.addAll(List.of(more));
        launcher.addAll(List.of("--mca", "mpi_yield_when_idle", "0", "-n", "2"));
        return new MpiProgram("Open MPI", firstLine("mpirun.openmpi", "--version"), launcher, Map.of(), program);
    }

    /** Debian: mpich, libmpich-dev; its device is UCX, restricted to TCP. */
    public static MpiProgram mpich(Path folder) throws IOException {
        return mpich(
                folder,
                Map.of(
                        "MPIR_CVAR_NOLOCAL", "1",
                        "MPIR_CVAR_CH4_SHM_ENABLE", "0",
                        "UCX_TLS", "tcp,self",
                        "UCX_NET_DEVICES", "lo",
                        "UCX_WARN_UNUSED_ENV_VARS", "n"));
    }

    /** The same through shared memory. */
    public static MpiProgram mpichShared(Path folder) throws IOException {
        return mpich(folder, Map.of("UCX_TLS", "posix,self", "UCX_WARN_UNUSED_ENV_VARS", "n"));
    }

    private static MpiProgram mpich(Path folder, Map<String, String> environment) throws IOException {
        Path program = compile("mpicc.mpich", "mpich libmpich-dev", folder.resolve("mpi.mpich"));
        return new MpiProgram(
                "MPICH", firstLine("mpichversion"), List.of("mpirun.mpich", "-n", "2"), environment, program);
    }

    /** Starts two ranks of it; the first prints one number. */
    public Process start(String kind, int bytes, int count) throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(program.toString(), kind, String.valueOf(bytes), String.valueOf(count)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("UCX_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static Path compile(String compiler, String packages, Path to) throws IOException {
        if (!UcxPerftest.installed(compiler)) {
            throw new IllegalStateException(compiler + " is not installed (Debian: apt-get install " + packages + ")");
        }
        Path words = Files.createTempFile("mpicc", ".txt");
        try {
            Process process = new ProcessBuilder(compiler, "-O2", "-w", "-o", to.toString(), source().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(words.toFile())
                    .start();
            to.toFile().deleteOnExit();
            if (await(process) != 0) {
                throw new IOException(compiler + " could not compile " + source() + ": " + reason(words)
                        + " (Debian: apt-get install " + packages + " gcc libc6-dev)");
            }
        } finally {
            Files.deleteIfExists(words);
        }
        return to;
    }

    /** The line of a compiler's output that states what is missing. */
    private static String reason(Path words) throws IOException {
        List<String> lines = Files.readAllLines(words);
        return lines.stream()
                .filter(line -> line.contains("error") || line.contains("not found") || line.contains("No such file"))
                .findFirst()
                .orElse(lines.isEmpty() ? "it printed nothing" : lines.getLast())
                .strip();
    }

    private static Path source() {
        Path root = Path.of(System.getProperty("verbena.root", "."));
        Path here = root.resolve("bench/messaging/mpi.c");
        return Files.exists(here) ? here : Path.of("messaging/mpi.c");
    }

    private static String firstLine(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        await(process);
        return text.lines().findFirst().orElse("").replaceAll("\\s+", " ").strip();
    }

    private static int await(Process process) throws IOException {
        try {
            if (process.waitFor(COMPILE_LIMIT_S, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        throw new IOException("it did not end in time");
    }
}
