package io.verbena.sockets.nio.select;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The selector of the JDK inside one of ours, opened with it: a selection opens no descriptor, so it does not fail when there are none.
 * Each of its keys has ours as its attachment. Keys leave it in any thread, and it forgets them when it selects: a channel that becomes one
 * over RDMA waits for that.
 */
public final class InnerSelector {

    private static final long NS_PER_MS = 1_000_000;

    private final Consumer<VerbenaKey> onReady;
    private final Consumer<SelectionKey> action = this::onKey;

    /** Keys that have left the selector, which has not run since. */
    private final Queue<VerbenaKey> leaving = new ConcurrentLinkedQueue<>();

    private final Selector selector;

    /** Counts keys that come and leave. */
    private final AtomicInteger changes = new AtomicInteger();

    /**
     * @param onReady takes each key that the selector finds ready, with {@link VerbenaKey#innerReady} set; of the thread that selects
     */
    public InnerSelector(SelectorProvider jdk, Consumer<VerbenaKey> onReady) throws IOException {
        this.onReady = onReady;
        selector = jdk.openSelector();
    }

    /** Registers a channel; empty if it was closed or made blocking meanwhile. */
    Optional<SelectionKey> register(SelectableChannel channel, int ops, VerbenaKey key) {
        try {
            Optional<SelectionKey> registered = Optional.of(channel.register(selector, ops, key));
            changes.incrementAndGet();
            return registered;
        } catch (ClosedChannelException | IllegalBlockingModeException | CancelledKeyException _) {
            return Optional.empty();
        }
    }

    /** A key has left. */
    void onCancelled(VerbenaKey key) {
        leaving.add(key);
        changes.incrementAndGet();
    }

    /** The selector, if it has keys. Each wait asks for it, so that no object is made for the answer. */
    @Nullable
    public Selector inUse() {
        return !selector.isOpen() || selector.keys().isEmpty() ? null : selector;
    }

    /** Another number after each key that has come or left. */
    int changes() {
        return changes.get();
    }

    /** Whether there are keys, no more than this, and all are those of rings, which are added to the list. */
    boolean onlyRings(int most, List<VerbenaKey> rings) {
        int size = size();
        if (size == 0 || size > most) {
            return false;
        }
        for (SelectionKey each : selector.keys()) {
            VerbenaKey key = (VerbenaKey) each.attachment();
            if (each.isValid()) {
                if (!key.hasRings()) {
                    return false;
                }
                rings.add(key);
            }
        }
        return true;
    }

    /** Number of its keys. */
    public int size() {
        return selector.isOpen() ? selector.keys().size() : 0;
    }

    /** Selects; with a time of 0 it does not wait. */
    public void select(long timeoutNs) throws IOException {
        Selector opened = inUse();
        if (opened == null) {
            return;
        }
        if (timeoutNs == 0) {
            opened.selectNow(action);
        } else if (timeoutNs == Long.MAX_VALUE) {
            opened.select(action);
        } else {
            opened.select(action, Math.ceilDiv(timeoutNs, NS_PER_MS));
        }
    }

    /** A key that is cancelled while the selector waits is found ready, too, and is forgotten by the next selection. */
    private void onKey(SelectionKey of) {
        VerbenaKey key = (VerbenaKey) of.attachment();
        int ops;
        try {
            ops = of.readyOps();
        } catch (CancelledKeyException _) {
            return;
        }
        key.innerReady |= key.channel() instanceof Keyed ours ? ours.onInnerReady(ops) : ops;
        if (key.innerReady != 0) {
            onReady.accept(key);
        }
    }

    /** Keys that have left are forgotten, and their channels closed if they wait for that. */
    public void flush() throws IOException {
        if (leaving.isEmpty()) {
            return;
        }
        List<VerbenaKey> left = new ArrayList<>();
        for (VerbenaKey key = leaving.poll(); key != null; key = leaving.poll()) {
            left.add(key);
        }
        try {
            select(0);
            changes.incrementAndGet();
        } finally {
            for (VerbenaKey key : left) {
                if (key.channel() instanceof Keyed ours) {
                    ours.onInnerForgotten();
                }
            }
        }
    }

    /** Closes the selector. */
    public void close() throws IOException {
        selector.close();
    }
}
