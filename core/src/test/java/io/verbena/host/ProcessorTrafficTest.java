package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.Spread;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CQ handlers of real traffic on handler processors. */
class ProcessorTrafficTest extends ProcessorRig {

    @TempDir
    Path folder;

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
