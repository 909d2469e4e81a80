package io.verbena.sockets.nio.select;

import io.verbena.sockets.stream.WaitSet;
import io.verbena.verbs.HostWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * A registration with a selector of this provider. If a channel of the JDK carries the channel, or is the channel, the
 * key has a key of the selector of the JDK, whose attachment it is.
 */
public final class VerbenaKey extends AbstractSelectionKey {

    private static final VarHandle INTEREST;

    static {
        try {
            INTEREST = MethodHandles.lookup().findVarHandle(VerbenaKey.class, "interest", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Selector selector;
    private final WaitSet<VerbenaKey> signalled;
    private final InnerSelector innerSelector;
    private final SelectableChannel channel;
    private volatile int interest;
    private volatile int ready;

    /** The interest that the selection in progress has seen: a change counts for the next one. Of the thread that selects. */
    private int effective;

    private final WaitSet.Entry<VerbenaKey> place = new WaitSet.Entry<>(this);

    /** What the selector of the JDK found ready; of the thread that selects. */
    public int innerReady;

    /** Selections since it was ready; of the thread that selects. */
    public int quiet;

    /** With the lock, if the channel is ours: a thread that makes it blocking drops the registration of a key that was cancelled. */
    private volatile @Nullable SelectionKey inner;

    private final RankedLock lock = new RankedLock(RankedLock.Rank.KEY);

    /**
     * A key.
     *
     * @param signalled what the selector looks at
     * @param innerSelector the selector of the JDK inside
     */
    public VerbenaKey(
            Selector selector,
            WaitSet<VerbenaKey> signalled,
            InnerSelector innerSelector,
            SelectableChannel channel,
            int ops) {
        this.selector = selector;
        this.signalled = signalled;
        this.innerSelector = innerSelector;
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

    /** The selector looks at the key in the selection in progress, or else in the next one. */
    public void signal() {
        signalled.signal(place);
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
            signal();
        }
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        check();
        checkOps(ops);
        int before = (int) INTEREST.getAndBitwiseOr(this, ops);
        if ((before | ops) != before) {
            signal();
        }
        return before;
    }

    @Override
    public int interestOpsAnd(int ops) {
        check();
        int before = (int) INTEREST.getAndBitwiseAnd(this, ops);
        if ((before & ops) != before) {
            signal();
        }
        return before;
    }

    @Override
    public int readyOps() {
        check();
        return ready;
    }

    /** The interest of the selection in progress, also of a key that is no longer valid. */
    public int interest() {
        return effective;
    }

    /** A selection begins: what was set until now is in effect. */
    public void beginSelection() {
        effective = interest;
    }

    /** Whether the interest was changed since the selection has begun. */
    public boolean changed() {
        return effective != interest;
    }

    public int ready() {
        return ready;
    }

    public void ready(int ops) {
        ready = ops;
    }

    /** Its place in the set of the selector. */
    public WaitSet.Entry<VerbenaKey> place() {
        return place;
    }

    /** Whether the selector has to look at it in each selection. */
    public boolean mustBeLookedAt(boolean inMemory) {
        return channel instanceof Keyed ours && effective != 0 && ours.mustBeLookedAt(effective, inMemory);
    }

    /** Whether rings carry the channel. */
    boolean hasRings() {
        return rings() != null;
    }

    /** Whether these rings can be waited for in memory. */
    boolean sleepsInMemory() {
        MemorySleeper rings = rings();
        return rings != null && rings.sleepsInMemory();
    }

    /** Announces the sleep in memory. Returns whether the selector has to look. */
    boolean sleepIn(HostWait wait) {
        MemorySleeper rings = rings();
        return effective != 0 && rings != null && rings.sleepIn(wait, effective);
    }

    private @Nullable MemorySleeper rings() {
        return channel instanceof Keyed ours ? ours.rings() : null;
    }

    /** Whether the channel is ready for what the selection in progress is interested in. */
    boolean isReady() {
        return (channelReady() & effective) != 0;
    }

    /** The channel signals from now on; the selector looks at it once more. */
    public void sleep() {
        if (channel instanceof Keyed ours) {
            ours.sleepFor(effective);
        }
    }

    private int innerInterest() {
        return channel instanceof Keyed ours ? ours.innerInterest(effective) : effective;
    }

    /** What is ready beyond what the selector of the JDK reports. */
    public int channelReady() {
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
     * calls it; {@link #dropInner} may run in another, if the channel is ours. Any other channel is registered without the lock: its own
     * locks come before.
     */
    public void adjust() {
        if (channel instanceof Keyed) {
            lock.lock();
            try {
                adjustTo(innerChannel());
            } finally {
                lock.unlock();
            }
        } else {
            adjustTo(innerChannel());
        }
    }

    private void adjustTo(@Nullable SelectableChannel wanted) {
        SelectionKey currentInner = inner;
        if (currentInner != null && (currentInner.channel() != wanted || !currentInner.isValid())) {
            cancelInner(currentInner);
            currentInner = null;
        }
        if (wanted == null) {
            return;
        }
        if (currentInner == null) {
            registerInner(wanted);
        } else {
            interestOfInner(currentInner);
        }
    }

    private void interestOfInner(SelectionKey now) {
        try {
            if (now.interestOps() != innerInterest()) {
                now.interestOps(innerInterest());
            }
        } catch (CancelledKeyException _) {
            cancelInner(now); // the channel was closed meanwhile
        }
    }

    /** Registers with the selector of the JDK. A channel that is closed or made blocking meanwhile is left alone. */
    public void registerInner(SelectableChannel wanted) {
        inner = innerSelector.register(wanted, innerInterest(), this).orElse(null);
    }

    /** Leaves the selector of the JDK. */
    public void dropInner() {
        lock.lock();
        try {
            SelectionKey currentInner = inner;
            if (currentInner != null) {
                cancelInner(currentInner);
            }
        } finally {
            lock.unlock();
        }
    }

    private void cancelInner(SelectionKey now) {
        now.cancel();
        inner = null;
        innerSelector.onCancelled(this);
    }
}
