package io.verbena.bench.side;

import io.verbena.bench.endpoint.MessagingRank;
import io.verbena.bench.side.Row.Candidate;
import io.verbena.bench.side.peer.MpiProgram;
import io.verbena.messaging.Bootstrap;
import io.verbena.messaging.start.JobSecret;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Messages between two ranks of this machine over TCP: ours beside those of Open MPI and MPICH, which run the same programme
 * written in C. Each figure comes of two fresh ranks; rounds of all contestants are interleaved, in the other order every
 * other time.
 */
public final class MessagingComparison {

    /** Maximum time for both ranks to start. */
    private static final Duration START = Duration.ofMinutes(2);

    private static final long LIMIT_S = 60;
    private static final String PROCESSES = "verbena-processes";
    private static final String THREADS = "verbena-threads";

    /** A measurement. */
    private record Case(String name, String operation, Work work, Unit unit, Goal goal) {}

    /** What a rank does: latency or bandwidth, of how many bytes, how often; a bandwidth's count is windows of 16 messages. */
    private record Work(String kind, int bytes, int count) {}

    private static final List<Case> CASES = List.of(
            new Case(
                    "latency-8",
                    "half a round trip, 8 B",
                    new Work("latency", 8, 30_000),
                    Unit.MICROSECONDS,
                    Goal.atMost(1)),
            new Case(
                    "bandwidth-64k",
                    "bandwidth, 64 KiB",
                    new Work("bandwidth", 64 << 10, 2000),
                    Unit.GIGABYTES_PER_SECOND,
                    Goal.atLeast(1)),
            new Case(
                    "bandwidth-4m",
                    "bandwidth, 4 MiB",
                    new Work("bandwidth", 4 << 20, 40),
                    Unit.GIGABYTES_PER_SECOND,
                    Goal.atLeast(1)));

    /** A contestant's name and how its ranks start; the first process prints the figure. */
    private record Lane(String name, Starter starter) {}

    private interface Starter {
        List<Process> start(Case what) throws IOException;
    }

    private final Pattern only;
    private final int rounds;

    /**
     * What to run.
     *
     * @param only is looked for in the names of the measurements
     * @param rounds how often each contestant runs
     */
    public MessagingComparison(Pattern only, int rounds) {
        this.only = only;
        this.rounds = rounds;
    }

    /** Runs it, prints the table and writes the files; returns the exit code. */
    public int run(Path folder, PrintStream out) throws IOException {
        long beginNs = System.nanoTime();
        Path work = Files.createTempDirectory("verbena-messaging");
        work.toFile().deleteOnExit(); // behind what is compiled into it
        List<Lane> lanes = new ArrayList<>(List.of(
                new Lane(PROCESSES, MessagingComparison::processes), new Lane(THREADS, MessagingComparison::threads)));
        Map<String, String> absent = new LinkedHashMap<>();
        List<String> versions = new ArrayList<>();
        enter(lanes, absent, versions, "open-mpi", () -> MpiProgram.openMpi(work));
        enter(lanes, absent, versions, "mpich", () -> MpiProgram.mpich(work));

        List<Outcome> outcomes = new ArrayList<>();
        Map<String, Samples> samples = new LinkedHashMap<>();
        for (Case what : CASES) {
            if (only.matcher(what.name()).find()) {
                Samples reported = measure(what, lanes, absent, out);
                samples.put(what.name(), reported);
                outcomes.add(Outcome.of(row(what, "Open MPI", "open-mpi"), samples));
                outcomes.add(Outcome.of(row(what, "MPICH", "mpich"), samples));
            }
        }
        Report report = new Report("messaging-side-by-side", circumstances(versions), outcomes, samples);
        return report.publish(folder, out, beginNs);
    }

    private interface Compiler {
        MpiProgram make() throws IOException;
    }

    private static void enter(
            List<Lane> lanes, Map<String, String> absent, List<String> versions, String name, Compiler compiler) {
        try {
            MpiProgram program = compiler.make();
            lanes.add(new Lane(
                    name,
                    what -> List.of(program.start(
                            what.work().kind(), what.work().bytes(), what.work().count()))));
            versions.add(program.version());
        } catch (IOException e) {
            absent.put(name, String.valueOf(e.getMessage()).replace('\n', ' '));
        }
    }

    private static Row row(Case what, String peer, String theirs) {
        return new Row(
                what.operation(),
                peer,
                what.unit(),
                what.goal(),
                List.of(
                        new Candidate(what.name(), "two processes", PROCESSES, theirs),
                        new Candidate(what.name(), "two threads", THREADS, theirs)));
    }

    private Samples measure(Case what, List<Lane> lanes, Map<String, String> absent, PrintStream out)
            throws IOException {
        Samples samples = new Samples();
        absent.forEach((name, reason) -> samples.take("absent " + name + " " + reason));
        for (int round = 0; round < rounds; round++) {
            out.printf(Locale.ROOT, "%-14s %d/%d", what.name(), round + 1, rounds);
            for (Lane lane : round % 2 == 0 ? lanes : lanes.reversed()) {
                double value = one(lane, what) * (what.unit().moreIsBetter ? 1e-9 : 1e-3);
                samples.take("sample " + lane.name() + " " + value);
                out.printf(Locale.ROOT, "  %s %.2f", lane.name(), value);
                out.flush();
            }
            out.println();
        }
        samples.take("done");
        return samples;
    }

    private static double one(Lane lane, Case what) throws IOException {
        List<Process> processes = lane.starter().start(what);
        try {
            for (Process process : processes) { // before reading, which might never end
                if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
                    throw new IOException(lane.name() + " did not end in time at " + what.name());
                }
            }
            String said =
                    new String(processes.getFirst().getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (processes.stream().anyMatch(process -> process.exitValue() != 0)) {
                throw new IOException(lane.name() + " failed at " + what.name() + "; its output: " + said);
            }
            return Double.parseDouble(said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static List<Process> processes(Case what) throws IOException {
        JobSecret secret = JobSecret.random();
        InetSocketAddress meeting = Bootstrap.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2, secret, START)
                .address();
        List<Process> processes = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            ProcessBuilder builder = java(what);
            builder.environment().put(Bootstrap.RANK, String.valueOf(rank));
            builder.environment().put(Bootstrap.SIZE, "2");
            builder.environment().put(JobSecret.TEXT, secret.text());
            builder.environment()
                    .put(Bootstrap.ADDRESS, meeting.getAddress().getHostAddress() + ":" + meeting.getPort());
            processes.add(builder.start());
        }
        return processes;
    }

    private static List<Process> threads(Case what) throws IOException {
        return List.of(java(what).start());
    }

    private static ProcessBuilder java(Case what) {
        return new ProcessBuilder(Children.java(
                        List.of(),
                        MessagingRank.class.getName(),
                        List.of(
                                what.work().kind(),
                                String.valueOf(what.work().bytes()),
                                String.valueOf(what.work().count()))))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    private List<String> circumstances(List<String> versions) {
        List<String> sentences = new ArrayList<>(Machine.place(rounds + " interleaved rounds"));
        sentences.add(
                "Two ranks, each figure from a fresh start of both. Verbena's ranks are two processes or two threads"
                        + " (the better is shown, the JSON file has both), each drives its own adapter (INLINE) after a warm-up;"
                        + " the others' are two processes that poll.");
        sentences.add("Bandwidth: windows of 16 messages, then a word back. Socket buffers: everybody's own choice.");
        versions.forEach(version -> sentences.add(version + ": TCP over lo, no shared memory."));
        return sentences;
    }
}
