package io.verbena.work;

import io.verbena.memory.RegionTable;
import io.verbena.memory.Settling;
import io.verbena.memory.Verdict;
import io.verbena.queue.Wqe;

/**
 * Work on keys, done by the engine itself: bind, unbind, invalidate. What a key opened before is dead at once; the work is
 * done when no other engine can still be using it (see {@link Settling}). With one engine that is in the same call.
 */
public final class KeyWork {

    private final RegionTable regions;
    private final Settling settling;
    private final int domain;
    private final int queuePair;
    private boolean begun;
    private Verdict verdict = Verdict.OK;

    public KeyWork(RegionTable regions, int engine, int domain, int queuePair) {
        this.regions = regions;
        this.settling = regions.settling(engine);
        this.domain = domain;
        this.queuePair = queuePair;
    }

    /** Why the last one was REFUSED. */
    public Verdict verdict() {
        return verdict;
    }

    /** Does the element, or goes on with it: NOT_NOW while others may be using what it took away. */
    public Moved work(Wqe wqe) {
        return switch (wqe.opcode()) {
            case BIND -> bind(wqe);
            case UNBIND -> begun ? rest() : after(regions.keys().unbind(wqe.rkey(), domain, queuePair));
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
        Moved moved = begun
                ? rest()
                : after(regions.keys()
                        .beginBind(wqe.rkey(), wqe.otherKey(), domain, wqe.remoteAddress(), length, rights));
        if (moved == Moved.DONE) {
            verdict = regions.keys().bind(wqe.rkey(), wqe.otherKey(), queuePair, wqe.remoteAddress(), length, rights);
            return Moved.of(verdict);
        }
        return moved;
    }

    /** Ends a key of this process. */
    public Moved invalidate(int key) {
        return begun ? rest() : after(regions.invalidate(key, domain));
    }

    /** Ends a key as the peer wishes. */
    public Moved invalidateByPeer(int key) {
        return begun ? rest() : after(regions.keys().invalidateByPeer(key, domain, queuePair));
    }

    private Moved after(Verdict first) {
        verdict = first;
        if (!first.ok()) {
            return first == Verdict.NOT_NOW ? Moved.NOT_NOW : Moved.REFUSED;
        }
        settling.begin();
        begun = true;
        return rest();
    }

    private Moved rest() {
        if (!settling.settled()) {
            return Moved.NOT_NOW;
        }
        begun = false;
        return Moved.DONE;
    }
}
