package io.verbena.hardware.provider;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.request.Statuses;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.notify.NotificationFlow.Event;
import io.verbena.objects.CompletionQueueObject;
import io.verbena.objects.Ownership;
import io.verbena.objects.QueuePairRules;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * A completion queue of an adapter. Entries are fetched 16 at a time into memory of ours, because an adapter can move entries and
 * not show them.
 *
 * <p>An adapter reports an event only for entries that arrive after the request. So each request is followed by a fetch, which finds
 * those that arrived before. Fetching is done under a lock, by the thread that polls or by one that waits.
 */
final class HardwareCompletionQueue extends CompletionQueueObject {

    /** Entries that are fetched at a time. */
    static final int BATCH = 16;

    private static final VarHandle FETCHED = counter("fetched");
    private static final VarHandle TAKEN = counter("taken");
    private static final VarHandle POLLED = counter("polled");

    private final AdapterContext rnic;

    /** Freed when no cursor can reach this object any more: a poll may be under way when another thread closes the CQ. */
    private final Arena arena = Arena.ofAuto();

    private final long entries;
    private final OwnEntries own = new OwnEntries();
    private final HiddenEntries hidden;
    private final Object fetching = new Object();
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

    /** Entries that were fetched before there was space for them. */
    private final ArrayDeque<MemorySegment> kept = new ArrayDeque<>();

    /** Queue pairs whose outstanding requests outlive their native queue pair; their entries are sorted. */
    private volatile int surviving;

    private volatile int capacity;
    private volatile boolean requested;

    HardwareCompletionQueue(AdapterContext rnic, int number, CompletionQueueOptions options, long channel, int vector) {
        super(number, options, rnic.newWaitPoint(), rnic.handlers());
        this.rnic = rnic;
        capacity = options.capacity();
        hidden = new HiddenEntries(rnic);
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

    static HardwareCompletionQueue of(CompletionQueue cq, AdapterContext rnic) {
        if (cq instanceof HardwareCompletionQueue hardwareCompletionQueue && hardwareCompletionQueue.rnic == rnic) {
            return hardwareCompletionQueue;
        }
        throw Ownership.foreign("completion queue");
    }

    /** Its ibv_cq. */
    long cq() {
        return cq;
    }

    @Override
    public Rnic rnic() {
        return rnic;
    }

    AdapterContext hardware() {
        return rnic;
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
        if (closed()) {
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
        assert next <= all : "an entry is taken after it was shown, once";
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
            if (!closed() && (long) TAKEN.getAcquire(this) == all) {
                int count;
                int dropped;
                do {
                    count = kept.isEmpty() ? poll(entries) : takeKept();
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

    private int poll(long to) {
        int count = rnic.adapter().calls().pollCq(cq, BATCH, to);
        assert count <= BATCH : "the adapter writes no more than it was asked for";
        if (surviving > 0) {
            sort(to, count);
        }
        return count;
    }

    /** Has the queue pairs see their entries. One that is not for the program becomes an entry of no queue. */
    private void sort(long from, int count) {
        for (int i = 0; i < count; i++) {
            long entry = from + (long) i * IbvWc.STRUCT.sizeBytes();
            long id = Native.longAt(entry + IbvWc.WR_ID);
            PostedWork of = WorkId.isShared(id) ? null : rnic.queuePair(WorkId.queue(id));
            CompletionStatus status = Statuses.of(Native.intAt(entry + IbvWc.STATUS));
            if (of != null && of.keeps(WorkId.isReceive(id), WorkId.slot(id), status)) {
                Native.putLong(entry + IbvWc.WR_ID, WorkId.NONE);
            }
        }
    }

    private int takeKept() {
        MemorySegment oldest = kept.removeFirst();
        Native.copy(oldest.address(), entries, oldest.byteSize());
        return (int) (oldest.byteSize() / IbvWc.STRUCT.sizeBytes());
    }

    /**
     * Fetches everything that the adapter has, also what the program has no time for: nothing of a queue pair that has
     * ended is left there.
     */
    void fetchAll() {
        synchronized (fetching) {
            int count = BATCH;
            while (!closed() && count == BATCH) {
                MemorySegment fresh = Arena.ofAuto().allocate((long) BATCH * IbvWc.STRUCT.sizeBytes(), 8);
                count = poll(fresh.address());
                if (count > 0) {
                    kept.addLast(fresh.asSlice(0, (long) count * IbvWc.STRUCT.sizeBytes()));
                }
            }
        }
        ownAdded();
    }

    /** Changes the number of queue pairs whose entries are sorted. */
    void keepOutstanding(int more) {
        synchronized (fetching) {
            surviving += more;
        }
    }

    /** Entries that were fetched and not taken. */
    private int left() {
        return (int) ((long) FETCHED.getAcquire(this) - (long) TAKEN.getAcquire(this));
    }

    /** Whether one of the next entries reports that work of a queue pair has failed. Any thread. */
    boolean holdsFailureOf(int queuePairNumber) {
        synchronized (fetching) {
            boolean _ = left() > 0 || fetch();
            long all = fetched;
            for (long next = (long) TAKEN.getAcquire(this); next < all; next++) {
                long entry = entries + (next - base) * IbvWc.STRUCT.sizeBytes();
                CompletionStatus status = Statuses.of(Native.intAt(entry + IbvWc.STATUS));
                if (status != CompletionStatus.SUCCESS
                        && status != CompletionStatus.FLUSHED
                        && Native.intAt(entry + IbvWc.QP_NUM) == queuePairNumber) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Entries of work that was never given to the adapter. */
    OwnEntries own() {
        return own;
    }

    /** An entry of ours was added. */
    void ownAdded() {
        wakeWaiters();
        notifier().signalIfDue();
    }

    @Override
    public boolean holdsAny() {
        return !closed() && (!own.isEmpty() || left() > 0 || fetch());
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

    /** An adapter reports only entries that arrive after the request. */
    @Override
    protected boolean arm() {
        arm(false);
        return holdsAny();
    }

    @Override
    protected boolean rnicEnded() {
        return rnic.closed();
    }

    @Override
    protected long clockNs() {
        return rnic.nowNs();
    }

    private void arm(boolean solicitedOnly) {
        synchronized (fetching) {
            if (!closed()) {
                // siw takes no receive for a solicited one
                boolean fewer = solicitedOnly && !rnic.facts().siw();
                rnic.adapter().calls().reqNotifyCq(cq, fewer);
            }
        }
    }

    @Override
    public void requestNotification(Notification kind) {
        requested = true;
        notifier().request(kind == Notification.NEXT ? Event.NEXT_REQUESTED : Event.SOLICITED_REQUESTED);
        arm(kind == Notification.SOLICITED);
        notifier().signalIfDue();
    }

    /** The adapter has reported an event. */
    void onEvent() {
        wakeWaiters();
        if (requested && !closed()) {
            if (!holdsAny()) {
                arm(false); // the entry was taken by a thread that waited
            }
            notifier().signalIfDue();
        }
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
        synchronized (fetching) {
            long bytes = kept.stream().mapToLong(MemorySegment::byteSize).sum();
            return left() + own.size() + (int) (bytes / IbvWc.STRUCT.sizeBytes());
        }
    }

    @Override
    public void handlerEnded() {
        rnic.handlers().ended();
    }

    @Override
    public void close() {
        checkUnused();
        synchronized (fetching) {
            if (closed()) {
                return;
            }
            markClosed();
        }
        wakeWaiters();
        notifier().close();
        awaitHandler();
        rnic.forget(this);
        rnic.adapter().libraries().call(NativeFunction.DESTROY_CQ, cq);
    }
}
