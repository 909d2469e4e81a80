package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.notify.CompletionSource;
import io.verbena.notify.CqNotifier;
import io.verbena.notify.NotificationFlow;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.notify.RegisteredHandler;
import io.verbena.objects.QueuePairRules;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A completion queue of an adapter. Entries are fetched 16 at a time into memory of ours, because an adapter can move entries and
 * not show them.
 *
 * <p>An adapter reports an event only for entries that arrive after the request. So each request is followed by a fetch, which finds
 * those that arrived before. Fetching is done under a lock, by the thread that polls or by one that waits.
 */
final class HardwareCompletionQueue implements CompletionSource {

    /** Entries that are fetched at a time. */
    static final int BATCH = 16;

    private static final VarHandle FETCHED = counter("fetched");
    private static final VarHandle TAKEN = counter("taken");
    private static final VarHandle POLLED = counter("polled");

    private static final NotificationFlow WHEN_ARMED = new NotificationFlow(false);
    private static final NotificationFlow ALWAYS = new NotificationFlow(true);

    private final HardwareRnic rnic;
    private final int number;
    private final CqNotifier notifier;
    private final WaitPoint arrived;

    /** Freed when no cursor can reach this object any more: a poll may be under way when another thread closes the CQ. */
    private final Arena arena = Arena.ofAuto();

    private final long entries;
    private final OwnEntries own = new OwnEntries();
    private final HiddenEntries hidden;
    private final Object fetching = new Object();
    private final AtomicInteger users = new AtomicInteger();
    private final BooleanSupplier holdsAnyOrEnded = this::holdsAnyOrEnded;
    private final long cq;

    /** Number of entries fetched before those in memory. */
    private long base;

    /** Numbers of entries fetched, by any thread under the lock, and taken, by the thread that polls. */
    @SuppressWarnings("UnusedVariable") // through FETCHED
    private volatile long fetched;

    @SuppressWarnings("UnusedVariable") // through TAKEN
    private volatile long taken;

    @SuppressWarnings("UnusedVariable") // through POLLED
    private volatile long polled;

    private volatile int capacity;
    private volatile boolean requested;
    private volatile boolean overflowed;
    private volatile boolean closed;

    HardwareCompletionQueue(HardwareRnic rnic, int number, CompletionQueueOptions options, long channel, int vector) {
        this.rnic = rnic;
        this.number = number;
        capacity = options.capacity();
        hidden = new HiddenEntries(rnic);
        notifier = new CqNotifier(this, options.solicitedAlwaysSignals() ? ALWAYS : WHEN_ARMED);
        arrived = rnic.newWaitPoint();
        entries = arena.allocate((long) BATCH * IbvWc.STRUCT.sizeBytes(), 8).address();
        cq = rnic.adapter()
                .libraries()
                .call(NativeFunction.CREATE_CQ, rnic.adapter().context(), size(capacity), 0, channel, vector);
    }

    private static VarHandle counter(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(HardwareCompletionQueue.class, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Entries for the program, and those of requests that are signalled only to free slots. */
    private int size(int wanted) {
        int most = rnic.facts().limit(AdapterFacts.Limit.MAX_CQE);
        if (wanted > most) {
            throw new IllegalArgumentException("the capacity of a CQ must be 1 to " + most + ", not " + wanted);
        }
        return Math.min(most, wanted + Math.max(BATCH, wanted / 4));
    }

    /** Its ibv_cq. */
    long cq() {
        return cq;
    }

    @Override
    public Rnic rnic() {
        return rnic;
    }

    HardwareRnic hardware() {
        return rnic;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public CqNotifier notifier() {
        return notifier;
    }

    @Override
    public CompletionCursor cursor() {
        return new HardwareCursor(this);
    }

    // Entries.

    /**
     * The next entry, for the thread that polls.
     *
     * @return its address, 0 if there is none or the CQ is closed; valid until {@link #taken}
     */
    long nextEntry() {
        if (closed) {
            return 0;
        }
        long next = (long) TAKEN.get(this);
        if (next == (long) FETCHED.getAcquire(this) && !fetch()) {
            return 0;
        }
        return entries + (next - base) * IbvWc.STRUCT.sizeBytes();
    }

    /** The entry was read: its memory is free, and that of the hidden entries after it. */
    void taken() {
        long next = (long) TAKEN.get(this) + 1;
        long all = (long) FETCHED.getAcquire(this);
        while (next < all && hidden.drop(entries + (next - base) * IbvWc.STRUCT.sizeBytes())) {
            next++;
        }
        TAKEN.setRelease(this, next);
    }

    /** An entry was given to the program. */
    void countPolled() {
        POLLED.setRelease(this, (long) POLLED.get(this) + 1);
    }

    /** Fetches entries if all that were fetched are taken: only then is their memory free. */
    private boolean fetch() {
        synchronized (fetching) {
            long all = fetched;
            if (!closed && (long) TAKEN.getAcquire(this) == all) {
                int count;
                int dropped;
                do {
                    count = rnic.adapter().calls().pollCq(cq, BATCH, entries);
                    dropped = 0;
                    while (dropped < count && hidden.drop(entries + (long) dropped * IbvWc.STRUCT.sizeBytes())) {
                        dropped++;
                    }
                } while (count > 0 && dropped == count);
                if (count > 0) {
                    base = all - dropped;
                    FETCHED.setRelease(this, all + count - dropped);
                }
            }
            return left() > 0;
        }
    }

    /** Entries that were fetched and not taken. */
    private int left() {
        return (int) ((long) FETCHED.getAcquire(this) - (long) TAKEN.getAcquire(this));
    }

    /** Entries of work that was never given to the adapter. */
    OwnEntries own() {
        return own;
    }

    /** An entry of ours was added. */
    void ownAdded() {
        arrived.signal();
        notifier.signalIfDue();
    }

    @Override
    public boolean holdsAny() {
        return !own.isEmpty() || left() > 0 || fetch();
    }

    /** An adapter does not tell which entries were solicited before they are fetched: every entry may be one. */
    @Override
    public boolean holds(int causes) {
        return holdsAny();
    }

    @Override
    public long polled() {
        return polled;
    }

    // Waiting and events.

    @Override
    public boolean await(Duration timeout) {
        arrived.await(holdsAnyOrEnded, Times.nanos(timeout));
        return !closed && holdsAny();
    }

    private boolean holdsAnyOrEnded() {
        if (ended() || holdsAny()) {
            return true;
        }
        arm(false);
        return holdsAny();
    }

    private boolean ended() {
        return closed || rnic.closed();
    }

    @Override
    public CompletionCursor take(Duration timeout) throws TimeoutException {
        CompletionCursor cursor = cursor();
        long beganNs = System.nanoTime();
        long timeoutNs = Times.nanos(timeout);
        while (true) {
            if (cursor.next()) {
                return cursor;
            }
            if (ended()) {
                throw new IllegalStateException(
                        "the completion queue or its RNIC is closed, and it contains no completion");
            }
            long leftNs = timeoutNs - (System.nanoTime() - beganNs);
            if (leftNs <= 0) {
                throw new TimeoutException("No work completed within " + Times.text(timeout) + ".");
            }
            await(Duration.ofNanos(leftNs));
        }
    }

    private void arm(boolean solicitedOnly) {
        synchronized (fetching) {
            if (!closed) {
                // siw takes no receive for a solicited one
                boolean fewer = solicitedOnly && !rnic.facts().siw();
                rnic.adapter().calls().reqNotifyCq(cq, fewer);
            }
        }
    }

    @Override
    public void requestNotification(Notification kind) {
        requested = true;
        notifier.request(kind == Notification.NEXT ? Event.NEXT_REQUESTED : Event.SOLICITED_REQUESTED);
        arm(kind == Notification.SOLICITED);
        notifier.signalIfDue();
    }

    /** The adapter has reported an event. */
    void onEvent() {
        arrived.signal();
        if (requested && !closed) {
            if (!holdsAny()) {
                arm(false); // the entry was taken by a thread that waited
            }
            notifier.signalIfDue();
        }
    }

    @Override
    public void handler(Optional<CqHandlerId> id) {
        checkOpen();
        notifier.handler(id.map(rnic.handlers()::get));
    }

    @Override
    public Optional<CqHandlerId> handler() {
        return notifier.handler().map(RegisteredHandler::id);
    }

    @Override
    public void onReady(Optional<Runnable> callback) {
        checkOpen();
        notifier.ready(callback.map(rnic.handlers()::unregistered)).ifPresent(replaced -> {
            replaced.remove();
            rnic.handlers()
                    .awaitEnd(
                            "The ready callback is replaced, but it",
                            () -> !notifier.dispatch().runsElsewhere(replaced));
        });
    }

    @Override
    public HandlerFigures figures() {
        return notifier.figures();
    }

    @Override
    public void moderate(int count, Duration period) {
        QueuePairRules.moderation(count, period, rnic.facts().limit(AdapterFacts.Limit.MAX_CQE));
        throw new UnsupportedOperationException("The provider ibverbs does not moderate events.");
    }

    // Capacity and life cycle.

    @Override
    public void resize(int newCapacity) {
        checkOpen();
        if (newCapacity < 1 || newCapacity < size()) {
            throw new IllegalArgumentException(
                    "the CQ holds " + size() + " entries and cannot be resized to " + newCapacity);
        }
        synchronized (fetching) {
            checkOpen(); // again: it is not destroyed under the lock
            resizeNative(newCapacity);
            capacity = newCapacity;
        }
    }

    private void resizeNative(int newCapacity) {
        try {
            rnic.adapter().libraries().call(NativeFunction.RESIZE_CQ, cq, size(newCapacity));
        } catch (CallFailedException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            throw new UnsupportedOperationException(
                    "The device " + rnic.facts().name()
                            + " cannot resize a CQ; create it with the capacity that it needs.",
                    e);
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** The entries that were fetched: an adapter does not tell how many it has. */
    @Override
    public int size() {
        boolean _ = holdsAny();
        return left() + own.size();
    }

    @Override
    public boolean overflowed() {
        return overflowed;
    }

    void markOverflowed() {
        overflowed = true;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    void enter() {
        checkOpen();
        users.incrementAndGet();
    }

    void leave() {
        users.decrementAndGet();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the completion queue is closed");
        }
    }

    @Override
    public void handlerEnded() {
        rnic.handlers().ended();
    }

    @Override
    public void close() {
        if (users.get() > 0) {
            throw new IllegalStateException("queue pairs complete on this CQ; close them first");
        }
        synchronized (fetching) {
            if (closed) {
                return;
            }
            closed = true;
        }
        arrived.signal();
        notifier.close();
        rnic.handlers()
                .awaitEnd(
                        "The completion queue is closed, but its handler",
                        () -> !notifier.dispatch().runsElsewhere());
        rnic.forget(this);
        rnic.adapter().libraries().call(NativeFunction.DESTROY_CQ, cq);
    }
}
