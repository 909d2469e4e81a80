package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.ProcessorPolicy;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Spread;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Handler processors in real time: threads bound to cores, virtual threads, a loop of one's own; and real traffic on
 * them.
 */
class ProcessorsTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    private <T extends AutoCloseable> T closing(T made) {
        open.add(made);
        return made;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private HandlerProcessor thread(String name) {
        return closing(HandlerProcessor.open(ProcessorOptions.thread(name)));
    }

    private Rnic rnic() {
        return closing(new IwarpProvider().open(RnicOptions.defaults()));
    }

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
                closing(HandlerProcessor.open(ProcessorOptions.thread("urgent").madeUrgent()));
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

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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
        assertEquals("io.verbena.host.ProcessorThread", topFrameOfOurs(runner.get()));
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
        TimeoutException late = assertThrows(TimeoutException.class, () -> cq.take(forever));
        assertTrue(String.valueOf(late.getMessage()).contains("No work completed"));
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

    @Test
    void virtualThreads_handlerMayBlock_othersGoOn() throws IOException {
        HandlerProcessor processor = closing(HandlerProcessor.open(ProcessorOptions.virtualThreads("light")));
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<Boolean> virtual = new AtomicReference<>(false);
        Rnic rnic = rnic();
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(rnic, near.queuePair, far.queuePair);
        near.cq.handler(Optional.of(rnic.setCompletionHandler(
                cq -> {
                    virtual.set(Thread.currentThread().isVirtual());
                    await(release);
                },
                processor)));
        far.cq.handler(Optional.of(rnic.setCompletionHandler(cq -> done.countDown(), processor)));
        near.cq.requestNotification(Notification.NEXT);
        far.cq.requestNotification(Notification.NEXT);
        far.queuePair.postReceive(1, far.memory, 0, 8);
        near.queuePair.postSend(2, near.memory, 0, 8, WrFlags.SIGNALLED);
        await(done);
        release.countDown();
        near.complete(2);
        Until.holds("ran", virtual::get);
    }

    /** Polls, answers each message with one of its own, and asks again. */
    private static CqHandler echo(Set<String> threads, AtomicLong handled) {
        return cq -> {
            threads.add(Thread.currentThread().getName() + " " + ((Object) cq).hashCode());
            CompletionCursor cursor = cq.cursor();
            while (cursor.next()) {
                handled.incrementAndGet();
            }
            cq.requestNotification(Notification.NEXT);
        };
    }

    @Test
    void completionGroup_realTraffic_eachQueuePairStaysOnItsProcessor() throws IOException {
        Rnic rnic = rnic();
        List<HandlerProcessor> processors = List.of(thread("p0"), thread("p1"));
        Set<String> threads = ConcurrentHashMap.newKeySet();
        AtomicLong handled = new AtomicLong();
        int each = 500;
        // The handlers need not keep up with the senders: a CQ has space for all completions of the two queue pairs.
        CompletionGroup group =
                rnic.createCompletionGroup(2 * each, echo(threads, handled), processors, Spread.ROUND_ROBIN);
        List<Site> nears = new ArrayList<>();
        List<QueuePair> fars = new ArrayList<>();
        List<Site> farMemory = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Site near = new Site(rnic);
            Site memory = new Site(rnic);
            CompletionQueue cq = group.choose(StreamProbe.loopback(1));
            QueuePair far = memory.domain.createQueuePair(QueuePairOptions.of(cq));
            Site.connect(rnic, near.queuePair, far);
            nears.add(near);
            fars.add(far);
            farMemory.add(memory);
        }
        for (int m = 0; m < each; m++) {
            for (int i = 0; i < 4; i++) {
                while (!fars.get(i).postReceive(m, farMemory.get(i).memory, 0, 64)) {
                    Thread.onSpinWait();
                }
                assertTrue(nears.get(i).queuePair.postSend(m, nears.get(i).memory, 0, 64, WrFlags.SIGNALLED));
                nears.get(i).complete(m);
            }
        }
        Until.holds("all handled", () -> handled.get() == 4L * each);
        assertEquals(2, threads.size(), "each CQ on one thread, and each on another: " + threads);
    }

    @Test
    void modifyCq_betweenProcessorsUnderRealTraffic_everyCompletionOnce() throws IOException {
        Rnic rnic = rnic();
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(rnic, near.queuePair, far.queuePair);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        AtomicLong handled = new AtomicLong();
        CompletionCursor cursor = far.cursor;
        CqHandler handler = cq -> {
            threads.add(Thread.currentThread().getName());
            while (cursor.next()) {
                handled.incrementAndGet();
            }
            cq.requestNotification(Notification.NEXT);
        };
        CqHandlerId first = rnic.setCompletionHandler(handler, thread("m0"));
        CqHandlerId second = rnic.setCompletionHandler(handler, thread("m1"));
        far.cq.handler(Optional.of(first));
        far.cq.requestNotification(Notification.NEXT);
        int messages = 5_000;
        for (int i = 0; i < messages; i++) {
            int sent = i;
            // The CQ has 256 entries at first: a sender that is further ahead of the handler overruns it.
            Until.holds("the handler keeps up", () -> sent - handled.get() < 200);
            while (!far.queuePair.postReceive(i, far.memory, 0, 16)) {
                Thread.onSpinWait();
            }
            near.queuePair.postSend(i, near.memory, 0, 16, WrFlags.SIGNALLED);
            near.complete(i);
            if (i % 50 == 0) {
                far.cq.handler(Optional.of(i % 100 == 0 ? second : first));
            }
            if (i % 500 == 0) {
                far.cq.resize(256 + i);
            }
        }
        Until.holds("all handled", () -> handled.get() == messages);
        rnic.removeCompletionHandler(first);
        rnic.removeCompletionHandler(second);
        assertEquals(messages, handled.get());
        assertTrue(threads.size() >= 1);
        assertNotEquals(0, messages);
    }

    @Test
    void handlersRemovedUnderTraffic_noneRunsAfterwards() throws IOException {
        Rnic rnic = rnic();
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(rnic, near.queuePair, far.queuePair);
        HandlerProcessor processor = thread("removing");
        CompletionCursor cursor = far.cursor;
        AtomicLong handled = new AtomicLong();
        int rounds = 200;
        int perRound = 20;
        for (int round = 0; round < rounds; round++) {
            AtomicInteger removed = new AtomicInteger();
            AtomicInteger late = new AtomicInteger();
            CqHandlerId id = rnic.setCompletionHandler(
                    cq -> {
                        late.addAndGet(removed.get());
                        while (cursor.next()) {
                            handled.incrementAndGet();
                        }
                        cq.requestNotification(Notification.NEXT);
                        late.addAndGet(removed.get());
                    },
                    processor);
            far.cq.handler(Optional.of(id));
            far.cq.requestNotification(Notification.NEXT);
            for (int i = 0; i < perRound; i++) {
                assertTrue(far.queuePair.postReceive(i, far.memory, 0, 16));
                near.queuePair.postSend(i, near.memory, 0, 16, WrFlags.SIGNALLED);
                near.complete(i);
            }
            rnic.removeCompletionHandler(id);
            removed.set(1);
            assertEquals(0, late.get());
            assertEquals(Optional.empty(), far.cq.handler());
            while (far.cursor.next()) { // no other thread polls now
                handled.incrementAndGet();
            }
        }
        while (handled.get() < (long) rounds * perRound) {
            far.cq.await(Site.PATIENCE);
            if (!far.cursor.next()) {
                break;
            }
            handled.incrementAndGet();
        }
        assertEquals((long) rounds * perRound, handled.get());
    }

    @Test
    void flightRecording_tellsEachRun() throws IOException {
        Path file = folder.resolve("handlers.jfr");
        Rnic rnic = rnic();
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        Site.connect(rnic, near.queuePair, far.queuePair);
        CountDownLatch ran = new CountDownLatch(1);
        CqHandlerId id = rnic.setCompletionHandler(cq -> {
            cq.cursor().next();
            ran.countDown();
        });
        far.cq.handler(Optional.of(id));
        try (Recording recording = new Recording()) {
            recording.enable("io.verbena.HandlerRun");
            recording.start();
            far.cq.requestNotification(Notification.NEXT);
            far.queuePair.postReceive(1, far.memory, 0, 8);
            near.queuePair.postSend(1, near.memory, 0, 8, WrFlags.SIGNALLED);
            near.complete(1);
            await(ran);
            Until.holds("counted", () -> rnic.queryCompletionHandler(id).events() == 1);
            rnic.removeCompletionHandler(id); // after that the run is over and recorded
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> runs = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.verbena.HandlerRun"))
                .toList();
        assertEquals(1, runs.size());
        assertEquals(id.value(), runs.getFirst().getInt("handler"));
        assertEquals(1, runs.getFirst().getLong("completions"));
        assertTrue(runs.getFirst().getDuration("toHandler").toNanos() >= 0);
    }

    @Test
    void handlerWithOptions_cqFromOptions_servesSeveralRnics() throws IOException {
        HandlerProcessor shared = thread("shared");
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Rnic rnic = rnic();
            CqHandlerId id =
                    rnic.setCompletionHandler(cq -> runs.incrementAndGet(), shared, new HandlerOptions("c" + i, i));
            CompletionQueue cq = rnic.createCompletionQueue(
                    CompletionQueueOptions.capacity(64).withHandler(id));
            Site near = new Site(rnic);
            QueuePair far = near.domain.createQueuePair(QueuePairOptions.of(cq));
            Site.connect(rnic, near.queuePair, far);
            cq.requestNotification(Notification.NEXT);
            far.postReceive(1, near.memory, 0, 8);
            near.queuePair.postSend(1, near.memory, 8, 8, WrFlags.SIGNALLED);
            near.complete(1);
        }
        Until.holds("both ran", () -> runs.get() == 2);
    }
}
