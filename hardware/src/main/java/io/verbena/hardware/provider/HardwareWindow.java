package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.IbvMw;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.objects.NamedWindow;
import io.verbena.objects.Ownership;
import io.verbena.objects.PostingRules;
import io.verbena.objects.RegionRules;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WindowOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A memory window. For one queue pair it is a window of type 2, for a domain one of type 1 if a bind is posted. No verb binds a window
 * without a queue: a bind at once registers the range as a region of its own.
 *
 * <p>An adapter deregisters no region with a bound window, and destroys a queue pair with a bound window late or never. So both free
 * the native window first; the next bind allocates another.
 */
final class HardwareWindow implements NamedWindow {

    private static final int TYPE_1 = 1;
    private static final int TYPE_2 = 2;
    private static final int LOW_BYTE = 0xff;

    /** What a window is bound to, and at which queue pair; null for a bind at once. */
    record Bound(
            HardwareRegion region,
            long offset,
            long length,
            @Nullable QueuePair at) {}

    private final AdapterDomain domain;
    private final WindowOptions options;
    private long mw;
    private long mr;
    private int key;
    private int keyBefore;
    private @Nullable Bound bound;
    private @Nullable Bound before;
    private boolean closed;

    HardwareWindow(AdapterDomain domain, WindowOptions options) {
        if (options.oneShot() || options.zeroBased() || !options.freshKey()) {
            throw new UnsupportedOperationException(
                    "An adapter has windows whose key is used any number of times, changes with each bind, and has the addresses of the"
                            + " region; it has none with " + options + ".");
        }
        this.domain = domain;
        this.options = options;
        if (forOneQueuePair()) {
            long _ = mw();
        }
    }

    /** A window of this domain that is open. */
    static HardwareWindow of(MemoryWindow window, AdapterDomain domain) {
        if (!(window instanceof HardwareWindow hardwareWindow)) {
            throw Ownership.foreign("memory window");
        }
        Ownership.check("memory window", hardwareWindow.domain == domain, hardwareWindow.closed());
        return hardwareWindow;
    }

    @Override
    public synchronized boolean closed() {
        return closed;
    }

    private synchronized void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the memory window is closed");
        }
    }

    boolean forOneQueuePair() {
        return options.scope() == WindowOptions.Scope.QUEUE_PAIR;
    }

    /** Its ibv_mw, allocated if there is none. */
    synchronized long mw() {
        if (mw == 0) {
            mw = domain.rnic().adapter().calls().allocMw(domain.pd(), forOneQueuePair() ? TYPE_2 : TYPE_1);
            if (mw == 0) {
                throw new VerbsException("The device " + domain.rnic().facts().name()
                        + " has no more memory windows; register the part of the memory as a region of its own.");
            }
            key = Native.intAt(mw + IbvMw.RKEY);
        }
        return mw;
    }

    // Posted binds, by the thread that posts.

    /** A bind will be posted: it is not at once any more. */
    synchronized void endBindAtOnce() {
        if (mr != 0) {
            free();
        }
    }

    /** Whether the key must be invalidated before the next bind: a window of type 2 is bound once. */
    synchronized boolean mustInvalidate() {
        return forOneQueuePair() && bound != null;
    }

    /** The key of the next bind: the same index with another low byte, which the program chooses. */
    synchronized int nextKey() {
        return key & ~LOW_BYTE | key + 1 & LOW_BYTE;
    }

    /** A bind was posted. */
    synchronized void posted(int newKey, Bound range) {
        before = bound;
        keyBefore = key;
        bound = range;
        key = newKey;
    }

    /** An unbind was posted. */
    synchronized void unbindPosted() {
        before = bound;
        keyBefore = key;
        bound = null;
    }

    /** The bind or unbind that was posted last has failed. */
    synchronized void failed() {
        bound = before;
        key = keyBefore;
    }

    /** A key was invalidated, by work or by a peer. */
    synchronized void invalidated(int value) {
        if (key == value && forOneQueuePair()) {
            bound = null;
        }
    }

    // What ends a binding.

    synchronized void regionCloses(MemoryRegion region) {
        if (bound != null && bound.region() == region || before != null && before.region() == region) {
            free();
        }
    }

    synchronized void queuePairCloses(QueuePair queuePair) {
        if (bound != null && bound.at() == queuePair || before != null && before.at() == queuePair) {
            free();
        }
    }

    /** Frees what the adapter has of it. */
    private void free() {
        if (mr != 0) {
            domain.libraries().call(NativeFunction.DEREG_MR, mr);
            mr = 0;
        }
        if (mw != 0) {
            int _ = domain.rnic().adapter().calls().deallocMw(mw);
            mw = 0;
        }
        bound = null;
        before = null;
    }

    // The verbs.

    @Override
    public synchronized RemoteRegion bind(MemoryRegion region, long offset, long length, AccessRight... rights) {
        checkOpen();
        if (forOneQueuePair()) {
            throw new IllegalStateException(
                    "the key is bound to one queue pair: post a bind to its send queue, or allocate"
                            + " the window with the scope DOMAIN");
        }
        HardwareRegion hardwareRegion = HardwareRegion.of(region, domain);
        PostingRules.range(hardwareRegion.length(), offset, length);
        long address = hardwareRegion.address() + offset;
        check(hardwareRegion, length, RegionRules.rights(rights));
        hardwareRegion.checkExists();
        free();
        mr = domain.libraries()
                .call(
                        NativeFunction.REG_MR,
                        domain.pd(),
                        address,
                        length,
                        address,
                        HardwareRegion.bits(RegionRules.rights(rights), false));
        key = Native.intAt(mr + IbvMr.RKEY);
        bound = new Bound(hardwareRegion, offset, length, null);
        return remote();
    }

    private static void check(HardwareRegion region, long length, Set<AccessRight> rights) {
        if (length == 0) {
            throw new IllegalArgumentException("a window is bound to 1 byte or more; unbind it instead");
        }
        if (!region.rights().contains(AccessRight.BIND)) {
            throw new IllegalArgumentException("the region does not have the right BIND");
        }
        if (!region.rights().containsAll(rights)) {
            throw new IllegalArgumentException(
                    "the region has the rights " + region.rights() + ", so that a window cannot grant " + rights);
        }
    }

    @Override
    public synchronized void unbind() {
        checkOpen();
        if (forOneQueuePair()) {
            throw new UnsupportedOperationException(
                    "An adapter unbinds the key of one queue pair by work on its send queue only; post an unbind.");
        }
        free();
    }

    @Override
    public synchronized int rkey() {
        return key;
    }

    @Override
    public synchronized RemoteRegion remote() {
        Bound currentBound = bound;
        return currentBound == null
                ? new RemoteRegion(0, 0, key)
                : new RemoteRegion(currentBound.region().address() + currentBound.offset(), currentBound.length(), key);
    }

    @Override
    public synchronized boolean bound() {
        return bound != null;
    }

    @Override
    public WindowOptions options() {
        return options;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        free();
        domain.left(this);
    }
}
