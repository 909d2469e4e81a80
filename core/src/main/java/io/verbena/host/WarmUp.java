package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Log;
import io.verbena.base.Times;
import io.verbena.host.system.Threads;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Two RNICs of this process exchange short messages for some milliseconds while the application sets up its
 * connections, so that classes are loaded and the first compiler has seen the methods of a message before the
 * application sends one. The setting {@link #SETTING} has the time in milliseconds; without it there is no warm-up.
 * Once per process and provider.
 */
public final class WarmUp {

    /** Name of the setting with the time in milliseconds, 0 to 1000. */
    public static final String SETTING = "warm-up-ms";

    private static final int LONGEST_MS = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int BYTES = 8;
    private static final int RECEIVES = 16;

    /** Where a number is before and after it is written. */
    private static final long OUT = 128;

    private static final long IN = 192;
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final Map<String, Thread> BEGUN = new ConcurrentHashMap<>();

    private WarmUp() {}

    /** The time for an RNIC with these options, in nanoseconds; 0 for none. */
    static long timeNs(RnicOptions options) {
        String wanted = options.settings().getOrDefault(SETTING, "0");
        try {
            int ms = Integer.parseInt(wanted);
            if (ms >= 0 && ms <= LONGEST_MS) {
                return ms * 1_000_000L;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "the setting '" + SETTING + "' must be 0 to " + LONGEST_MS + " milliseconds, not '" + wanted + "'");
    }

    /**
     * Begins a warm-up in a thread of its own, if the options ask for one and there was none. To open an RNIC does the
     * same; a program that has to wait for something else before it opens one may begin earlier.
     */
    public static void begin(RnicOptions options) {
        long timeNs = timeNs(options);
        if (timeNs > 0) {
            BEGUN.computeIfAbsent(options.provider(), _ -> start(options, timeNs));
        }
    }

    /**
     * Waits until the warm-up for these options has ended, if there was one. Returns false if it did not end in time.
     */
    public static boolean awaitEnd(RnicOptions options, Duration timeout) {
        Thread thread = BEGUN.get(options.provider());
        return thread == null || Threads.join(thread, Times.nanos(timeout));
    }

    private static Thread start(RnicOptions options, long timeNs) {
        RnicOptions own = options.withSettings(Map.of()).withCaptureFile("").toBuilder()
                .engines(1)
                .progress(Progress.INLINE)
                .build();
        Thread thread = Thread.ofPlatform().name("verbena-warm-up").daemon().unstarted(() -> run(own, timeNs));
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.start();
        return thread;
    }

    private static void run(RnicOptions options, long timeNs) {
        try {
            exchange(options, timeNs);
        } catch (IOException | RuntimeException | Error e) {
            Log.notice("The warm-up ended early, and the first messages are slower: " + e + ".");
        }
    }

    /** One end. */
    private record End(Rnic rnic, CompletionCursor completions, MemoryRegion region, QueuePair queuePair) {

        static End of(RnicOptions options) {
            Rnic rnic = Rnic.open(options);
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(4 * RECEIVES);
            MemoryRegion region = domain.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
            return new End(rnic, cq.cursor(), region, domain.createQueuePair(QueuePairOptions.of(cq)));
        }

        void receive() {
            queuePair.postReceive(1, region, 0, BYTES);
        }

        /** Writes a number into the memory of the peer, without a completion. */
        void write(End to, long number) {
            region.segment().set(JAVA_LONG, OUT, number);
            while (!queuePair.postWrite(
                    2, region, OUT, BYTES, to.region.address() + IN, to.region.rkey(), WrFlags.UNSIGNALLED)) {
                poll();
            }
        }

        /** Whether a number has arrived. */
        boolean has(long number) {
            return (long) WORD.getAcquire(region.segment(), IN) == number;
        }

        boolean poll() {
            boolean received = false;
            while (completions.next()) {
                received |= completions.wrId() == 1;
            }
            return received;
        }
    }

    /** Exchanges messages for a time. Returns their number. */
    static long exchange(RnicOptions options, long timeNs) throws IOException {
        long beginNs = System.nanoTime();
        End here = End.of(options);
        try {
            End there = End.of(options);
            try {
                connect(here, there);
                return exchange(here, there, beginNs, timeNs);
            } finally {
                there.rnic.close();
            }
        } finally {
            here.rnic.close();
        }
    }

    private static void connect(End here, End there) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        for (int i = 0; i < RECEIVES; i++) {
            here.receive();
            there.receive();
        }
        try (Listener listener = there.rnic.listen(any)) {
            Connection opening =
                    here.rnic.startConnect(here.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            Connection accepted = listener.nextRequest(PATIENCE)
                    .orElseThrow(() -> new IOException("no request within " + PATIENCE))
                    .startAccept(there.queuePair, ConnectionOptions.defaults());
            accepted.awaitEstablished(PATIENCE);
            opening.awaitEstablished(PATIENCE);
        }
    }

    /** One message at least. */
    private static long exchange(End here, End there, long beginNs, long timeNs) throws IOException {
        long messages = 0;
        End from = here;
        End to = there;
        do {
            from.queuePair.postWrite(
                    2, from.region, 0, BYTES, to.region.address(), to.region.rkey(), WrFlags.SIGNALLED);
            from.queuePair.postSend(3, from.region, 0, BYTES, WrFlags.SIGNALLED);
            await(from, to);
            to.receive();
            from.write(to, ++messages);
            awaitWrite(to, messages);
            End next = from;
            from = to;
            to = next;
        } while (System.nanoTime() - beginNs < timeNs);
        return messages;
    }

    private static void awaitWrite(End to, long number) throws IOException {
        long beginNs = System.nanoTime();
        while (!to.has(number)) {
            to.rnic.progress();
            if (System.nanoTime() - beginNs > PATIENCE.toNanos()) {
                throw new IOException("a message did not arrive within " + PATIENCE);
            }
        }
    }

    private static void await(End from, End to) throws IOException {
        long beginNs = System.nanoTime();
        while (!to.poll()) {
            from.poll();
            if (System.nanoTime() - beginNs > PATIENCE.toNanos()) {
                throw new IOException("a message did not arrive within " + PATIENCE);
            }
        }
    }
}
