package io.verbena.sockets.nio;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * A registration with a {@link VerbenaSelector}. If a channel of the JDK carries the channel, or is the channel, the key has
 * a key of the selector of the JDK, whose attachment it is.
 */
final class VerbenaKey extends AbstractSelectionKey {

    private static final VarHandle INTEREST;
    private static final VarHandle QUEUED;

    static {
        try {
            INTEREST = MethodHandles.lookup().findVarHandle(VerbenaKey.class, "interest", int.class);
            QUEUED = MethodHandles.lookup().findVarHandle(VerbenaKey.class, "queued", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final VerbenaSelector selector;
    private final SelectableChannel channel;
    private volatile int interest;
    private volatile int ready;

    /** Whether it is in the list of the selector, or the selector looks at it in each selection. */
    @SuppressWarnings("UnusedVariable") // through QUEUED
    private volatile boolean queued;

    /** Whether the interest or the carrier has changed since the selector looked at the key. */
    private volatile boolean stale;

    /** The next key in the list of the selector. */
    @Nullable
    VerbenaKey next;

    /** What the selector of the JDK found ready; of the thread that selects. */
    int innerReady;

    private @Nullable SelectionKey inner;

    VerbenaKey(VerbenaSelector selector, SelectableChannel channel, int ops) {
        this.selector = selector;
        this.channel = channel;
        interest = ops;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    VerbenaSelector owner() {
        return selector;
    }

    private void check() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    private void checkOps(int ops) {
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException(
                    "The operations " + ops + " are not among those of the channel, " + channel.validOps() + ".");
        }
    }

    @Override
    public int interestOps() {
        check();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        check();
        checkOps(ops);
        if ((int) INTEREST.getAndSet(this, ops) != ops) {
            selector.signal(this);
        }
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        check();
        checkOps(ops);
        int before = (int) INTEREST.getAndBitwiseOr(this, ops);
        if ((before | ops) != before) {
            selector.signal(this);
        }
        return before;
    }

    @Override
    public int interestOpsAnd(int ops) {
        check();
        int before = (int) INTEREST.getAndBitwiseAnd(this, ops);
        if ((before & ops) != before) {
            selector.signal(this);
        }
        return before;
    }

    @Override
    public int readyOps() {
        check();
        return ready;
    }

    /** The interest, also of a key that is no longer valid. */
    int interest() {
        return interest;
    }

    int ready() {
        return ready;
    }

    void ready(int ops) {
        ready = ops;
    }

    /** Something has changed. Returns whether the key was not queued; if it was, the selector notices the change by {@link #stale}. */
    boolean changed() {
        stale = true;
        return enqueue();
    }

    /** Whether something has changed since the last {@link #adjust}. */
    boolean stale() {
        return stale;
    }

    /** Returns whether the key was not queued. */
    boolean enqueue() {
        return !(boolean) QUEUED.getAndSet(this, true);
    }

    void dequeued() {
        queued = false;
    }

    /** What is ready beyond what the selector of the JDK reports. */
    int channelReady() {
        return channel instanceof Keyed ours ? ours.readyNow() : 0;
    }

    private @Nullable SelectableChannel innerChannel() {
        if (!isValid() || !channel.isOpen()) {
            return null;
        }
        return channel instanceof Keyed ours ? ours.innerChannel().orElse(null) : channel;
    }

    /**
     * Makes the registration with the selector of the JDK agree with the channel and the interest. The thread that selects
     * calls it; {@link #dropInner} may run in another.
     */
    synchronized void adjust() {
        stale = false; // before the interest and the carrier are read
        SelectableChannel wanted = innerChannel();
        SelectionKey now = inner;
        if (now != null && (now.channel() != wanted || !now.isValid())) {
            cancelInner(now);
            now = null;
        }
        if (wanted == null) {
            return;
        }
        if (now == null) {
            registerInner(wanted);
        } else {
            interestOfInner(now);
        }
    }

    private void interestOfInner(SelectionKey now) {
        try {
            if (now.interestOps() != interest) {
                now.interestOps(interest);
            }
        } catch (CancelledKeyException _) {
            cancelInner(now); // the channel was closed meanwhile
        }
    }

    /** Registers with the selector of the JDK. A channel that is closed or made blocking meanwhile is left alone. */
    void registerInner(SelectableChannel wanted) {
        synchronized (this) {
            inner = selector.registerInner(wanted, interest, this).orElse(null);
        }
    }

    /** Leaves the selector of the JDK. */
    synchronized void dropInner() {
        SelectionKey now = inner;
        if (now != null) {
            cancelInner(now);
        }
    }

    private void cancelInner(SelectionKey now) {
        now.cancel();
        inner = null;
        selector.onInnerCancelled(this);
    }
}
