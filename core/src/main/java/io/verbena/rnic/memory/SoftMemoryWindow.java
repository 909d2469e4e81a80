package io.verbena.rnic.memory;

import io.verbena.memory.RegistrationRules;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.RemoteKeys;
import io.verbena.memory.Verdict;
import io.verbena.objects.NamedWindow;
import io.verbena.objects.Ownership;
import io.verbena.queue.Wqe;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.EngineGroup;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WindowOptions;
import java.util.List;

/**
 * A remote key as seen by the application. One thread at a time may post its binds, as for the queue that they are
 * posted to.
 */
public final class SoftMemoryWindow implements NamedWindow {

    private final DomainObjects domain;
    private final RemoteKeys keys;
    private final WindowOptions options;
    private final RemoteKey key;
    private final Closing closing = new Closing();

    public SoftMemoryWindow(DomainObjects domain, WindowOptions options) {
        this.domain = domain;
        this.options = options;
        keys = domain.context().regions().keys();
        key = keys.allocate(
                domain.number(), forOneQueuePair(), options.oneShot(), options.freshKey(), options.zeroBased());
    }

    DomainObjects domain() {
        return domain;
    }

    private boolean forOneQueuePair() {
        return options.scope() == WindowOptions.Scope.QUEUE_PAIR;
    }

    /** A window given by the application, which must belong to the same protection domain and must be open. */
    public static SoftMemoryWindow of(MemoryWindow window, DomainObjects domain) {
        if (!(window instanceof SoftMemoryWindow softMemoryWindow)) {
            throw Ownership.foreign("memory window");
        }
        Ownership.check("memory window", softMemoryWindow.domain() == domain, softMemoryWindow.closed());
        return softMemoryWindow;
    }

    @Override
    public WindowOptions options() {
        return options;
    }

    @Override
    public int rkey() {
        return keys.valueOf(key);
    }

    @Override
    public RemoteRegion remote() {
        return keys.remote(key);
    }

    @Override
    public boolean bound() {
        return keys.isBound(key);
    }

    @Override
    public boolean closed() {
        return closing.begun();
    }

    private void checkOpen() {
        if (closing.begun()) {
            throw new IllegalStateException("the memory window is closed");
        }
    }

    /** Sets the key value in the work request of a bind that is being posted. */
    public void posted(Wqe wqe, MemoryRegion region, KeyHolder queuePair) {
        long address = options.zeroBased() ? 0 : region.address() + wqe.remoteAddress();
        wqe.rkey(keys.promise(key, queuePair.number(), address, wqe.operand1()));
        forgetIfFlushed(queuePair);
    }

    /** Sets the key in the work request of an unbind that is being posted. */
    public void unbindPosted(Wqe wqe, KeyHolder queuePair) {
        keys.promiseUnbind(key, queuePair.number());
        wqe.rkey(key.identity());
        forgetIfFlushed(queuePair);
    }

    /**
     * Work posted to a queue pair that has ended is flushed, and {@link #queuePairGone} may have run before the post.
     */
    private void forgetIfFlushed(KeyHolder queuePair) {
        if (queuePair.flushesPosts()) {
            keys.flushed(key, queuePair.number());
        }
    }

    @Override
    public RemoteRegion bind(MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        if (forOneQueuePair()) {
            throw new IllegalStateException("the key is bound to one queue pair: post a bind to its send queue, call"
                    + " bindFor, or allocate the window with the scope DOMAIN");
        }
        return bindNow(0, region, offset, bytes, rights);
    }

    @Override
    public RemoteRegion bindFor(
            QueuePair queuePair, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        if (!(queuePair instanceof KeyHolder keyHolder) || keyHolder.domain().context() != domain.context()) {
            throw new IllegalArgumentException("the queue pair was not made by this RNIC");
        }
        if (keyHolder.domain() != domain) {
            throw new IllegalArgumentException(
                    "invalid parameter: the queue pair belongs to another protection domain");
        }
        RemoteRegion bound = bindNow(keyHolder.number(), region, offset, bytes, rights);
        if (forOneQueuePair() && keyHolder.flushesPosts()) {
            unbind();
            throw new IllegalStateException("the queue pair has ended, so its peer cannot use the key");
        }
        return bound;
    }

    private RemoteRegion bindNow(int queuePair, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        checkOpen();
        domain.context().engines().checkOutsideTurn();
        SoftMemoryRegion softMemoryRegion = SoftMemoryRegion.of(region, domain);
        int bits = RegistrationRules.bits(List.of(rights));
        refuse(keys.beginBind(key, softMemoryRegion.localKey(), domain.number(), offset, bytes, bits));
        settle();
        refuse(keys.bind(key, softMemoryRegion.localKey(), queuePair, offset, bytes, bits));
        return keys.bound(key);
    }

    private static void refuse(Verdict verdict) {
        if (!verdict.ok()) {
            throw new IllegalArgumentException("invalid parameter: " + verdict.sentence());
        }
    }

    @Override
    public void unbind() {
        checkOpen();
        domain.context().engines().checkOutsideTurn();
        keys.unbind(key);
        settle();
    }

    /**
     * Ends the binding for the peer of a queue pair that has ended. Binds and unbinds posted to it will not be
     * executed.
     */
    void queuePairGone(int queuePair) {
        keys.flushed(key, queuePair);
    }

    private void settle() {
        EngineGroup engines = domain.context().engines();
        if (!engines.awaitRevocation(engines.beginRevocation(), SoftMemoryRegion.REVOCATION_NS)) {
            throw new VerbsException("An engine did not leave its turn in time; the old binding may still be in use.");
        }
    }

    @Override
    public void close() {
        closing.close(domain.context(), () -> keys.deallocate(key), () -> {
            settle();
            domain.remove(this);
        });
    }
}
