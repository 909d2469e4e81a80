package io.verbena.host.engine;

import io.verbena.engine.Endpoint;
import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A thread that waits in an RNIC, and another RNIC in the same process. With INLINE the waiting thread has opened its RNIC.
 * Most ends of a wait must then be caused in that thread: a listener that runs while it waits does so.
 */
public final class WaitingCall implements AutoCloseable {

    /** Longer than a nanosecond clock can count. */
    public static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

    /** A wait of negative length. */
    public static final Duration LEAST = Duration.ofSeconds(Long.MIN_VALUE);

    /** How long a call waits after what it waits for has ended: a multiple of the documented 100 ms, for a busy machine. */
    static final long AFTER_END_NS = 5_000_000_000L;

    /** Prepares the objects of a call in the thread that will wait. */
    public interface Preparation {
        Subject prepare(WaitingCall place) throws Exception;
    }

    /** A blocking call. */
    public interface Wait {
        Object call() throws Exception;
    }

    /** A call that waits, and an action that closes the object that it waits for. */
    public record Subject(Wait call, Runnable close) {}

    final Progress progress;
    public final Rnic other;

    /** How long the call may wait. */
    public final Duration patience;

    private final RnicOptions options;
    private final CompletableFuture<Runnable> closes = new CompletableFuture<>();
    private final CompletableFuture<Listener> triggers = new CompletableFuture<>();
    private final CompletableFuture<Rnic> opened = new CompletableFuture<>();
    private final FutureTask<Object> result;
    private final Thread thread;
    private Runnable inOwner = () -> {};
    private volatile boolean ending;

    /** What the call does is about to begin. */
    public WaitingCall(String provider, Progress progress, Duration patience, Preparation preparation) {
        this.progress = progress;
        this.patience = patience;
        RnicOptions common = RnicOptions.defaults().withProvider(provider);
        other = Rnic.open(common);
        options = common.withProgress(progress);
        result = new FutureTask<>(() -> run(preparation));
        thread = Thread.ofPlatform().daemon().name("waits").start(result);
    }

    public Rnic rnic() {
        return within(opened);
    }

    private Object run(Preparation preparation) throws Exception {
        Wait call;
        try {
            Rnic rnic = Rnic.open(options);
            opened.complete(rnic);
            Listener trigger = rnic.listen(StreamProbe.loopback(0));
            trigger.onReady(() -> inOwner.run());
            Subject subject = preparation.prepare(this);
            closes.complete(subject.close());
            call = subject.call();
            triggers.complete(trigger);
        } catch (Throwable e) {
            opened.completeExceptionally(e);
            closes.completeExceptionally(e);
            triggers.completeExceptionally(e);
            throw e;
        }
        try {
            Object value = call.call();
            return value == null ? "nothing" : value;
        } catch (Exception e) {
            return e;
        }
    }

    /** Waits until the thread waits. */
    public void awaitWaiting() {
        within(triggers);
        Until.holds(
                "the call waits",
                () -> result.isDone()
                        || Arrays.stream(thread.getStackTrace())
                                .anyMatch(frame -> frame.getClassName().equals(ParkingWaitPoint.class.getName())
                                        || frame.getClassName().equals(Borrowing.class.getName())
                                        || frame.getClassName().equals(ProgressGroup.class.getName())));
    }

    /** A join alone does not react to the interrupt of a test's time limit. */
    private static <T> T within(CompletableFuture<T> future) {
        return future.orTimeout(Until.LONG_NS, TimeUnit.NANOSECONDS).join();
    }

    public boolean waits() {
        return !result.isDone();
    }

    /** What the call waits for is about to end. */
    public void endBegins() {
        ending = true;
    }

    public boolean ending() {
        return ending;
    }

    public void closeObject() {
        within(closes).run();
    }

    /** Runs an action in the thread that may cause it: with INLINE in a callback of the thread that waits. */
    public void cause(Runnable action) throws IOException {
        if (progress != Progress.INLINE) {
            action.run();
            return;
        }
        inOwner = action;
        ask(within(triggers));
    }

    private void ask(Listener listener) throws IOException {
        startConnect(other, listener);
    }

    public static Connection startConnect(Rnic from, Listener to) throws IOException {
        CompletionQueue cq = from.createCompletionQueue(8);
        return from.startConnect(
                from.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq)),
                to.localAddress(),
                ConnectionOptions.defaults().withTimeout(LONGEST));
    }

    /** What the call returned or threw; fails if it still waits. */
    public Object outcome() throws Exception {
        long startNs = System.nanoTime();
        while (!result.isDone()) {
            if (System.nanoTime() - startNs > AFTER_END_NS) {
                throw new AssertionError("still waits: " + Arrays.toString(thread.getStackTrace()));
            }
            Thread.yield();
        }
        return result.get();
    }

    /** What the call returned or threw, for a message. */
    public String outcomeText() {
        try {
            return String.valueOf(outcome());
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** Fails the engine, as an error outside of any queue pair does. */
    public void failEngine() {
        var engine = ((SoftRnic) rnic()).engine(0);
        Endpoint hopeless = new Endpoint() {
            @Override
            protected void service(long nowNs) {
                throw new StackOverflowError("on purpose");
            }

            @Override
            protected void onBug(String sentence, long nowNs) {
                throw new AssertionError("this method fails too");
            }

            @Override
            protected long stateDigest() {
                return 0;
            }
        };
        engine.submit(() -> {
            engine.join(hopeless);
            engine.ready(hopeless);
        });
    }

    /** Closes an RNIC that another thread may own, which is reported after the RNIC has been closed. */
    public static void closeAnyway(Rnic rnic) {
        try {
            rnic.close();
        } catch (IllegalStateException e) {
            // An INLINE RNIC whose owner is another thread cannot end its connections gracefully.
        }
    }

    @Override
    public void close() {
        if (opened.isDone() && !opened.isCompletedExceptionally()) {
            closeAnyway(rnic());
        }
        other.close();
    }
}
