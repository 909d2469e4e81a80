package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.HostEnvironment;
import io.verbena.host.Until;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.rnic.context.Poller;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The loops in which a program takes its completions from an INLINE RNIC when polling without a wait is not allowed. A loop may
 * wait in the system where nothing can happen without the peer, and nowhere else: after each message the program must act.
 */
class PollLoopTest {

    private static final RnicOptions INLINE =
            RnicOptions.defaults().withProgress(Progress.INLINE).withSettings(Map.of(StandIn.SETTING, "0"));

    private static final int MESSAGES = 5;

    private final FakeEngine engine = new FakeEngine();
    private final HostEnvironment environment = new HostEnvironment(INLINE);
    private final Poller first = environment.newPoller();
    private final Poller second = environment.newPoller();
    private boolean mayPoll;

    @BeforeEach
    void drive() {
        environment.drive(index -> engine);
        ProgressGroup.current().pause().rule(nowNs -> mayPoll);
    }

    @AfterEach
    void close() {
        ProgressGroup.current().pause().rule(SpinBudget::allowed);
        environment.close();
    }

    /** A message of the peer arrives: the next turn has work. */
    private void arrives() {
        engine.rung.incrementAndGet();
    }

    private static Arguments loop(String name, Consumer<PollLoopTest> body) {
        return Arguments.of(name, body);
    }

    static Stream<Arguments> loops() {
        return Stream.of(
                loop("await, then drain", it -> {
                    it.arrives();
                    long before = it.engine.heard;
                    assertTrue(it.environment.newWaitPoint().await(() -> it.engine.heard > before, Until.LONG_NS));
                    assertEquals(0, it.first.progress(), "the poll that ends the loop");
                }),
                loop("await, then drain two queues", it -> {
                    it.arrives();
                    long before = it.engine.heard;
                    assertTrue(it.environment.newWaitPoint().await(() -> it.engine.heard > before, Until.LONG_NS));
                    assertEquals(0, it.first.progress());
                    assertEquals(0, it.second.progress());
                }),
                loop("poll until a message, then drain", it -> {
                    it.arrives();
                    assertTrue(it.first.progress() > 0);
                    assertEquals(0, it.first.progress());
                }),
                loop("progress that waits, then drain", it -> {
                    it.arrives();
                    assertTrue(it.environment.progress(Until.LONG_NS) > 0);
                    assertEquals(0, it.first.progress());
                }),
                loop("post, then poll for its completion", it -> {
                    it.arrives();
                    it.environment.wake(0);
                    assertEquals(0, it.first.progress());
                }),
                loop("a handler that drains", it -> {
                    it.engine.submit(
                            () -> it.environment.defaultProcessor().signal(CqHandlerId.NONE, it.first::progress));
                    assertTrue(it.environment.progress(Until.LONG_NS) > 0);
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("loops")
    void pollingNotAllowed_loopThatDrains_doesNotWaitAfterAMessage(String name, Consumer<PollLoopTest> loop) {
        first.progress(); // the loop of an earlier message has ended so
        long before = ProgressGroup.current().dozes();
        for (int i = 0; i < MESSAGES; i++) {
            loop.accept(this);
        }
        assertEquals(0, ProgressGroup.current().dozes() - before, name);
    }

    @Test
    void pollingNotAllowed_pollerFindsNothingTwice_waits() {
        long before = ProgressGroup.current().dozes();
        Until.holds("a wait", () -> {
            first.progress();
            second.progress();
            return ProgressGroup.current().dozes() > before;
        });
    }

    @Test
    void pollingAllowed_pollerFindsNothing_doesNotWait() {
        mayPoll = true;
        long before = ProgressGroup.current().dozes();
        for (int i = 0; i < 1000; i++) {
            first.progress();
        }
        assertEquals(0, ProgressGroup.current().dozes() - before);
    }

    /** Also by the polls that do not read the clock. */
    @Test
    void pollingAllowed_workArrivesAfterAnyNumberOfPolls_theNextPollFindsIt() {
        mayPoll = true;
        for (int polls = 0; polls < 20; polls++) {
            for (int i = 0; i < polls; i++) {
                first.progress();
            }
            arrives();
            assertTrue(first.progress() > 0);
            assertEquals(engine.rung.get(), engine.heard);
        }
    }

    @Test
    void pollingAllowed_deadlinePasses_fewPollsAreLate() {
        mayPoll = true;
        for (int polls = 0; polls < 20; polls++) {
            for (int i = 0; i < polls; i++) {
                first.progress();
            }
            engine.deadlineNs = System.nanoTime();
            for (int i = 0; i <= PollPace.MOST_UNTIMED; i++) {
                second.progress();
            }
            assertEquals(FakeEngine.NEVER, engine.deadlineNs);
        }
    }

    @Test
    void waitsInTheSystem_interrupted_ends() throws Exception {
        FutureTask<Boolean> wait = new FutureTask<>(() -> {
            try (EngineLoop loop = EpollLoop.openFastest(0)) {
                InlineDriver driver = new InlineDriver(loop, new FakeEngine(), new InlineHandlers());
                try {
                    driver.doze(TimeUnit.MINUTES.toNanos(10));
                } finally {
                    driver.close(Until.LONG_NS);
                }
                return Thread.interrupted();
            }
        });
        Thread waiter = Thread.ofPlatform().start(wait);
        Until.holds("waiting", () -> {
            waiter.interrupt();
            return wait.isDone();
        });
        assertTrue(wait.get(), "the status stays set");
    }
}
