package io.verbena.rnic;

import io.verbena.memory.RegionTable;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.RemoteKeys;
import io.verbena.memory.Verdict;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WindowOptions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A remote key as the application holds it. Posting is for one thread at a time, as for the queue that it is posted to. */
final class SoftMemoryWindow implements MemoryWindow {

    private static final RemoteRegion NOTHING = new RemoteRegion(0, 0, 0);

    private final SoftProtectionDomain domain;
    private final RemoteKeys keys;
    private final WindowOptions options;
    private final RemoteKey key;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The value that was promised last; written behind where it is bound to, or will be when the work is done. */
    private volatile int value;

    private long address;
    private long length;

    SoftMemoryWindow(SoftProtectionDomain domain, WindowOptions options) {
        this.domain = domain;
        this.options = options;
        keys = domain.softRnic().regions().keys();
        key = keys.allocate(
                domain.number(), forOneQueuePair(), options.oneShot(), options.freshKey(), options.zeroBased());
        value = key.firstValue();
    }

    SoftProtectionDomain domain() {
        return domain;
    }

    private boolean forOneQueuePair() {
        return options.scope() == WindowOptions.Scope.QUEUE_PAIR;
    }

    @Override
    public WindowOptions options() {
        return options;
    }

    @Override
    public int rkey() {
        return value;
    }

    @Override
    public RemoteRegion remote() {
        int last = value;
        return length == 0 ? NOTHING : new RemoteRegion(address, length, last);
    }

    @Override
    public boolean bound() {
        return keys.isBound(value);
    }

    boolean closed() {
        return closed.get();
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the memory window is closed");
        }
    }

    /** A bind of it is being posted: gives the work its key. */
    void posted(Wqe wqe, SoftMemoryRegion region) {
        wqe.rkey(promise(region, wqe.remoteAddress(), wqe.operand1()));
    }

    /** An unbind is being posted. */
    void unbindPosted(Wqe wqe) {
        wqe.rkey(present());
        length = 0;
    }

    /** The value; 0 when it died, since then it may be another key's one day. */
    private int present() {
        int last = value;
        return keys.isOf(key, last) ? last : 0;
    }

    private int promise(SoftMemoryRegion region, long offset, long bytes) {
        int promised = keys.promise(key);
        address = options.zeroBased() ? 0 : region.address() + offset;
        length = bytes;
        value = promised;
        return promised;
    }

    @Override
    public RemoteRegion bind(MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        if (forOneQueuePair()) {
            throw new IllegalStateException("the key is for one queue pair: bind it by work on its send queue or with"
                    + " bindFor, or allocate it with the scope DOMAIN");
        }
        return bindNow(0, region, offset, bytes, rights);
    }

    @Override
    public RemoteRegion bindFor(
            QueuePair queuePair, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        SoftQueuePair mine = domain.softRnic().mine(queuePair);
        if (mine.domain() != domain) {
            throw new IllegalArgumentException("invalid parameter: the queue pair is of another protection domain");
        }
        return bindNow(mine.number(), region, offset, bytes, rights);
    }

    private RemoteRegion bindNow(int queuePair, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        checkOpen();
        SoftMemoryRegion mine = PostingRules.region(region, domain);
        int bits = RegionTable.bits(List.of(rights));
        int promised = promise(mine, offset, bytes);
        refuse(keys.beginBind(promised, mine.localKey(), domain.number(), offset, bytes, bits));
        settle();
        refuse(keys.bind(promised, mine.localKey(), queuePair, offset, bytes, bits));
        return remote();
    }

    private void refuse(Verdict verdict) {
        if (!verdict.ok()) {
            length = 0;
            throw new IllegalArgumentException("invalid parameter: " + verdict.sentence());
        }
    }

    @Override
    public void unbind() {
        checkOpen();
        length = 0;
        keys.unbind(present(), domain.number());
        settle();
    }

    /** The queue pair is gone, and with it the keys that were bound for its peer. */
    void queuePairGone(int number) {
        if (forOneQueuePair() && keys.boundFor(value) == number) {
            keys.unbind(value, domain.number());
        }
    }

    private void settle() {
        SoftRnic rnic = domain.softRnic();
        if (!rnic.awaitRevocation(rnic.beginRevocation(), SoftMemoryRegion.REVOCATION_NS)) {
            throw new VerbsException("An engine did not leave its turn, so the old binding may still be in use.");
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        length = 0;
        keys.deallocate(key);
        settle();
        domain.windowClosed(this);
    }
}
