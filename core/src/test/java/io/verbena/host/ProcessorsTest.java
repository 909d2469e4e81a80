package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.host.system.Pinning;
import io.verbena.host.system.Threads;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.ProcessorPolicy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Handler processors in real time: threads bound to cores, and a loop of one's own. */
class ProcessorsTest extends ProcessorRig {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Counts events when they are served. */
    private static class Counted implements EventSource {
        final AtomicInteger events = new AtomicInteger();
        final AtomicInteger served = new AtomicInteger();
        final AtomicInteger abandoned = new AtomicInteger();

        @Override
        public boolean serve() {
            if (events.get() > 0) {
                served.incrementAndGet();
                return events.decrementAndGet() > 0;
            }
            return false;
        }

        @Override
        public void abandon() {
            abandoned.incrementAndGet();
        }
    }

    private static EventAddress attach(HandlerProcessor processor, EventSource source) {
        return processor
                .attach(new CqHandlerId(1), HandlerOptions.defaults(), source)
                .orElseThrow();
    }

    private static BitSet allowed() {
        return Pinning.unsupported().isPresent() ? BitSet.valueOf(new byte[] {1}) : Pinning.cores();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void urgentThread_hasRealTimePriority_orSaysWhyNot() throws Exception {
        HandlerProcessor processor =
                closing(HandlerProcessor.open(ProcessorOptions.thread("urgent").asUrgent()));
        String note = processor.note();
        String policy = served(processor, () -> schedulingPolicy());
        assertEquals(note.isEmpty() ? FIFO : ORDINARY, policy, note);
    }

    private static final String ORDINARY = "0";
    private static final String FIFO = "1";

    /** Field 41 of the calling thread's stat, proc(5); its name, field 2, may hold blanks. */
    private static String schedulingPolicy() {
        try {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[41 - 3];
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What a handler on this processor found out. */
    private static String served(HandlerProcessor processor, Supplier<String> question) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        EventAddress address = attach(processor, new Counted() {
            @Override
            public boolean serve() {
                answer.complete(question.get());
                return false;
            }
        });
        address.signal();
        return answer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void thread_boundToACore_runsThere() {
        int core = allowed().length() - 1;
        HandlerProcessor processor =
                closing(HandlerProcessor.open(ProcessorOptions.thread("bound").withCores(Set.of(core))));
        AtomicReference<BitSet> cores = new AtomicReference<>(new BitSet());
        CountDownLatch ran = new CountDownLatch(1);
        processor.signal(CqHandlerId.NONE, () -> {
            cores.set(allowed());
            ran.countDown();
        });
        await(ran);
        BitSet one = new BitSet();
        one.set(core);
        if (processor.note().isEmpty()) {
            assertEquals(one, cores.get());
        }
    }

    @Test
    void thread_coreThatIsNotThere_runsUnboundWithANote() {
        HandlerProcessor processor =
                closing(HandlerProcessor.open(ProcessorOptions.thread("far").withCores(Set.of(4000))));
        CountDownLatch ran = new CountDownLatch(1);
        processor.signal(CqHandlerId.NONE, ran::countDown);
        await(ran);
        assertFalse(processor.note().isEmpty());
        assertThrows(
                IllegalArgumentException.class,
                () -> ProcessorOptions.virtualThreads("v").withCores(Set.of(1)));
        assertThrows(
                IllegalArgumentException.class,
                () -> ProcessorOptions.thread("t").withCores(Set.of(-1)));
    }

    @Test
    void thread_signalledAwakeAndAsleep_losesNothing() {
        HandlerProcessor processor = thread("busy");
        Counted source = new Counted();
        EventAddress address = attach(processor, source);
        for (int i = 1; i <= 20_000; i++) {
            source.events.incrementAndGet();
            address.signal();
            if (i % 100 == 0) {
                int wanted = i;
                Until.holds("served", () -> source.served.get() == wanted);
            }
        }
        assertEquals(20_000, source.served.get());
    }

    @Test
    void thread_handlerLeavesTheInterruptStatusSet_nextHandlerAndParkDoNotSeeIt() {
        HandlerProcessor processor = thread("interrupted");
        AtomicReference<Thread> runner = new AtomicReference<>(Thread.currentThread());
        AtomicBoolean inherited = new AtomicBoolean();
        CountDownLatch ran = new CountDownLatch(2);
        attach(processor, new Counted() {
                    @Override
                    public boolean serve() {
                        runner.set(Thread.currentThread());
                        inherited.set(Thread.currentThread().isInterrupted());
                        Thread.currentThread().interrupt();
                        ran.countDown();
                        return ran.getCount() > 0;
                    }
                })
                .signal();
        await(ran);
        assertFalse(inherited.get(), "the second run began with the status that the first one left");
        Until.holds("parked", () -> runner.get().getState() == Thread.State.WAITING);
        assertFalse(runner.get().isInterrupted());
        processor.signal(CqHandlerId.NONE, () -> Thread.currentThread().interrupt());
        runner.get().interrupt(); // and one from outside
        Until.holds(
                "parked without the status",
                () -> !runner.get().isInterrupted() && runner.get().getState() == Thread.State.WAITING);
        assertEquals("io.verbena.host.processor.ProcessorThread", topFrameOfOurs(runner.get()));
    }

    private static String topFrameOfOurs(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("io.verbena")) {
                return frame.getClassName();
            }
        }
        return "";
    }

    @Test
    void foreverAsADuration_isALongTime() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        HandlerProcessor patient = closing(HandlerProcessor.open(ProcessorOptions.thread("patient")
                .withPolicy(ProcessorPolicy.defaults().withPatience(forever))));
        CountDownLatch ran = new CountDownLatch(1);
        patient.signal(CqHandlerId.NONE, ran::countDown);
        await(ran);
        HandlerLoop loop = closing(HandlerLoop.open(ProcessorPolicy.defaults().withPatience(forever)));
        Thread.ofVirtual().start(() -> loop.signal(CqHandlerId.NONE, () -> {}));
        assertTrue(loop.await(forever));
        CompletionQueue cq = rnic().createCompletionQueue(8);
        cq.close();
        assertThrows(IllegalStateException.class, () -> cq.take(forever));
        assertEquals(
                forever, ConnectionOptions.defaults().withKeepAlive(forever).keepAlive());
    }

    @Test
    void loop_wakeCallbackThrows_theHandlerStaysUsable() {
        HandlerLoop loop = closing(HandlerLoop.open(ProcessorPolicy.defaults()));
        Counted source = new Counted();
        EventAddress address = attach(loop, source);
        Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
        loop.onSignal(() -> {
            throw new AssertionError("as this test wants");
        });
        source.events.set(1);
        address.signal();
        assertEquals(1, loop.run(8));
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    @Test
    void thread_dies_sourcesAreAbandonedAndSignalsRefused() {
        HandlerProcessor processor = thread("dies");
        Counted innocent = new Counted();
        EventAddress other = attach(processor, innocent);
        EventAddress deadly = attach(processor, new Counted() {
            @Override
            public boolean serve() {
                Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
                throw new InternalError("as this test wants");
            }
        });
        deadly.signal();
        Until.holds("abandoned", () -> innocent.abandoned.get() > 0);
        assertThrows(IllegalStateException.class, other::signal);
        Until.holds("noted", () -> processor.note().contains("as this test wants"));
        assertThrows(IllegalStateException.class, () -> attach(processor, innocent));
    }

    @Test
    void thread_closed_nothingRunsAfterwards() {
        for (int i = 0; i < 50; i++) {
            HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.thread("closing"));
            Counted source = new Counted();
            EventAddress address = attach(processor, source);
            source.events.set(Integer.MAX_VALUE);
            address.signal();
            processor.close();
            int served = source.served.get();
            assertEquals(1, source.abandoned.get() > 0 ? 1 : 0);
            assertEquals(served, source.served.get());
            processor.close();
        }
    }

    @Test
    void thread_signals_allocateNothing() {
        HandlerProcessor processor = thread("frugal");
        Counted source = new Counted();
        EventAddress address = attach(processor, source);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 8 && least > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20_000; i++) {
                source.events.lazySet(1);
                address.signal();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }

    @Test
    void loop_runsHandlersInItsCallersThread_andTellsWhenThereIsSomething() {
        HandlerLoop loop = closing(HandlerLoop.open(ProcessorPolicy.defaults()));
        Counted source = new Counted();
        EventAddress address = attach(loop, source);
        AtomicInteger woken = new AtomicInteger();
        loop.onSignal(woken::incrementAndGet);
        assertFalse(loop.await(Duration.ofMillis(1)));
        assertEquals(0, loop.run(10));
        source.events.set(3);
        address.signal();
        assertEquals(1, woken.get());
        assertTrue(loop.await(Duration.ofSeconds(20)));
        assertEquals(2, loop.run(2));
        assertEquals(1, loop.run(10));
        assertEquals(0, loop.run(10));
        Thread signaller = Thread.ofVirtual().start(() -> {
            source.events.set(1);
            address.signal();
        });
        assertTrue(loop.await(Duration.ofSeconds(20)));
        assertEquals(1, loop.run(10));
        Threads.join(signaller, 20_000_000_000L);
    }
}
