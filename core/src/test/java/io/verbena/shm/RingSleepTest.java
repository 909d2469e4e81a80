package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.HeapSharedMemory;
import io.verbena.fixture.Seeds;
import io.verbena.port.ByteStream;
import io.verbena.port.ShortMessages;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two threads that poll, fall asleep and wake each other. After each step all traffic stops, so that a lost wake-up ends the
 * test.
 */
@Tag(Seeds.TAG)
class RingSleepTest {

    private static final int PATIENCE_S = 20;

    /** A socket that carries bytes between two threads and wakes the other one. */
    private static final class Wire implements ByteStream {
        private final StringBuffer arrived = new StringBuffer();
        private final Semaphore woken = new Semaphore(0);
        private Wire peer = this;

        static Wire[] pair() {
            Wire one = new Wire();
            Wire two = new Wire();
            one.peer = two;
            two.peer = one;
            return new Wire[] {one, two};
        }

        @Override
        public int read(ByteBuffer target) {
            int count = Math.min(target.remaining(), arrived.length());
            for (int i = 0; i < count; i++) {
                target.put((byte) arrived.charAt(i));
            }
            arrived.delete(0, count);
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            int count = source.remaining();
            while (source.hasRemaining()) {
                peer.arrived.append((char) (source.get() & 0xff));
            }
            peer.woken.release();
            return count;
        }

        @Override
        public void wantWritable(boolean wanted) {}

        @Override
        public void wantReadable(boolean wanted) {}

        @Override
        public void shutdownOutput() {}

        @Override
        public void close(boolean abortive) {}

        @Override
        public SocketAddress localAddress() {
            return new InetSocketAddress(0);
        }

        @Override
        public SocketAddress remoteAddress() {
            return new InetSocketAddress(0);
        }
    }

    /** The sockets of one thread: one wire. */
    private static final class Wires implements StreamLoop {
        private final Wire wire;
        private StreamEvents events = new Bell();

        Wires(Wire wire) {
            this.wire = wire;
        }

        @Override
        public void connect(SocketAddress remote, ConnectEvents listener) {
            listener.onConnected(wire);
        }

        @Override
        public Acceptor listen(SocketAddress local, int backlog, AcceptEvents listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void attach(ByteStream stream, StreamEvents listener) {
            events = listener;
        }

        @Override
        public void detach(ByteStream stream) {}
    }

    /** The owner of a stream. */
    private static final class Bell implements StreamEvents {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}
    }

    /** One side: a thread's loop and its stream. */
    private static final class Side {
        final Wires wires;
        final SharedMemoryLoop loop;
        final ByteStream stream;
        final SplittableRandom random;
        final ByteBuffer inbound = ByteBuffer.allocateDirect(ShortMessages.MOST_BYTES);
        final ByteBuffer outbound = ByteBuffer.allocateDirect(ShortMessages.MOST_BYTES);
        long sleeps;
        int taken;

        Side(Wire wire, HeapSharedMemory memory, boolean initiator, long seed) {
            wires = new Wires(wire);
            random = new SplittableRandom(seed);
            loop = new SharedMemoryLoop(wires, memory, random.split()::nextLong, SharedLayout.LEAST_RING_BYTES);
            stream = loop.wrap(wire, initiator);
            loop.attach(stream, new Bell());
        }

        /** Polls for a while, then sleeps if nothing has happened. */
        void waitForNews() throws InterruptedException {
            waitForNews(() -> false);
        }

        /** The same; the peer may also write memory that no stream shows. */
        void waitForNews(BooleanSupplier seen) throws InterruptedException {
            for (int spins = random.nextInt(200); spins > 0; spins--) {
                if (loop.poll() > 0 || seen.getAsBoolean()) {
                    return;
                }
            }
            if (loop.fallAsleep(seen)) {
                sleeps++;
                assertTrue(wires.wire.woken.tryAcquire(PATIENCE_S, TimeUnit.SECONDS), "a wake-up was lost");
                wires.wire.woken.drainPermits();
                wires.events.onReadable();
            }
        }

        void send(ByteBuffer bytes) throws Exception {
            while (stream.write(bytes) == 0 || bytes.hasRemaining()) {
                stream.wantWritable(true);
                waitForNews();
            }
            stream.wantWritable(false);
        }

        /** Takes short messages from now on: their numbers, one after the other. */
        void takeMessages() {
            ShortMessages messages = stream.messages().orElseThrow();
            messages.begin(() -> {
                int before = taken;
                while (messages.next(inbound) > 0) {
                    assertEquals(taken++, inbound.getInt(0));
                    messages.taken();
                }
                messages.endRun();
                return taken - before;
            });
        }

        void sendMessage(int number) throws Exception {
            ShortMessages messages = stream.messages().orElseThrow();
            while (!messages.write(outbound.putInt(0, number), Integer.BYTES)) {
                stream.wantWritable(true);
                waitForNews();
            }
            stream.wantWritable(false);
        }

        void receive(ByteBuffer bytes) throws Exception {
            while (true) {
                stream.read(bytes);
                if (!bytes.hasRemaining()) {
                    return;
                }
                waitForNews();
            }
        }
    }

    private interface Step {
        void run(int round) throws Exception;
    }

    private Thread start(int rounds, Step step) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < rounds; i++) {
                    step.run(i);
                }
            } catch (Throwable e) {
                failures.add(e);
            }
        });
    }

    private final HeapSharedMemory memory = new HeapSharedMemory();
    private final Wire[] wires = Wire.pair();
    private final long seed = Seeds.one(7);
    private final Side near = new Side(wires[0], memory, true, seed);
    private final Side far = new Side(wires[1], memory, false, seed + 1);
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private void join(Thread... threads) throws InterruptedException {
        for (Thread each : threads) {
            each.join(TimeUnit.SECONDS.toMillis(2 * PATIENCE_S));
        }
        for (Throwable each : failures) {
            throw new AssertionError("seed " + seed, each);
        }
        for (Thread each : threads) {
            assertTrue(!each.isAlive(), "a thread hangs, seed " + seed);
        }
    }

    private static int rounds(int usual) {
        return Math.max(usual, Integer.getInteger("verbena.seeds", 0));
    }

    @Test
    void pingPong_trafficStopsAfterEachStep_noWakeUpIsLost() throws Exception {
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer back = ByteBuffer.allocateDirect(1);
        int rounds = rounds(5_000);
        Thread one = start(rounds, round -> {
            near.send(there.clear().put(0, (byte) round));
            near.receive(there.clear());
            assertEquals((byte) ~round, there.get(0));
        });
        Thread two = start(rounds, round -> {
            far.receive(back.clear());
            far.send(back.clear().put(0, (byte) ~back.get(0)));
        });
        join(one, two);
        assertTrue(near.sleeps + far.sleeps > 0);
    }

    /** As a program that polls memory: a peer writes it, and then wakes this side if it sleeps. */
    @Test
    void memoryWrittenDirectly_noWakeUpIsLost() throws Exception {
        AtomicInteger written = new AtomicInteger();
        settle();
        int rounds = rounds(5_000);
        Thread one = start(rounds, round -> turn(near, written, 2 * round));
        Thread two = start(rounds, round -> turn(far, written, 2 * round + 1));
        join(one, two);
        assertEquals(2 * rounds, written.get());
    }

    /** Waits for a value, and writes the next one. */
    private static void turn(Side side, AtomicInteger written, int awaited) throws InterruptedException {
        BooleanSupplier seen = () -> written.getPlain() == awaited;
        while (!seen.getAsBoolean()) {
            side.waitForNews(seen);
        }
        written.setRelease(awaited + 1);
        side.stream.peerMemory().orElseThrow().changed();
    }

    /** Completes the set-up of both sides. */
    private void settle() throws Exception {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        Thread thread = start(1, _ -> far.receive(one));
        near.send(ByteBuffer.allocateDirect(1));
        join(thread);
    }

    @Test
    void stream_writerWaitsForSpace_noWakeUpIsLost() throws Exception {
        ByteBuffer out = ByteBuffer.allocateDirect(6_000);
        ByteBuffer in = ByteBuffer.allocateDirect(6_000);
        int rounds = rounds(2_000);
        Thread one = start(rounds, round -> near.send(out.clear().put(5_999, (byte) round)));
        Thread two = start(rounds, round -> {
            far.receive(in.clear());
            assertEquals((byte) round, in.get(5_999));
        });
        join(one, two);
    }

    @Test
    void shortMessages_writerWaitsForSpace_noWakeUpIsLost() throws Exception {
        ByteBuffer there = ByteBuffer.allocateDirect(1);
        ByteBuffer back = ByteBuffer.allocateDirect(1);
        int messages = 150; // more than the ring holds
        int rounds = rounds(1_000);
        Thread one = start(rounds, round -> {
            if (round == 0) {
                near.send(there.clear());
                near.receive(there.clear()); // the peer takes messages
            }
            for (int i = 0; i < messages; i++) {
                near.sendMessage(round * messages + i);
            }
        });
        Thread two = start(rounds, round -> {
            if (round == 0) {
                far.receive(back.clear());
                far.takeMessages();
                far.send(back.clear());
            }
            while (far.taken < (round + 1) * messages) {
                far.waitForNews();
            }
        });
        join(one, two);
        assertTrue(near.sleeps > 0, "the writer has waited");
    }
}
