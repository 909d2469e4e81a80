package io.verbena.work;

import io.verbena.memory.PeersLeaving;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Settling;
import io.verbena.memory.Verdict;
import io.verbena.queue.Wqe;

/**
 * Executes work on remote keys: bind, unbind, invalidate. The previous binding of a key is invalid at once. The work completes
 * when no other engine can still be using that binding (see {@link Settling}); with a single engine this is immediate.
 *
 * <p>An object executes one operation at a time: an operation that answered NOT_NOW must be called again until it is done.
 */
public final class KeyWork {

    private final RegionTable regions;
    private final Settling settling;
    private final int domain;
    private final int queuePair;
    private PeersLeaving peers = PeersLeaving.NONE;
    private boolean begun;
    private int begunKey;
    private Verdict verdict = Verdict.OK;

    public KeyWork(QueuePairContext context) {
        this.regions = context.regions();
        this.settling = context.regions().settling(context.engine());
        this.domain = context.domain();
        this.queuePair = context.number();
    }

    /** The reason why the last operation was REFUSED. */
    public Verdict verdict() {
        return verdict;
    }

    /** Executes a work queue element, or continues it. NOT_NOW: other engines may still be using the previous binding. */
    public Moved work(Wqe wqe) {
        return switch (wqe.opcode()) {
            case BIND -> bind(wqe);
            case UNBIND ->
                settles(wqe.rkey())
                        ? settle()
                        : begin(wqe.rkey(), regions.keys().unbind(wqe.rkey(), domain, queuePair));
            default -> invalidate(wqe.rkey());
        };
    }

    private Moved bind(Wqe wqe) {
        int rights = (int) wqe.operand2();
        long length = wqe.operand1();
        if (settling.alone()) {
            verdict = regions.keys()
                    .bindAlone(wqe.rkey(), wqe.otherKey(), domain, queuePair, wqe.remoteAddress(), length, rights);
            return Moved.of(verdict);
        }
        Moved moved = settles(wqe.rkey())
                ? settle()
                : begin(
                        wqe.rkey(),
                        regions.keys()
                                .beginBind(wqe.rkey(), wqe.otherKey(), domain, wqe.remoteAddress(), length, rights));
        if (moved == Moved.DONE) {
            verdict = regions.keys().bind(wqe.rkey(), wqe.otherKey(), queuePair, wqe.remoteAddress(), length, rights);
            return Moved.of(verdict);
        }
        return moved;
    }

    /** Invalidates a key for local work. */
    public Moved invalidate(int key) {
        return settles(key) ? settle() : begin(key, regions.invalidate(key, domain));
    }

    /** Invalidates a key at the peer's request (Send with Invalidate). */
    public Moved invalidateByPeer(int key) {
        return settles(key) ? settle() : begin(key, regions.keys().invalidateByPeer(key, domain, queuePair));
    }

    /**
     * Whether an operation on this key has begun and is not done. A peer that was answered NOT_NOW may name another key when it
     * repeats its request: that is a new operation.
     */
    private boolean settles(int key) {
        return begun && begunKey == key;
    }

    private Moved begin(int key, Verdict first) {
        begun = false;
        verdict = first;
        if (!first.ok()) {
            return first == Verdict.NOT_NOW ? Moved.NOT_NOW : Moved.REFUSED;
        }
        settling.begin();
        peers = regions.peersLeaving();
        begun = true;
        begunKey = key;
        return settle();
    }

    private Moved settle() {
        if (!settling.settled() || !peers.settled()) {
            return Moved.NOT_NOW;
        }
        begun = false;
        return Moved.DONE;
    }
}
