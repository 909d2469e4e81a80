package io.verbena.tools.messaging;

import io.verbena.messaging.Bootstrap;
import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.Meeting;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Ranks as processes of this machine or of others: each runs the same program, and finds the others through this one. */
public final class RankProcesses implements AutoCloseable {

    private static final long SLICE_MS = 50;
    private static final long GRACE_NS = 5_000_000_000L;

    /** Others may look at them while they are started. */
    private final List<Process> processes = new CopyOnWriteArrayList<>();

    private final List<Thread> readers = new ArrayList<>();
    private final StopSignal stop;
    private Optional<Meeting> meeting = Optional.empty();

    /** None yet. */
    public RankProcesses(StopSignal stop) {
        this.stop = stop;
    }

    /**
     * What each rank runs.
     *
     * @param program class, or a Java source file, with its arguments
     * @param jvmOptions for each
     * @param classPath where the program's classes are
     */
    public record Program(List<String> program, List<String> jvmOptions, String classPath) {}

    /**
     * Where the ranks are.
     *
     * @param hosts the host of each rank; an empty text for this machine
     * @param address the address of this machine that the others reach; unused if there are none
     * @param ssh the command that runs another one on a host
     */
    public record Places(List<String> hosts, InetAddress address, List<String> ssh) {

        /** All on this machine. */
        public static Places here(int count) {
            return new Places(Collections.nCopies(count, ""), InetAddress.getLoopbackAddress(), List.of());
        }
    }

    /**
     * Starts them.
     *
     * @param tagged whether each line of output is prefixed with its rank
     */
    public void start(Program program, Places places, boolean tagged, PrintStream out, PrintStream err) throws Failure {
        int count = places.hosts().size();
        try {
            JobSecret secret = JobSecret.random();
            Meeting place = Bootstrap.serve(new InetSocketAddress(places.address(), 0), count, secret);
            meeting = Optional.of(place);
            String address = place.address().getAddress().getHostAddress() + ":"
                    + place.address().getPort();
            for (int rank = 0; rank < count; rank++) {
                Map<String, String> environment = new TreeMap<>();
                environment.put(Bootstrap.RANK, String.valueOf(rank));
                environment.put(Bootstrap.SIZE, String.valueOf(count));
                environment.put(Bootstrap.ADDRESS, address);
                String host = places.hosts().get(rank);
                Process process = host.isEmpty()
                        ? here(command(program), environment, secret)
                        : there(new RemoteShell(places.ssh()).command(host, command(program), environment), secret);
                processes.add(process);
                String tag = tagged ? "[" + rank + "] " : "";
                read(process.getInputStream(), out, tag);
                read(process.getErrorStream(), err, tag);
            }
        } catch (IOException e) {
            throw new Failure("Cannot start the ranks: " + e.getMessage(), e);
        }
    }

    private static Process here(List<String> command, Map<String, String> environment, JobSecret secret)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectInput(ProcessBuilder.Redirect.from(nothing()));
        builder.environment().putAll(environment);
        builder.environment().put(JobSecret.TEXT, secret.text());
        return builder.start();
    }

    private static Process there(List<String> command, JobSecret secret) throws IOException {
        Process process = new ProcessBuilder(command).start();
        try {
            process.getOutputStream().write((secret.text() + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // It has ended already; its exit code and its output say why.
        }
        return process;
    }

    private static File nothing() {
        return new File(File.separatorChar == '/' ? "/dev/null" : "NUL");
    }

    private static List<String> command(Program program) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (RankProcesses.class.desiredAssertionStatus()) {
            command.add("-ea");
        }
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(program.jvmOptions());
        String own = System.getProperty("java.class.path", "");
        String modules = System.getProperty("jdk.module.path", "");
        String all = program.classPath();
        for (String more : List.of(own, modules)) {
            all = more.isEmpty() ? all : all + File.pathSeparator + more;
        }
        command.addAll(List.of("-cp", all));
        command.addAll(program.program());
        return command;
    }

    private void read(InputStream from, PrintStream to, String tag) {
        // A pipe is read in the system: a virtual thread would keep the thread that carries it, and hold up all others.
        readers.add(Thread.ofPlatform().daemon().name("verbena-rank-output").start(() -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    to.println(tag + line);
                }
            } catch (IOException e) {
                to.println(tag + "(cannot read its output: " + e.getMessage() + ")");
            }
        }));
    }

    /**
     * Waits until all have ended. When one fails the others get a few seconds to notice, then they are ended.
     *
     * @throws Failure when one failed; the sentence names the first
     */
    public void await() throws Failure, InterruptedException {
        String failure = "";
        long failedNs = 0;
        while (true) {
            stop.check();
            boolean alive = false;
            for (int rank = 0; rank < processes.size(); rank++) {
                Process process = processes.get(rank);
                if (process.isAlive()) {
                    alive = true;
                    continue;
                }
                meeting.ifPresent(Meeting::close); // a rank that ends has met all others, or never will
                if (process.exitValue() != 0 && failure.isEmpty()) {
                    failure = "Rank " + rank + " ended with exit code " + process.exitValue();
                    failedNs = System.nanoTime();
                }
            }
            if (!alive || !failure.isEmpty() && System.nanoTime() - failedNs > GRACE_NS) {
                break;
            }
            processes.getFirst().waitFor(SLICE_MS, TimeUnit.MILLISECONDS);
            if (!processes.getFirst().isAlive()) {
                Thread.sleep(SLICE_MS);
            }
        }
        close();
        for (Thread reader : readers) {
            reader.join();
        }
        if (!failure.isEmpty()) {
            throw new Failure(failure);
        }
    }

    /** The processes of the ranks, of which some may have ended. */
    public List<ProcessHandle> handles() {
        return processes.stream().map(Process::toHandle).toList();
    }

    /** Exit codes of all that were started, after {@link #close}. */
    public List<Integer> exitCodes() {
        return processes.stream()
                .map(process -> process.onExit().join().exitValue())
                .toList();
    }

    /** Ends those that are still there. */
    @Override
    public void close() {
        meeting.ifPresent(Meeting::close);
        for (Process process : processes) {
            process.destroyForcibly();
        }
    }
}
