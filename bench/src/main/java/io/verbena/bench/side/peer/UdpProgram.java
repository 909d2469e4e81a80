package io.verbena.bench.side.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/** bench/roce/udp.c: UDP packets of the shapes of RoCEv2 in C, without RDMA work. Each run is a process with two threads. */
public final class UdpProgram implements Contestant {

    private static final long LIMIT_S = 60;

    private final Path program;
    private final LongFunction<List<String>> arguments;

    private UdpProgram(LongFunction<List<String>> arguments) throws IOException {
        this.arguments = arguments;
        program = Files.createTempFile("verbena-udp", "");
        program.toFile().deleteOnExit();
        run(List.of("cc", "-O2", "-pthread", "-o", program.toString(), source().toString()));
    }

    /**
     * Writes of one size, one way.
     *
     * @param gso whether a call carries a group of packets
     */
    public static UdpProgram stream(int messageBytes, int mtuBytes, boolean gso) throws IOException {
        return new UdpProgram(messages -> List.of(
                "stream",
                String.valueOf(messageBytes),
                String.valueOf(mtuBytes),
                String.valueOf(messages),
                gso ? "gso" : "single"));
    }

    /** Writes of 8 bytes to and fro; both threads poll. */
    public static UdpProgram pingPong() throws IOException {
        return new UdpProgram(roundTrips -> List.of("pingpong", String.valueOf(roundTrips)));
    }

    private static Path source() {
        Path root = Path.of(System.getProperty("verbena.root", "."));
        Path here = root.resolve("bench/roce/udp.c");
        return Files.exists(here) ? here : Path.of("roce/udp.c");
    }

    @Override
    public long run(long messages) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments.apply(messages));
        return Long.parseLong(run(command).strip());
    }

    private static String run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(command.getFirst() + " failed: " + out.strip());
            }
            return out;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(program);
    }
}
