package io.verbena.messaging;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Ranks as threads of one process. */
public final class Ranks {

    private static final long START_SECONDS = 60;

    private Ranks() {}

    /** What each rank does. */
    @FunctionalInterface
    public interface Program {
        void run(Communicator world) throws Exception;
    }

    /** Runs a program on this many ranks, each a thread of its own, and waits for all of them. */
    public static void run(int size, Program program) {
        run(size, MessagingOptions.defaults(), program);
    }

    /**
     * The same with other settings.
     *
     * @throws MessagingException when a rank failed; the cause says how
     */
    public static void run(int size, MessagingOptions options, Program program) {
        new Run(size, options, program).all();
    }

    private static final class Run {
        private final int size;
        private final MessagingOptions options;
        private final Program program;
        private final SocketAddress[] addresses;
        private final Thread[] threads;
        private final CyclicBarrier listening;
        private final long job = new SecureRandom().nextLong();
        private @Nullable Throwable failure;
        private int failed;

        Run(int size, MessagingOptions options, Program program) {
            this.size = size;
            this.options = options;
            this.program = program;
            addresses = new SocketAddress[size];
            threads = new Thread[size];
            listening = new CyclicBarrier(size);
        }

        void all() {
            for (int i = 0; i < size; i++) {
                int rank = i;
                threads[i] = Thread.ofPlatform().name("rank-" + rank).unstarted(() -> one(rank));
            }
            for (Thread thread : threads) {
                thread.start();
            }
            boolean interrupted = false;
            for (Thread thread : threads) {
                while (thread.isAlive()) {
                    try {
                        thread.join();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        Arrays.stream(threads).forEach(Thread::interrupt);
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                Throwable first = failure;
                if (first != null) {
                    throw new MessagingException("Rank " + failed + " failed: " + first.getMessage(), first);
                }
            }
        }

        private void one(int rank) {
            Rnic rnic = Rnic.open(options.rnic());
            Transport transport = new Transport(rank, size, rnic, options, System::nanoTime, new SecureRandom());
            Communicator world = new Communicator(rank, size, rnic, transport, options);
            try {
                meet(rank, transport);
                world.joined();
                program.run(world);
                world.close();
            } catch (Throwable e) {
                fail(rank, e);
            } finally {
                world.abort();
            }
        }

        private void meet(int rank, Transport transport) throws IOException, InterruptedException {
            addresses[rank] = transport.endpoint().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try {
                listening.await(START_SECONDS, TimeUnit.SECONDS);
            } catch (BrokenBarrierException | TimeoutException e) {
                throw new IOException("Another rank did not start.", e);
            }
            transport.members().join(List.of(addresses), job);
        }

        private synchronized void fail(int rank, Throwable e) {
            if (failure == null) {
                failure = e;
                failed = rank;
            }
        }
    }
}
