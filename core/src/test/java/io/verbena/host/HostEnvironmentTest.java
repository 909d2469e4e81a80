package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.host.engine.Driven;
import io.verbena.host.engine.FakeEngine;
import io.verbena.host.system.BufferedRandom;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HostEnvironmentTest {

    private static HostEnvironment driven(int engines, List<FakeEngine> created) {
        HostEnvironment environment = new HostEnvironment(RnicOptions.defaults().withEngines(engines));
        for (int i = 0; i < engines; i++) {
            created.add(new FakeEngine());
        }
        environment.drive(created::get);
        return environment;
    }

    @Test
    void severalEngines_eachRung_eachHears() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(3, engines);
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 3; i++) {
                engines.get(i).rung.incrementAndGet();
                environment.wake(i);
            }
            Until.holds("all heard", () -> engines.stream().allMatch(engine -> engine.heard == engine.rung.get()));
        }
        environment.close();
    }

    /** An engine with one packet port, which sends every packet back. */
    private static final class PacketEngine implements Driven, PacketEvents {
        private final HostEnvironment environment;
        private final PacketList list = new PacketList(1 << 16);
        private final PacketBatch batch = new PacketBatch(1 << 17, 256);
        private final AtomicReference<PacketPort> port = new AtomicReference<>();

        PacketEngine(HostEnvironment environment) {
            this.environment = environment;
        }

        @Override
        public int turn(long nowNs) {
            if (port.get() != null) {
                return 0;
            }
            try {
                port.set(environment
                        .packets(0)
                        .open(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), this));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return 1;
        }

        @Override
        public boolean hasWork() {
            return port.get() == null;
        }

        @Override
        public long nextDeadlineNs() {
            return NEVER;
        }

        @Override
        public void onReadable() {
            batch.reset();
            list.reset(1, 1 << 16);
            try {
                port.get().receive(batch);
                for (int i = 0; i < batch.packets(); i++) {
                    list.reserve(batch.length(i));
                    list.endPacket(Addresses.path(batch.source(i), 0), 0);
                }
                port.get().send(list, 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onWritable() {}

        @Override
        public void onUnreachable(InetSocketAddress destination) {}
    }

    @Test
    void packets_engineIsParked_arriveAndAreAnswered() throws IOException {
        HostEnvironment environment = new HostEnvironment(
                RnicOptions.defaults(), FaultPlan.none(), PacketFaults.none().withDuplicates(1));
        PacketEngine engine = new PacketEngine(environment);
        environment.drive(i -> engine);
        Until.holds("open", () -> engine.port.get() != null);
        try (DatagramSocket stranger =
                new DatagramSocket(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            stranger.setSoTimeout(20_000);
            for (int round = 0; round < 20; round++) {
                stranger.send(
                        new DatagramPacket(new byte[100], 100, engine.port.get().localAddress()));
                for (int copy = 0; copy < 2; copy++) {
                    DatagramPacket answer = new DatagramPacket(new byte[200], 200);
                    stranger.receive(answer);
                    assertEquals(100, answer.getLength());
                }
            }
        }
        environment.close();
    }

    @Test
    void closed_engineAndHandlers_runNoMore() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(2, engines);
        AtomicInteger handled = new AtomicInteger();
        environment.defaultProcessor().signal(CqHandlerId.NONE, handled::incrementAndGet);
        Until.holds("handled", () -> handled.get() == 1);
        environment.close();
        int turns = engines.getFirst().turns;
        environment.defaultProcessor().signal(CqHandlerId.NONE, handled::incrementAndGet);
        environment.wake(0);
        assertEquals(1, handled.get());
        assertEquals(turns, engines.getFirst().turns);
        environment.close();
    }

    @Test
    void handler_closesItsOwnEnvironment_doesNotWaitForItself() throws InterruptedException {
        HostEnvironment environment = driven(1, new ArrayList<>());
        CountDownLatch closed = new CountDownLatch(1);
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            environment.close();
            closed.countDown();
        });
        assertTrue(closed.await(20, java.util.concurrent.TimeUnit.SECONDS));
    }

    @Test
    void handlerThrows_nextOne_runs() {
        HostEnvironment environment = driven(1, new ArrayList<>());
        AtomicInteger ran = new AtomicInteger();
        AtomicReference<Thread> where = new AtomicReference<>();
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> ran.incrementAndGet());
            throw new IllegalStateException("on purpose");
        });
        environment.defaultProcessor().signal(CqHandlerId.NONE, () -> {
            where.set(Thread.currentThread());
            ran.incrementAndGet();
        });
        Until.holds("both ran", () -> ran.get() == 2);
        assertTrue(where.get().isDaemon());
        environment.close();
    }

    @Test
    void engineFails_usersAreNotified() {
        List<FakeEngine> engines = new ArrayList<>();
        HostEnvironment environment = driven(1, engines);
        engines.getFirst().submit(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {});
            throw new IllegalStateException("on purpose");
        });
        environment.wake(0);
        VerbsException thrown = assertThrows(
                VerbsException.class, () -> environment.newWaitPoint().await(() -> false, Until.LONG_NS));
        assertTrue(String.valueOf(thrown.getMessage()).contains("on purpose"), thrown.getMessage());
        assertThrows(VerbsException.class, () -> environment.wake(0));
        environment.close();
    }

    @Test
    void random_manyNumbers_differAndThreadsMayDraw() throws InterruptedException {
        BufferedRandom random = new BufferedRandom();
        Set<Long> seen = Collections.synchronizedSet(new HashSet<>());
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 5000; i++) {
                    seen.add(random.nextLong());
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(10_000, seen.size());
        assertNotEquals(new BufferedRandom().nextLong(), new BufferedRandom().nextLong());
    }
}
