package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.Seeds;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One side of a connection is killed, or stopped for a while, after each step of its {@link Life}. A stop changes nothing. The death of
 * a process looks as it does over TCP: a reset if the process had not read all bytes, an end of the stream after everything that it has written otherwise.
 *
 * <p>Every run takes one step for each side and signal; {@code -Dverbena.seeds=2} or more runs all of them, and {@code -Dverbena.stopped=SECONDS} lets a
 * stop last longer than until the other side waits. {@code -Dverbena.full=true} also kills processes over RoCE, where no system ends the connections of a
 * process: a death is noticed by its silence, after 5 to 30 s, as a reset.
 */
@Timeout(900)
class DeathTableTest {

    private static final String THE_END = "the end";
    private static final Duration STOPPED = Duration.ofSeconds(Integer.getInteger("verbena.stopped", 0));

    /** What the survivor of a killed process sees. */
    private enum Fate {
        REFUSED,
        /** An end of the stream that the program of the peer has not made. */
        END,
        /** A failure of a read or write. */
        RESET,
        /** Everything that the survivor still does succeeds. */
        LIVED;

        static Fate of(String seen) {
            if (seen.equals("lived")) {
                return LIVED;
            }
            String what = seen.substring(seen.indexOf(": ") + 2);
            return switch (what) {
                case THE_END -> END;
                case "java.net.ConnectException" -> REFUSED;
                case "java.io.IOException", "java.net.SocketException: Connection reset" -> RESET;
                default -> throw new AssertionError(seen);
            };
        }
    }

    /**
     * When a side is struck: after a step of its own.
     *
     * @param before the step of the survivor before which it waits until the other side was struck
     * @param fate what the survivor sees if the other is killed
     */
    private record Strike(Life.Step after, Life.Step before, Fate fate) {

        /** What the survivor sees over this carrier. Over RoCE no end is made for a process that has not made it. */
        Fate over(String carrier) {
            boolean endIsMissing = fate == Fate.END || after == Life.Step.WRITE_LAST || after == Life.Step.READ_REST;
            return carrier.equals("roce") && endIsMissing ? Fate.RESET : fate;
        }

        /**
         * What the survivor has seen, as the table states it. The process is killed as soon as its write has returned: bytes that have not left it are
         * lost, and where it could not state that any more, the survivor reads the end in their place.
         */
        Fate seen(String carrier, Fate fate) {
            boolean mayLose = !carrier.equals("ring") && after == Life.Step.END_LARGE_WRITE && this.fate == Fate.RESET;
            return mayLose && fate == Fate.END ? this.fate : fate;
        }
    }

    private static final List<Strike> AT_THE_SERVER = List.of(
            new Strike(Life.Step.BIND, Life.Step.CONNECT, Fate.REFUSED),
            new Strike(Life.Step.ACCEPT, Life.Step.WRITE_REQUEST, Fate.END),
            new Strike(Life.Step.READ_REQUEST, Life.Step.READ_ANSWER, Fate.END),
            new Strike(Life.Step.WRITE_ANSWER, Life.Step.READ_ANSWER, Fate.RESET),
            new Strike(Life.Step.READ_HALF, Life.Step.END_LARGE_WRITE, Fate.RESET),
            new Strike(Life.Step.READ_REST, Life.Step.READ_HALF, Fate.END),
            new Strike(Life.Step.BEGIN_LARGE_WRITE, Life.Step.READ_HALF, Fate.END),
            new Strike(Life.Step.END_LARGE_WRITE, Life.Step.SHUT_OUTPUT, Fate.END),
            new Strike(Life.Step.READ_END, Life.Step.READ_LAST, Fate.END),
            new Strike(Life.Step.WRITE_LAST, Life.Step.READ_LAST, Fate.LIVED),
            new Strike(Life.Step.CLOSE, Life.Step.READ_LAST, Fate.LIVED));

    private static final List<Strike> AT_THE_CLIENT = List.of(
            new Strike(Life.Step.CONNECT, Life.Step.ACCEPT, Fate.END),
            new Strike(Life.Step.WRITE_REQUEST, Life.Step.READ_REQUEST, Fate.END),
            new Strike(Life.Step.READ_ANSWER, Life.Step.READ_HALF, Fate.END),
            new Strike(Life.Step.BEGIN_LARGE_WRITE, Life.Step.READ_HALF, Fate.END),
            new Strike(Life.Step.END_LARGE_WRITE, Life.Step.BEGIN_LARGE_WRITE, Fate.RESET),
            new Strike(Life.Step.READ_HALF, Life.Step.END_LARGE_WRITE, Fate.RESET),
            new Strike(Life.Step.READ_REST, Life.Step.READ_END, Fate.LIVED),
            new Strike(Life.Step.SHUT_OUTPUT, Life.Step.READ_END, Fate.LIVED),
            new Strike(Life.Step.READ_LAST, Life.Step.CLOSE, Fate.LIVED));

    private static final Map<String, SocketTransport> TRANSPORTS = Map.of(
            "shm", SocketTransport.SHARED_MEMORY,
            "ring", SocketTransport.SHARED_MEMORY,
            "iwarp", SocketTransport.IWARP,
            "roce", SocketTransport.ROCE);

    /** What survivors see over the provider of the JDK. */
    private static final Map<String, String> OVER_TCP = new ConcurrentHashMap<>();

    private static final boolean FULL = Boolean.getBoolean("verbena.full");

    /** Kills at the same time over RoCE, where the survivor mostly waits. */
    private static final int AT_ONCE = 5;

    static Stream<Arguments> kills() {
        return Stream.of("shm", "ring", "iwarp", "roce")
                .filter(carrier -> FULL || !carrier.equals("roce"))
                .flatMap(carrier -> Stream.of(true, false).map(server -> Arguments.of(carrier, server)));
    }

    private static List<Strike> strikes(boolean server) {
        List<Strike> every = server ? AT_THE_SERVER : AT_THE_CLIENT;
        SplittableRandom random = new SplittableRandom(Seeds.one(server ? 1 : 2));
        return FULL || Integer.getInteger("verbena.seeds", 1) > 1
                ? every
                : List.of(every.get(random.nextInt(every.size())));
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @MethodSource("kills")
    void killed_survivorSeesWhatTcpShows(String carrier, boolean server, TestReporter reporter) throws Exception {
        TreeMap<String, String> expected = new TreeMap<>();
        TreeMap<String, Future<Survival>> survivals = new TreeMap<>();
        TreeMap<String, String> seen = new TreeMap<>();
        TreeMap<String, Strike> struck = new TreeMap<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(carrier.equals("roce") ? AT_ONCE : 1)) {
            for (Strike strike : strikes(server)) {
                String name = (server ? "server" : "client") + " killed after " + strike.after();
                String tcp = overTcp(server, strike);
                assertEquals(strike.fate(), Fate.of(tcp), name);
                boolean refused = strike.fate() == Fate.REFUSED;
                SocketTransport transport = refused ? SocketTransport.NONE : TRANSPORTS.get(carrier);
                expected.put(name, strike.over(carrier) + " by " + transport);
                struck.put(name, strike);
                survivals.put(name, threads.submit(() -> survive(carrier, server, strike, ChildJvm.KILL)));
                reporter.publishEntry(name, "TCP: " + tcp);
            }
            for (Map.Entry<String, Future<Survival>> each : survivals.entrySet()) {
                Survival ours = each.getValue().get();
                Fate fate = Objects.requireNonNull(struck.get(each.getKey())).seen(carrier, Fate.of(ours.seen()));
                seen.put(each.getKey(), fate + " by " + ours.transport());
                reporter.publishEntry(each.getKey(), ours.transport() + ": " + ours.seen());
            }
        }
        assertEquals(expected, seen);
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @CsvSource({
        "shm, true",
        "shm, false",
        "ring, true",
        "ring, false",
        "iwarp, true",
        "iwarp, false",
        "roce, true",
        "roce, false"
    })
    void stopped_bothSidesLiveOn(String carrier, boolean server, TestReporter reporter) throws Exception {
        TreeMap<String, String> expected = new TreeMap<>();
        TreeMap<String, String> seen = new TreeMap<>();
        for (Strike strike : strikes(server)) {
            String name = (server ? "server" : "client") + " stopped after " + strike.after();
            Survival ours = survive(carrier, server, strike, ChildJvm.STOP);
            expected.put(name, "lived, the other lived");
            seen.put(name, ours.seen());
            reporter.publishEntry(name, ours.transport() + ": " + ours.seen());
        }
        assertEquals(expected, seen);
    }

    private static String overTcp(boolean server, Strike strike) throws Exception {
        String known = OVER_TCP.get(server + " " + strike);
        if (known == null) {
            known = survive("plain", server, strike, ChildJvm.KILL).seen();
            OVER_TCP.put(server + " " + strike, known);
        }
        return known;
    }

    /** What the survivor has seen, and what carried the connection. */
    private record Survival(String seen, SocketTransport transport) {}

    private static Survival survive(String carrier, boolean serverIsStruck, Strike strike, String signal)
            throws Exception {
        List<Process> other = new ArrayList<>();
        CompletableFuture<String> rest = new CompletableFuture<>();
        InetSocketAddress here = address(carrier);
        InetSocketAddress server = serverIsStruck ? start(other, rest, carrier, here, strike, signal) : here;
        try (Life life = new Life(Life.provider(carrier), server, bound -> {
            try {
                start(other, rest, carrier, new InetSocketAddress(here.getAddress(), bound), strike, signal);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        })) {
            String seen = "lived";
            SocketTransport transport = SocketTransport.NONE;
            for (Life.Step step : serverIsStruck ? Life.CLIENT : Life.SERVER) {
                if (step == strike.before()) {
                    awaitStruck(other.getFirst(), signal);
                    transport = life.transport();
                }
                String outcome = signal.equals(ChildJvm.KILL)
                        ? outcome(life, step)
                        : step == strike.before() ? whileStopped(life, step, other.getFirst()) : outcome(life, step);
                transport = life.transport() == SocketTransport.NONE ? transport : life.transport();
                if (!outcome.isEmpty()) {
                    seen = step + ": " + outcome;
                    break;
                }
            }
            return new Survival(signal.equals(ChildJvm.KILL) ? seen : seen + ", the other " + rest.get(), transport);
        } finally {
            other.forEach(Process::destroyForcibly);
        }
    }

    /** Runs a step of the survivor while the other side is stopped, until it waits or has ended. */
    private static String whileStopped(Life life, Life.Step step, Process other) throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> outcome.complete(outcome(life, step)));
        Stage.awaitBlocked(thread);
        if (!STOPPED.isZero()) {
            thread.join(STOPPED);
        }
        ChildJvm.signal(other.pid(), ChildJvm.CONT);
        return outcome.get();
    }

    private static String outcome(Life life, Life.Step step) {
        return Stage.tryOut(() -> {
            try {
                life.run(step);
                return "";
            } catch (EOFException e) {
                return THE_END;
            }
        });
    }

    /** An RNIC over RoCE has an address of its own. */
    private static InetSocketAddress address(String carrier) {
        return carrier.equals("roce") ? new InetSocketAddress(Stage.freeAddress(), 0) : Stage.anyPort();
    }

    /** Starts the other side; returns the address of the server. */
    private static InetSocketAddress start(
            List<Process> others,
            CompletableFuture<String> rest,
            String carrier,
            InetSocketAddress server,
            Strike strike,
            String signal)
            throws IOException {
        Process other = ChildJvm.start(
                Life.Victim.class,
                carrier,
                server.getAddress().getHostAddress(),
                server.getPort(),
                strike.after(),
                signal);
        others.add(other);
        BufferedReader lines = other.inputReader();
        InetSocketAddress bound = server.getPort() == 0
                ? new InetSocketAddress(server.getAddress(), Integer.parseInt(lines.readLine()))
                : server;
        Thread.ofVirtual().start(() -> {
            try {
                rest.complete(String.valueOf(lines.readLine()));
            } catch (IOException e) {
                rest.complete(e.toString());
            }
        });
        return bound;
    }

    private static void awaitStruck(Process other, String signal) throws Exception {
        if (signal.equals(ChildJvm.KILL)) {
            other.waitFor();
        } else {
            while (other.isAlive() && state(other) != 'T') {
                Thread.yield();
            }
        }
    }

    private static char state(Process process) {
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'X'; // it has ended
        }
    }
}
