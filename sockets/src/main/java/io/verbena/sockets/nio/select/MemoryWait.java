package io.verbena.sockets.nio.select;

import io.verbena.sockets.ring.RingEnd;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostWait;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait in shared memory of a thread that selects nothing but a few rings: the system wakes it when one of the words changes by which it has announced its sleep, and each peer wakes it by
 * one call. Channels of the JDK cannot be waited for in the same call. So a selector that has any, or many rings, waits in the selector of the JDK, where
 * peers wake it by bytes on their TCP connections.
 *
 * <p>A word that is announced in memory tells the selector nothing when the peer clears it while the thread works. So the thread looks at the words of all rings
 * instead of selecting in the selector of the JDK: see {@link #collect}. When the selector changes to the other way, all rings are looked at once and announced anew.
 *
 * <p>Each ring has words of its own, and not each thread one for all of its rings: a word that several peers write would let one of them keep the thread asleep when another one has
 * woken it. The price is an entry of the call for each word.
 *
 * <p>Of the thread that selects, except {@link #waking}.
 */
public final class MemoryWait {

    /** With more rings, the call of the system, which makes an entry for each word, costs more than a byte by TCP. */
    public static final int MOST_RINGS = 16;

    private final InnerSelector inner;
    private final Supplier<Optional<HostMemory>> memory;
    private List<VerbenaKey> rings = new ArrayList<>();

    /** Those of before the last change of keys, some of which may have announced their sleep in memory. */
    private List<VerbenaKey> former = new ArrayList<>();

    private final Runnable waking = this::wake;
    private volatile @Nullable HostWait wait;
    private boolean none;
    private boolean onlyRings;
    private int changes = -1;
    private int size;

    /** Whether the selector waits in memory now. */
    private boolean used;

    public MemoryWait(InnerSelector inner, Supplier<Optional<HostMemory>> memory) {
        this.inner = inner;
        this.memory = memory;
    }

    /** Whether the selector waits in memory. */
    public boolean used() {
        return used;
    }

    /**
     * Decides again. If the selector leaves the memory, {@code onLeft} takes the keys that may have announced their sleep in a way by which nothing wakes it
     * any more.
     */
    public void choose(boolean driven, Consumer<VerbenaKey> onLeft) {
        boolean before = used;
        former.clear();
        if (changes != inner.changes() || size != inner.size()) { // a closed channel of the JDK leaves without a word
            gather();
        }
        used = onlyRings && !driven && !Thread.currentThread().isVirtual() && allSleepInMemory() && opened();
        if (before && !used) {
            rings.forEach(onLeft);
            former.forEach(onLeft);
        }
        if (!onlyRings) {
            rings.clear();
        }
    }

    private void gather() {
        changes = inner.changes(); // before the look: a change meanwhile makes another one necessary
        size = inner.size();
        List<VerbenaKey> emptied = former;
        former = rings;
        rings = emptied;
        onlyRings = inner.onlyRings(MOST_RINGS, rings);
    }

    private boolean allSleepInMemory() {
        for (int i = 0; i < rings.size(); i++) {
            if (!rings.get(i).sleepsInMemory()) {
                return false;
            }
        }
        return true;
    }

    private boolean opened() {
        if (wait == null && !none) {
            wait = memory.get().flatMap(host -> host.newWait(2 * MOST_RINGS)).orElse(null);
            none = wait == null;
        }
        return !none;
    }

    /** Announces the sleep of all rings, and signals the keys that are ready after that. One fence for all. */
    public void announce() {
        HostWait words = wait;
        if (words == null) {
            return;
        }
        words.begin();
        int fresh = 0;
        for (int i = 0; i < rings.size(); i++) {
            fresh |= rings.get(i).sleepIn(words) ? 1 << i : 0;
        }
        if (fresh == 0) {
            return;
        }
        RingEnd.fence();
        for (int i = 0; i < rings.size(); i++) {
            if ((fresh & 1 << i) != 0 && rings.get(i).isReady()) {
                rings.get(i).signal();
            }
        }
    }

    void await(long timeoutNs) {
        HostWait words = wait;
        if (words != null) {
            words.await(timeoutNs);
        }
    }

    /** Ends the wait, or the one that has begun. Any thread runs it. */
    Runnable waking() {
        return waking;
    }

    private void wake() {
        HostWait words = wait;
        if (words != null) {
            words.wake();
        }
    }

    /** Gives the keys to the selector whose peers have cleared a word, or that have not announced their sleep in memory. */
    public void collect(Consumer<VerbenaKey> onWoken) {
        for (int i = 0; i < rings.size(); i++) {
            if (rings.get(i).mustBeLookedAt(true)) {
                onWoken.accept(rings.get(i));
            }
        }
    }
}
