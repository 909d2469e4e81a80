package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.channel.RankHost;
import io.verbena.messaging.start.JobStartException;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Ranks as threads of one process, in real time or where a {@link RankHost} runs them. */
public final class Ranks {

    private static final long START_SECONDS = 60;

    private Ranks() {}

    /** Program of each rank. */
    @FunctionalInterface
    public interface Program {
        void run(Communicator world) throws Exception;
    }

    /** Runs a program on this number of ranks, each in a thread of its own, and waits for all of them. */
    public static void run(int size, Program program) {
        run(size, MessagingOptions.defaults(), program);
    }

    /**
     * Runs a program on ranks with these options.
     *
     * @throws MessagingException if a rank failed; the cause is the exception of the first rank that failed, and those of the others are
     *     suppressed exceptions of the {@code MessagingException}
     */
    public static void run(int size, MessagingOptions options, Program program) {
        new Job(size, options, program).run();
    }

    /**
     * Runs a program on ranks of a host. The options of the RNICs and of a progress thread have no effect.
     *
     * @throws MessagingException if a rank failed, as above
     */
    public static void run(int size, MessagingOptions options, RankHost host, Program program) {
        new HostedRanks(size, options, host, program).run();
    }

    private static final class Job {
        private final int size;
        private final MessagingOptions options;
        private final Program program;
        private final SocketAddress[] addresses;
        private final Thread[] threads;
        private final Phaser listening;
        private final long number = new SecureRandom().nextLong();
        private @Nullable MessagingException failure;

        Job(int size, MessagingOptions options, Program program) {
            this.size = size;
            this.options = options;
            this.program = program;
            addresses = new SocketAddress[size];
            threads = new Thread[size];
            listening = new Phaser(size);
        }

        void run() {
            for (int i = 0; i < size; i++) {
                int rank = i;
                threads[i] = Thread.ofPlatform().name("rank-" + rank).unstarted(() -> runRank(rank));
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
                if (failure != null) {
                    throw failure;
                }
            }
        }

        private void runRank(int rank) {
            try (Rnic rnic = Rnic.open(options.rnic())) {
                Messenger messenger = new Messenger(rank, size, rnic, options, System::nanoTime, new SecureRandom());
                runRank(rank, messenger, new Communicator(rank, size, rnic, messenger, options));
            } catch (Throwable e) {
                fail(rank, e);
            }
        }

        private void runRank(int rank, Messenger messenger, Communicator world) {
            try {
                meet(rank, messenger);
                world.joined();
                program.run(world);
                world.close();
            } catch (Throwable e) {
                fail(rank, e); // before the other ranks notice it
            } finally {
                world.abort();
            }
        }

        /** Waits until all ranks listen, or one has failed. */
        private void meet(int rank, Messenger messenger) throws IOException, InterruptedException {
            addresses[rank] = messenger.endpoint().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int phase = listening.arrive();
            try {
                phase = phase < 0 ? phase : listening.awaitAdvanceInterruptibly(phase, START_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                phase = -1;
            }
            if (phase < 0) {
                throw new JobStartException("Another rank did not start.");
            }
            messenger.members().join(List.of(addresses), number);
        }

        private synchronized void fail(int rank, Throwable e) {
            if (failure == null) {
                failure = new MessagingException("Rank " + rank + " failed: " + e.getMessage(), e);
            } else {
                failure.addSuppressed(e);
            }
            if (listening.getPhase() == 0) {
                listening.forceTermination();
            }
        }
    }
}
