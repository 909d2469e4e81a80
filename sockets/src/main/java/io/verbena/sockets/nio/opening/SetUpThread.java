package io.verbena.sockets.nio.opening;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a JVM that accepts peers, connects, and reads first bytes, for the channels of all providers. It never waits for anything
 * but its selector; work that may take a while is done by four other threads. So set-up does not depend on the scheduler of
 * the virtual threads, which a computing program can occupy.
 *
 * <p>It has no lambdas, because every first connection of a JVM passes here: the JVM would write a class for each.
 */
public final class SetUpThread implements Runnable, ThreadFactory {

    private static final int WORKERS = 4;

    /** Parts of a wait that is measured by what this thread can do in it. */
    private static final int PARTS = 5;

    private static @Nullable SetUpThread instance;

    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final AtomicLong timerNumbers = new AtomicLong();
    private final AtomicLong workerNumbers = new AtomicLong();
    private final ThreadPoolExecutor workers;

    /** Of the thread: what waits until the selector has forgotten the keys that were cancelled. */
    private List<Runnable> leaving = new ArrayList<>();

    /** Of the thread. */
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();

    private static final long START_NS = System.nanoTime();

    /** Something to be done at an instant, unless it is cancelled. As a step of the thread it joins the queue. */
    public final class Timer implements Comparable<Timer>, Runnable {
        private final long number;
        private final long partNs;
        private volatile @Nullable Runnable task;

        // Of the thread, while the timer is not in the queue.
        private long atNs;
        private int parts;

        private volatile boolean cancelled;

        private Timer(long number, long partNs, int parts, Runnable task) {
            this.number = number;
            this.partNs = partNs;
            this.parts = parts;
            this.task = task;
            atNs = System.nanoTime() + partNs;
        }

        public void cancel() {
            cancelled = true;
            task = null; // it remains in the queue for its time, and the connection that it was for would, too
        }

        @Override
        public void run() {
            timers.add(this);
        }

        @Override
        public int compareTo(Timer other) {
            int earlier = Long.compare(atNs - START_NS, other.atNs - START_NS);
            return earlier != 0 ? earlier : Long.compare(number, other.number);
        }
    }

    private SetUpThread(SelectorProvider jdk) {
        try {
            selector = jdk.openSelector();
        } catch (IOException e) {
            throw new UncheckedIOException("No selector can be opened for the set-up of sockets", e);
        }
        workers = new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this);
        thread = new OwnThread(this, "verbena-sockets-setup");
    }

    /** The one of this JVM, which begins with the first use. */
    public static synchronized SetUpThread of(SelectorProvider jdk) {
        SetUpThread running = instance;
        if (running == null) {
            running = new SetUpThread(jdk);
            running.thread.start();
            instance = running;
        }
        return running;
    }

    /** Where the set-up reports. Only a message that is logged has the JVM load what logging needs. */
    public static System.Logger log() {
        return System.getLogger("io.verbena.sockets");
    }

    /** Of a worker. */
    @Override
    public Thread newThread(Runnable work) {
        return new OwnThread(work, "verbena-sockets-work-" + workerNumbers.getAndIncrement());
    }

    /** The loop of the thread. */
    @Override
    public void run() {
        while (true) {
            try {
                long startNs = System.nanoTime();
                select();
                for (SelectionKey key : List.copyOf(selector.selectedKeys())) {
                    selector.selectedKeys().remove(key);
                    ready(key);
                }
                for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
                    run(command);
                }
                runTimers(startNs);
                forgetAll();
            } catch (IOException e) {
                log().log(Level.ERROR, "The set-up of sockets has failed to wait, and tries again.", e);
            }
        }
    }

    /** One selection for all of them: each returns all channels that are ready. */
    private void forgetAll() throws IOException {
        if (!leaving.isEmpty()) {
            selector.selectNow();
            List<Runnable> left = leaving;
            leaving = new ArrayList<>();
            for (Runnable step : left) {
                run(step);
            }
        }
    }

    private void select() throws IOException {
        Timer next = timers.peek();
        if (!commands.isEmpty()
                || !leaving.isEmpty()
                || !selector.selectedKeys().isEmpty()) {
            selector.selectNow();
        } else if (next == null) {
            selector.select();
        } else {
            long leftNs = next.atNs - System.nanoTime();
            if (leftNs <= 0) {
                selector.selectNow();
            } else {
                selector.select(leftNs / 1_000_000 + 1);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void ready(SelectionKey key) {
        try {
            if (key.isValid() && (key.readyOps() & key.interestOps()) != 0) {
                ((Consumer<SelectionKey>) key.attachment()).accept(key);
            }
        } catch (CancelledKeyException _) {
            return; // by what ran before it
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** Work of another thread, whose failure is reported in the same way. */
    private record Work(Runnable step) implements Runnable {
        @Override
        public void run() {
            SetUpThread.run(step);
        }
    }

    /** One connection that fails must not end all others. */
    private static void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private static void failed(Throwable e) {
        log().log(Level.ERROR, "A step of the set-up of a socket has failed.", e);
    }

    /** Runs those that were due before the last selection: what has arrived meanwhile, while this thread was delayed, comes first. */
    private void runTimers(long untilNs) {
        for (Timer next = timers.peek(); next != null && next.atNs - untilNs <= 0; next = timers.peek()) {
            timers.remove();
            Runnable task = next.task;
            if (next.cancelled || task == null) {
                continue;
            }
            if (--next.parts > 0) {
                next.atNs = System.nanoTime() + next.partNs;
                timers.add(next);
            } else {
                run(task);
            }
        }
    }

    // Any thread.

    /** Runs a step in this thread, at once if the caller is this thread. */
    public void execute(Runnable step) {
        if (Thread.currentThread() == thread) {
            step.run();
        } else {
            commands.add(step);
            selector.wakeup();
        }
    }

    /** Has this thread select again. */
    void wakeup() {
        selector.wakeup();
    }

    /** Runs work that may take a while in another thread. */
    public void work(Runnable work) {
        workers.execute(new Work(work));
    }

    /** Runs a step in this thread later. */
    public Timer after(long delayNs, Runnable task) {
        return add(new Timer(timerNumbers.incrementAndGet(), delayNs, 1, task));
    }

    /**
     * Runs a step if a peer does not do its part in time. Where this thread gets the processor late, a peer probably does so too: each part of the
     * wait begins when the one before it was noticed to be over.
     */
    public Timer afterPatience(long delayNs, Runnable task) {
        return add(new Timer(timerNumbers.incrementAndGet(), delayNs / PARTS, PARTS, task));
    }

    private Timer add(Timer timer) {
        execute(timer);
        return timer;
    }

    // This thread.

    /** Calls {@code ready} as long as the channel, which does not block, is ready for these operations. */
    public SelectionKey watch(SelectableChannel channel, int ops, Consumer<SelectionKey> ready) throws IOException {
        return channel.register(selector, ops, ready);
    }

    /** Ends the watch. {@code then} runs in this thread when the channel belongs to no selector. */
    public void forget(SelectionKey key, Runnable then) {
        key.cancel();
        leaving.add(then);
    }
}
