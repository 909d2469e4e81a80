package io.verbena.sockets.nio;

import io.verbena.live.WantedProcessors;
import io.verbena.sockets.nio.select.InnerSelector;
import io.verbena.sockets.nio.select.Keyed;
import io.verbena.sockets.nio.select.LastKeys;
import io.verbena.sockets.nio.select.MemoryWait;
import io.verbena.sockets.nio.select.PollTime;
import io.verbena.sockets.nio.select.SelectedKeys;
import io.verbena.sockets.nio.select.SelectorWait;
import io.verbena.sockets.nio.select.VerbenaKey;
import io.verbena.sockets.ring.channel.Crowd;
import io.verbena.sockets.stream.EngineDriver;
import io.verbena.sockets.stream.WaitSet;
import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selects channels of this provider and of the JDK. Streams over RDMA signal their keys in a {@link WaitSet} when they
 * become ready; so a selection looks at these keys and not at idle ones. Channels of the JDK are registered with a
 * selector of the JDK inside.
 *
 * <p><b>Waiting.</b> If the selector of the JDK has keys, the thread polls it and the engine for the {@link PollTime}, then waits in it;
 * else it waits as {@link SelectorWait} says. A program that selects without waiting again and again drives the engine
 * too.
 *
 * <p>Over 500 lines: all of it happens under the monitor of one selection.
 */
final class VerbenaSelector extends AbstractSelector {

    private static final long NS_PER_MS = 1_000_000;

    /** A thread that looks at streams looks at channels of the JDK this often. */
    private static final long INNER_EVERY_NS = 20_000;

    /** Streams that are looked at however quiet they are, and selections after which one of more streams is quiet. */
    private static final int ALWAYS_LOOKED_AT = 16;

    private static final int MOST_QUIET = 64;

    private final Networks networks;
    private final SelectorWait wait;
    private final WaitSet<VerbenaKey> signalled;
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final SelectedKeys selected = new SelectedKeys();
    private final Set<SelectionKey> keysView = Collections.unmodifiableSet(keys);

    private volatile boolean woken;
    private final InnerSelector inner;
    private final MemoryWait memory;
    private final LastKeys lastKeys;

    // Of the thread that selects, with the monitor of this.
    private boolean selecting;

    private long innerNs = System.nanoTime() - INNER_EVERY_NS;
    private List<VerbenaKey> hot = new ArrayList<>();
    private List<VerbenaKey> looked = new ArrayList<>();

    /** Keys whose interest has changed, or that were registered, during the selection. */
    private final Set<VerbenaKey> changed = new HashSet<>();

    private boolean found;
    private final SelectorWait.Inner lookInside = this::lookInside;
    private final Consumer<VerbenaKey> onWoken = this::onInnerReady;
    private final PollTime ringTime = new PollTime(Runtime.getRuntime().availableProcessors());

    VerbenaSelector(SelectorProvider provider, Networks networks) throws IOException {
        super(provider);
        this.networks = networks;
        wait = new SelectorWait(networks::driver, this::ended);
        signalled = wait.set();
        inner = new InnerSelector(networks.jdk(), this::onInnerReady);
        memory = new MemoryWait(inner, networks::hostMemory);
        boolean complete = false;
        try {
            lastKeys = new LastKeys(networks.jdk());
            complete = true;
        } finally {
            if (!complete) {
                inner.close();
            }
        }
    }

    // Keys.

    private void ensureOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    public Set<SelectionKey> keys() {
        ensureOpen();
        return keysView;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        ensureOpen();
        return selected;
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, @Nullable Object attachment) {
        ensureOpen();
        VerbenaKey key = new VerbenaKey(this, signalled, inner, channel, ops);
        key.attach(attachment);
        if (channel instanceof Keyed ours) {
            ours.keys().add(key);
        } else {
            lastKeys.add(channel);
            key.registerInner(channel);
        }
        keys.add(key);
        if (!isOpen()) {
            key.dropInner();
            remove(key);
            throw new ClosedSelectorException();
        }
        key.signal();
        return key;
    }

    @Override
    public Selector wakeup() {
        woken = true;
        signalled.wake();
        return this;
    }

    // Selection.

    @Override
    public int selectNow() throws IOException {
        return select(Optional.empty(), 0);
    }

    @Override
    public int select() throws IOException {
        return select(Optional.empty(), Long.MAX_VALUE);
    }

    @Override
    public int select(long timeoutMs) throws IOException {
        return select(Optional.empty(), waitNs(timeoutMs));
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return select(Optional.of(action), 0);
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return select(Optional.of(action), Long.MAX_VALUE);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeoutMs) throws IOException {
        return select(Optional.of(action), waitNs(timeoutMs));
    }

    private static long waitNs(long timeoutMs) {
        if (timeoutMs < 0) {
            throw new IllegalArgumentException("The timeout must be 0 (none) or more, not " + timeoutMs + ".");
        }
        return timeoutMs == 0 || timeoutMs > Long.MAX_VALUE / NS_PER_MS ? Long.MAX_VALUE : timeoutMs * NS_PER_MS;
    }

    private int select(Optional<Consumer<SelectionKey>> action, long timeoutNs) throws IOException {
        synchronized (this) {
            ensureOpen();
            if (selecting) {
                throw new IllegalStateException("A selection is in progress in this thread.");
            }
            selecting = true;
            try {
                synchronized (selected) {
                    return selectLocked(action, timeoutNs);
                }
            } finally {
                selecting = false;
            }
        }
    }

    private int selectLocked(Optional<Consumer<SelectionKey>> action, long timeoutNs) throws IOException {
        removeCancelled();
        long startNs = System.nanoTime();
        long leftNs = timeoutNs;
        found = false;
        int updated = 0;
        if (timeoutNs == 0) {
            signalled.poll();
        }
        try {
            begin();
            boolean begins = true;
            do {
                look(begins);
                begins = false;
                chooseWait();
                if (leftNs > 0 && !woken && isOpen() && !anyReady()) {
                    if (!lookAtRings(leftNs)) {
                        retire();
                        await(leftNs);
                    }
                } else {
                    if (timeoutNs > 0 && !hot.isEmpty()) {
                        signalled.pollNow(); // a thread that always finds channels ready never waits
                    }
                    if (memory.used()) {
                        memory.collect(onWoken);
                    } else if (innerDue()) {
                        inner.select(0);
                    }
                }
                removeCancelled();
                updated += report(action);
                leftNs = timeoutNs == Long.MAX_VALUE ? timeoutNs : timeoutNs - (System.nanoTime() - startNs);
                // What was ready may have been taken, or its key cancelled, by another thread.
            } while (!found && leftNs > 0 && !ended());
        } finally {
            woken = false;
            changed.forEach(VerbenaKey::signal); // the next selection looks at them
            changed.clear();
            end();
        }
        return updated;
    }

    /**
     * Takes the keys of the list and adjusts their registrations with the selector of the JDK.
     *
     * @param begins whether the selection begins: later changes of the interest are for the next one
     */
    private void look(boolean begins) throws IOException {
        for (int i = 0; i < hot.size(); i++) { // the list grows if the selector of the JDK is looked at meanwhile
            if (hot.get(i).place().takeSignal()) {
                adjust(hot.get(i), begins);
            }
        }
        WaitSet.Entry<VerbenaKey> taken = signalled.takeAll();
        while (taken != null) {
            WaitSet.Entry<VerbenaKey> after = taken.unlink();
            taken.takeSignal();
            hot.add(taken.member());
            adjust(taken.member(), begins);
            taken = after;
        }
        inner.flush();
        removeCancelled();
        lastKeys.addReturning();
    }

    private void adjust(VerbenaKey key, boolean begins) throws IOException {
        if (begins) {
            key.beginSelection();
        } else if (key.changed()) {
            changed.add(key);
        }
        if (!key.isValid() || !key.channel().isOpen()) {
            key.cancel();
        } else {
            inner.flush();
            key.adjust();
        }
    }

    private boolean anyReady() {
        for (VerbenaKey key : hot) {
            if (((key.channelReady() | key.innerReady) & key.interest()) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Looks at streams that do not signal for as long as it pays. Returns whether the wait is over: then the thread looks at the list, and reports what is
     * ready.
     */
    private boolean lookAtRings(long leftNs) throws IOException {
        long mostNs = Math.min(leftNs, ringTime.ns());
        long startNs = System.nanoTime();
        if (mostNs == 0 || Crowd.ofMachine().sleeps(startNs) || !anyMustBeLookedAt()) {
            return false;
        }
        long nowNs = startNs;
        innerNs = startNs;
        while (nowNs - startNs < mostNs) {
            if (nowNs - innerNs >= INNER_EVERY_NS) {
                innerNs = nowNs;
                lookInside();
                if (WantedProcessors.ofMachine().scarceForSpinning(nowNs)) {
                    return false; // what has come is found before the thread sleeps
                }
            }
            if (called() || anyReady()) {
                ringTime.onWaited(nowNs - startNs);
                look(false);
                return true;
            }
            long beforeNs = Crowd.pause(nowNs - startNs, nowNs);
            nowNs = System.nanoTime();
            if (Crowd.ofMachine().looked(beforeNs, nowNs)) {
                return false;
            }
        }
        return false;
    }

    /**
     * Whether to look at the channels of the JDK. If all of them are the connections of streams at which the selector looks anyway, they tell only that
     * a peer has died.
     */
    private boolean innerDue() {
        int looked = 0;
        for (VerbenaKey key : hot) {
            looked += key.mustBeLookedAt(false) ? 1 : 0;
        }
        if (looked > 0 && looked == inner.size()) {
            long nowNs = System.nanoTime();
            if (nowNs - innerNs < INNER_EVERY_NS) {
                return false;
            }
            innerNs = nowNs;
        }
        return true;
    }

    private boolean anyMustBeLookedAt() {
        for (VerbenaKey key : hot) {
            if (key.mustBeLookedAt(memory.used())) {
                return true;
            }
        }
        return false;
    }

    /** None of the keys is ready: they come again when they are put on the list. */
    private void retire() {
        for (VerbenaKey key : hot) {
            boolean again = key.place().dequeue();
            if (!memory.used() && key.mustBeLookedAt(false)) {
                key.sleep();
            }
            if (again || (key.channelReady() & key.interest()) != 0) {
                key.signal(); // it has become ready before it could be put on the list
            }
        }
        hot.clear();
    }

    /**
     * Reports what is ready of the keys that were looked at, and keeps those that are. If an action throws, the keys after it are looked at
     * in the next selection.
     */
    private int report(Optional<Consumer<SelectionKey>> action) {
        List<VerbenaKey> candidates = hot;
        hot = looked;
        looked = candidates;
        int updated = 0;
        int next = 0;
        try {
            while (next < candidates.size()) {
                updated += report(candidates.get(next++), action);
            }
        } finally {
            if (next < candidates.size()) {
                hot.addAll(candidates.subList(next, candidates.size()));
            }
            candidates.clear();
        }
        return updated;
    }

    /** Reports a key if it is ready; it remains hot if its channel will be ready in the next selection too. */
    private int report(VerbenaKey key, Optional<Consumer<SelectionKey>> action) {
        int ready = key.channelReady();
        int all = (ready | key.innerReady) & key.interest();
        key.innerReady = 0;
        boolean isReady = (ready & key.interest()) != 0;
        boolean again = key.isValid() && (isReady || key.mustBeLookedAt(memory.used()) && !rests(key));
        key.quiet = isReady ? 0 : key.quiet + 1;
        boolean late = false;
        if (again) {
            hot.add(key);
        } else {
            late = key.place().dequeue();
        }
        try {
            if (key.isValid() && all != 0) {
                found = true;
                return report(key, all, action);
            }
            return 0;
        } finally {
            // Something may have become ready before the key could be put on the list again.
            if (!again && key.isValid() && (late || (key.channelReady() & key.interest()) != 0)) {
                key.signal();
            }
        }
    }

    /** Of many streams, those that have been quiet for long signal instead of being looked at. */
    private boolean rests(VerbenaKey key) {
        boolean rests = !memory.used() && key.quiet >= MOST_QUIET && hot.size() + looked.size() > ALWAYS_LOOKED_AT;
        if (rests) {
            key.sleep();
        }
        return rests;
    }

    private int report(VerbenaKey key, int ops, Optional<Consumer<SelectionKey>> action) {
        if (action.isPresent()) {
            key.ready(ops);
            action.get().accept(key);
            ensureOpen();
            return 1;
        }
        if (!selected.contains(key)) {
            key.ready(ops);
            selected.put(key);
            return 1;
        }
        int before = key.ready();
        key.ready(before | ops);
        return (before | ops) == before ? 0 : 1;
    }

    private void await(long timeoutNs) throws IOException {
        long startNs = System.nanoTime();
        Selector inside = inner.inUse();
        if (memory.used()) {
            memory.announce();
            wait.inMemory(memory, timeoutNs);
            memory.collect(onWoken);
        } else if (inside != null) {
            wait.both(inside, timeoutNs, lookInside);
        } else {
            wait.park(timeoutNs);
        }
        ringTime.onWaited(System.nanoTime() - startNs);
        look(false);
    }

    /** Whether the wait is over. The thread looks at the list then. */
    private boolean called() {
        return signalled.over();
    }

    /** The status is looked at, because a wait for the engine replaces the interruptor of this selector. */
    private boolean ended() {
        return woken || !isOpen() || Thread.currentThread().isInterrupted();
    }

    /** Selects in the selector of the JDK; returns whether a key is ready. */
    private boolean lookInside(long timeoutNs, boolean now) throws IOException {
        inner.select(now ? 0 : timeoutNs);
        return !hot.isEmpty();
    }

    private void lookInside() throws IOException {
        if (memory.used()) {
            memory.collect(onWoken);
        } else {
            inner.select(0);
        }
    }

    /** Whether it waits in memory, as the last selection has decided. */
    boolean waitsInMemory() {
        return memory.used();
    }

    /** Whether to wait in memory or in the selector of the JDK. */
    private void chooseWait() {
        EngineDriver driver = networks.driver();
        memory.choose(driver != null && driver.inUse(), onWoken);
    }

    private void onInnerReady(VerbenaKey key) {
        if (key.place().claim()) {
            hot.add(key);
        }
    }

    private void removeCancelled() throws IOException {
        Set<SelectionKey> cancelled = cancelledKeys();
        List<SelectionKey> all;
        synchronized (cancelled) {
            if (cancelled.isEmpty()) {
                return;
            }
            all = List.copyOf(cancelled);
            cancelled.clear();
        }
        all.forEach(key -> ((VerbenaKey) key).dropInner());
        inner.flush();
        all.forEach(key -> remove((VerbenaKey) key));
        lastKeys.forget();
    }

    private void remove(VerbenaKey key) {
        keys.remove(key);
        selected.forget(key);
        deregister(key);
        if (key.channel() instanceof Keyed ours) {
            ours.keys().remove(key);
        } else {
            lastKeys.remove(key.channel());
        }
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selected) {
                inner.close();
                for (SelectionKey key : keys) {
                    remove((VerbenaKey) key);
                }
                selected.clear();
                lastKeys.close();
            }
        }
    }
}
