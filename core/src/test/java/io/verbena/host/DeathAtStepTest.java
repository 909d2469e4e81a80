package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fixture.Seeds;
import io.verbena.host.SteppedMemory.Step;
import io.verbena.host.system.Machine;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process is killed by signal 9 at a step of the set-up of a connection through shared memory, while payload is lent, or while each
 * side accesses memory of the other directly, by
 * itself or by the survivor at a step of its own. The survivor completes its work, remains usable, and nothing is left.
 *
 * <p>Every run takes a fresh step for each role; {@code -Dverbena.seeds=2} or more runs all of them.
 */
class DeathAtStepTest {

    /** Messages after which the survivor kills a victim whose step is not one of its role. */
    private static final int MESSAGES = 300;

    /** Bound of docs/shared-memory.md for the completion of all work after the process of the peer has gone. */
    private static final long COMPLETE_MS = 5_000;

    private static final Duration SOON = Duration.ofMillis(100);

    /** One case: whether both sides access memory directly, what the victim does, who kills it, and when. */
    private record Death(boolean direct, boolean connects, boolean itself, Step step) {}

    /** The victim: prints its port if it listens, and echoes until it is killed. */
    static final class Victim {

        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            Optional<Step> fatal = arguments[1].isEmpty() ? Optional.empty() : Optional.of(Step.valueOf(arguments[1]));
            boolean direct = Boolean.parseBoolean(arguments[2]);
            try (Rnic rnic = SteppedMemory.open(direct, step -> {
                if (fatal.equals(Optional.of(step))) {
                    Signals.killThisProcess();
                }
            })) {
                Echo echo = new Echo(rnic, direct);
                if (arguments[0].isEmpty()) {
                    try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                        System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
                        listener.nextRequest(Site.PATIENCE).orElseThrow().accept(echo.site.queuePair);
                    }
                } else {
                    rnic.connect(echo.site.queuePair, StreamProbe.loopback(Integer.parseInt(arguments[0])));
                    echo.begin();
                }
                while (echo.echoes()) {
                    if (echo.messages == MESSAGES / 2 && fatal.equals(Optional.of(Step.TRAFFIC))) {
                        Signals.killThisProcess();
                    }
                }
            }
        }
    }

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @CsvSource({"false, true", "false, false", "true, true", "true, false"})
    void killedAtAnyStep_survivorCompletesItsWork_andNothingIsLeft(
            boolean direct, boolean connects, TestReporter reporter) throws Exception {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
        List<Step> steps = Stream.of(Step.values())
                .filter(step -> direct || !step.needsDirect())
                .toList();
        if (Integer.getInteger("verbena.seeds", 1) == 1) {
            SplittableRandom random = new SplittableRandom(Seeds.one((direct ? 2 : 0) + (connects ? 1 : 0)));
            Step step = steps.get(random.nextInt(steps.size()));
            die(new Death(direct, connects, random.nextBoolean(), step), reporter);
            return;
        }
        for (Step step : steps) {
            die(new Death(direct, connects, true, step), reporter);
            die(new Death(direct, connects, false, step), reporter);
        }
    }

    private @Nullable Process victim;

    private void die(Death death, TestReporter reporter) throws Exception {
        List<String> before = left();
        AtomicInteger open = new AtomicInteger();
        try (Rnic rnic = SteppedMemory.open(death.direct(), step -> {
            open.addAndGet(step == Step.GRANT_OPENED ? 1 : step == Step.GRANT_CLOSE ? -1 : 0);
            if (!death.itself() && step == death.step()) {
                kill();
            }
        })) {
            Echo echo = new Echo(rnic, death.direct());
            Optional<Connection> connection =
                    death.connects() ? acceptFrom(death, rnic, echo) : connectTo(death, rnic, echo);
            if (connection.isPresent()) {
                while (echo.messages < MESSAGES && echo.echoes()) {}
                long killedNs = System.nanoTime();
                kill();
                long goneNs = System.nanoTime();
                echo.awaitFailure();
                long completeMs = (System.nanoTime() - goneNs) / 1_000_000;
                assertTrue(completeMs <= COMPLETE_MS, () -> death + ": work was complete after " + completeMs + " ms");
                reporter.publishEntry(
                        death.toString(),
                        "gone after " + (goneNs - killedNs) / 1_000_000 + " ms, all work complete " + completeMs
                                + " ms later");
                assertTrue(connection.get().awaitClosed(Site.PATIENCE), death::toString);
                assertEquals(ConnectionState.FAILED, connection.get().state(), death::toString);
            }
            kill();
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Site.connect(near, far);
            Site.exchange(near, far, 100_000, 1);
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError(death.toString(), e);
        } finally {
            kill();
        }
        // Memory of 1 MiB and more is unmapped by a thread of its own, soon.
        Until.holds(death + ": nothing is left", () -> before.equals(leftNow()));
        assertEquals(0, open.get(), () -> death + ": mappings of granted memory");
    }

    /** Kills the victim; returns when it is gone, so that the system has closed everything of it. */
    private void kill() {
        Process other = victim;
        try {
            if (other != null) {
                other.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String itself(Death death) {
        return death.itself() ? death.step().name() : "";
    }

    private Optional<Connection> acceptFrom(Death death, Rnic rnic, Echo echo) throws Exception {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Process other = OtherJvm.start(
                    Victim.class,
                    ((InetSocketAddress) listener.localAddress()).getPort(),
                    itself(death),
                    death.direct());
            victim = other;
            Optional<ConnectionRequest> request = Optional.empty();
            while (request.isEmpty() && other.isAlive()) {
                request = listener.nextRequest(SOON);
            }
            if (request.isEmpty()) {
                return Optional.empty();
            }
            Connection connection = request.get().startAccept(echo.site.queuePair, ConnectionOptions.defaults());
            connection.awaitEstablished(Site.PATIENCE);
            return Optional.of(connection);
        } catch (ConnectionException e) {
            return Optional.empty();
        }
    }

    private Optional<Connection> connectTo(Death death, Rnic rnic, Echo echo) throws IOException {
        Process other = OtherJvm.start(Victim.class, "", itself(death), death.direct());
        victim = other;
        BufferedReader lines = other.inputReader();
        int port = Integer.parseInt(lines.readLine());
        try {
            Connection connection = rnic.connect(echo.site.queuePair, StreamProbe.loopback(port));
            echo.begin();
            return Optional.of(connection);
        } catch (ConnectionException e) {
            return Optional.empty();
        }
    }

    private static List<String> leftNow() {
        try {
            return left();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What other processes could find, and what this one still has: files, names, descriptors and mappings. */
    private static List<String> left() throws IOException {
        List<String> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            files.map(Path::toString).filter(file -> file.contains("verbena-")).forEach(all::add);
        }
        try (Stream<String> sockets = Files.lines(Path.of("/proc/net/unix"))) {
            assertFalse(sockets.anyMatch(line -> line.contains("@verbena/")
                    && line.contains("/" + ProcessHandle.current().pid() + "/")));
        }
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            descriptors
                    .map(DeathAtStepTest::target)
                    .filter(it -> it.contains("memfd:verbena"))
                    .forEach(all::add);
        }
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            mappings.filter(it -> it.contains("memfd:verbena"))
                    .filter(it -> it.contains("r--s") || !it.contains("-region"))
                    .forEach(all::add);
        }
        return all.stream().sorted().toList();
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
