package io.verbena.sockets.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one thread waits for: a list of members that have perhaps become ready, a condition of the thread, and the way
 * in which the thread sleeps now. Any thread signals a member; one thread at a time takes members and waits.
 *
 * <pre>{@code
 *   a thread that signals               the thread that waits
 *     makes the member ready              takes the list, and looks at each member
 *     adds it to the list                 dequeues those that are not ready, looks at each once more
 *     wakes: takes the announcement,      announces how it sleeps, looks at the list and the condition,
 *       and wakes the thread                and sleeps if there is nothing
 * }</pre>
 *
 * <p><b>No wait misses its signal.</b> Each side writes first and looks at what the other one writes after that (all
 * volatile). A thread that signals takes the announcement, so a sleep costs one wake-up however many members signal.
 * What it wakes for may be served meanwhile, while the waiting thread sleeps again: such a late wake-up has taken the
 * new announcement. So the thread announces before each look, not once for a wait.
 *
 * @param <M> the members of the list
 */
public final class WaitSet<M> {

    private static final VarHandle HEAD;
    private static final VarHandle SLEEP;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(WaitSet.class, "head", Entry.class);
            SLEEP = MethodHandles.lookup().findVarHandle(WaitSet.class, "sleep", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Supplier<? extends @Nullable EngineDriver> driver;
    private final BooleanSupplier condition;
    private final long spinNs;
    private final Polling polling = new Polling();
    private final Runnable parked = this::wakeParked;

    /** The newest first. */
    private volatile @Nullable Entry<M> head;

    /**
     * What ends the sleep that was announced; null while the thread works, and after a thread that signals has taken
     * it.
     */
    private volatile @Nullable Runnable sleep;

    /** The thread that parks. */
    private volatile @Nullable Thread waiting;

    /** The place of a member in one set. */
    public static final class Entry<M> {

        private static final VarHandle PLACE;

        static {
            try {
                PLACE = MethodHandles.lookup().findVarHandle(Entry.class, "place", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** The thread does not look at it. */
        private static final int IDLE = 0;

        /** It is in the list, or the thread looks at it in each round. */
        private static final int QUEUED = 1;

        /** As {@link #QUEUED}, and there was a signal since the thread has looked. */
        private static final int SIGNALLED = 2;

        private final M member;
        private volatile int place;
        private @Nullable Entry<M> next;

        public Entry(M member) {
            this.member = member;
        }

        public M member() {
            return member;
        }

        /** There is a signal. Returns whether the entry was not queued, and now is: then it goes into the list. */
        boolean raise() {
            int before = place;
            while (!PLACE.compareAndSet(this, before, before == IDLE ? QUEUED : SIGNALLED)) {
                before = place;
            }
            return before == IDLE;
        }

        /**
         * The waiting thread looks at the entry in each round from now on, without a signal. Returns whether it did
         * not.
         */
        public boolean claim() {
            return PLACE.compareAndSet(this, IDLE, QUEUED);
        }

        /** The waiting thread looks at the entry now. Returns whether there was a signal since the last time. */
        public boolean takeSignal() {
            return PLACE.compareAndSet(this, SIGNALLED, QUEUED);
        }

        /**
         * The waiting thread looks at the entry no more, until there is a signal. It has to look once more after this,
         * because what has become ready before has not signalled.
         *
         * @return whether there was a signal since it has looked
         */
        public boolean dequeue() {
            return (int) PLACE.getAndSet(this, IDLE) == SIGNALLED;
        }

        /** Leaves the list that was taken. Returns the entry after this one. */
        public @Nullable Entry<M> unlink() {
            Entry<M> after = next;
            next = null;
            return after;
        }

        @Override
        public String toString() {
            return member + ":" + place;
        }
    }

    /**
     * As {@link #WaitSet(Supplier, BooleanSupplier, long)}, with a driver that is there already and without spinning.
     */
    public WaitSet(EngineDriver driver, BooleanSupplier condition) {
        this(() -> driver, condition, 0);
    }

    /**
     * An empty set.
     *
     * @param driver drives the engine while the thread waits; null as long as there is no engine
     * @param condition ends the wait beside the list; a thread that makes it true calls {@link #wake} then
     * @param spinNs time to look at both while another thread drives the engine, before the thread parks
     */
    public WaitSet(Supplier<? extends @Nullable EngineDriver> driver, BooleanSupplier condition, long spinNs) {
        this.driver = driver;
        this.condition = condition;
        this.spinNs = spinNs;
    }

    // Any thread.

    /** Lists a member that has perhaps become ready, and ends the wait. */
    public void signal(Entry<M> entry) {
        if (entry.raise()) {
            push(entry);
            wake();
        }
    }

    void push(Entry<M> entry) {
        Entry<M> first;
        do {
            first = head;
            entry.next = first;
        } while (!HEAD.compareAndSet(this, first, entry));
    }

    /** Ends the wait, whose condition is true now. */
    public void wake() {
        Runnable taken = takeSleep();
        if (taken != null) {
            taken.run();
        }
    }

    /** Takes the announcement. Returns what wakes the thread, or null if it does not sleep. */
    @Nullable
    Runnable takeSleep() {
        Runnable seen = sleep;
        return seen != null && SLEEP.compareAndSet(this, seen, null) ? seen : null;
    }

    private void wakeParked() {
        EngineDriver now = driver.get();
        if (now == null) {
            LockSupport.unpark(waiting);
        } else {
            now.wake(waiting);
        }
    }

    // The thread that waits.

    /** Whether no member is listed. */
    public boolean isEmpty() {
        return head == null;
    }

    /**
     * Takes the list. Returns the oldest entry, from which {@link Entry#unlink} leads to the others; null if there is
     * none.
     */
    @SuppressWarnings("unchecked")
    public @Nullable Entry<M> takeAll() {
        Entry<M> newer = (Entry<M>) HEAD.getAndSet(this, null);
        Entry<M> oldest = null;
        while (newer != null) {
            Entry<M> older = newer.next;
            newer.next = oldest;
            oldest = newer;
            newer = older;
        }
        return oldest;
    }

    /** Whether the wait is over: a member is listed, or the condition is true. */
    public boolean over() {
        return head != null || condition.getAsBoolean();
    }

    /**
     * Announces a sleep of the caller's own kind. The caller sleeps if this returns true, and calls {@link #awake}
     * after that in any case.
     *
     * @param waking ends this sleep, or the next one if it has not begun; any thread
     */
    public boolean announce(Runnable waking) {
        sleep = waking;
        return !over();
    }

    /** The sleep has ended. */
    public void awake() {
        sleep = null;
    }

    /**
     * Waits: drives the engine, or parks while another thread does, see {@link EngineDriver}. The status of an
     * interrupt ends the wait only if it is part of the condition.
     *
     * @return whether the wait is over; false if the time has expired
     */
    public boolean await(long timeoutNs) {
        polling.waits();
        waiting = Thread.currentThread();
        EngineDriver now = driver.get();
        boolean drives = now != null && now.enter();
        try {
            return !drives && spins(now) || sleep(now, timeoutNs);
        } finally {
            awake();
            waiting = null;
            if (now != null) {
                now.leave();
            }
        }
    }

    private boolean sleep(@Nullable EngineDriver now, long timeoutNs) {
        long startNs = System.nanoTime();
        for (long leftNs = timeoutNs; leftNs > 0; leftNs = timeoutNs - (System.nanoTime() - startNs)) {
            if (!announce(parked)) {
                return true;
            }
            if (now == null) {
                LockSupport.parkNanos(this, leftNs);
                return over(); // the caller looks whether there is an engine meanwhile
            }
            now.pause(this, leftNs);
        }
        return over();
    }

    private boolean spins(@Nullable EngineDriver now) {
        if (now == null || spinNs == 0) {
            return false;
        }
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < spinNs) {
            if (over()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /**
     * The thread has looked without waiting. If that continues, it drives the engine, which else needs a processor
     * beside it.
     */
    public void poll() {
        if (polling.failed()) {
            pollNow();
        }
    }

    /** The thread looks instead of waiting: it drives the engine each time. */
    public void pollNow() {
        EngineDriver now = driver.get();
        if (now != null && now.inUse()) {
            now.poll();
        }
    }

    /** The thread waits in a sleep of its own kind: it does not poll. */
    public void waits() {
        polling.waits();
    }

    /** The members of the list, the newest first, and whether a sleep is announced. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(sleep == null ? "" : "sleeps ");
        for (Entry<M> entry = head; entry != null; entry = entry.next) {
            text.append(entry).append(' ');
        }
        return text.toString();
    }
}
