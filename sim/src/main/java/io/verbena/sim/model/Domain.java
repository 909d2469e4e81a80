package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A protection domain with the memory that its queue pairs use. */
final class Domain {

    /** 64-bit words for atomic work. */
    static final int WORDS = 8;

    private static final int COUNTERS = 3;
    private static final int KEYS = 6;
    private static final int KEY_BYTES = 8;
    private static final int DOOMED = 3;

    private final Program program;
    private final ProtectionDomain verbs;
    private final Memory memory;
    private final Zone source;
    private final Zone local;
    private final Zone inbox;
    private final Zone remote;
    private final Zone words;
    private final List<Counter> counters = new ArrayList<>();
    private final List<SwapWord> swapWords = new ArrayList<>();
    private final World world;
    private int swapWordsTaken;
    private int users;
    private final Deque<Zone> keys = new ArrayDeque<>();
    private final Deque<Zone> doomed = new ArrayDeque<>();
    private Optional<SharedReceives> shared = Optional.empty();

    Domain(Program program, String name, int zoneBytes) {
        this.program = program;
        this.world = program.world();
        SimRandom random = program.random();
        verbs = program.rnic().allocateProtectionDomain();
        memory = new Memory(
                world,
                name,
                4 * Memory.bytesFor(zoneBytes)
                        + Memory.bytesFor(WORDS * Long.BYTES)
                        + KEYS * Memory.bytesFor(KEY_BYTES)
                        + DOOMED * Memory.bytesFor(zoneBytes / 2),
                random);
        source = new Zone(memory, "source", zoneBytes, false, verbs);
        local = new Zone(memory, "local", zoneBytes, false, verbs, AccessRight.LOCAL_WRITE);
        inbox = new Zone(memory, "inbox", zoneBytes, false, verbs, AccessRight.LOCAL_WRITE);
        remote = new Zone(memory, "remote", zoneBytes, false, verbs, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        words = new Zone(memory, "words", WORDS * Long.BYTES, true, verbs, AccessRight.REMOTE_ATOMIC);
        for (int i = 0; i < KEYS; i++) {
            keys.add(new Zone(memory, "key" + i, KEY_BYTES, false, verbs, AccessRight.REMOTE_READ));
        }
        for (int i = 0; i < DOOMED; i++) {
            doomed.add(new Zone(memory, "doomed" + i, zoneBytes / 2, false, verbs, AccessRight.values()));
        }
        for (int i = 0; i < COUNTERS; i++) {
            counters.add(new Counter(world, words, i));
        }
    }

    ProtectionDomain verbs() {
        return verbs;
    }

    Memory memory() {
        return memory;
    }

    /** The source of sent bytes, which must not be written. */
    Zone source() {
        return source;
    }

    /** Where Reads and results of atomics arrive. */
    Zone local() {
        return local;
    }

    /** Where messages arrive. */
    Zone inbox() {
        return inbox;
    }

    /** What peers read and write. */
    Zone remote() {
        return remote;
    }

    Zone words() {
        return words;
    }

    /** Words that everybody adds to. */
    List<Counter> counters() {
        return counters;
    }

    /** A word for one queue pair; empty if all are in use. */
    Optional<SwapWord> takeSwapWord() {
        int index = COUNTERS + swapWordsTaken;
        if (index >= WORDS) {
            return Optional.empty();
        }
        swapWordsTaken++;
        SwapWord word = new SwapWord(world, words, index);
        swapWords.add(word);
        return Optional.of(word);
    }

    /** Another queue pair uses this domain. */
    void use() {
        users++;
    }

    /** Queue pairs that share the memory. */
    int users() {
        return users;
    }

    /** No work is in progress any more: checks everything. */
    void settle(boolean hostile) {
        if (hostile) {
            // A request that was changed or repeated in transit may change anything here, but nothing elsewhere.
            memory.wild(remote.start(), remote.length());
            memory.wild(words.start(), words.length());
        } else {
            counters.forEach(Counter::settle);
            swapWords.forEach(SwapWord::settle);
        }
        memory.compare("at the end");
    }

    /** A region that may be closed during work; empty if none is left. */
    Optional<Zone> doomed() {
        return Optional.ofNullable(doomed.poll());
    }

    /** A region whose key may be invalidated, out of those that are valid. */
    Optional<Zone> takeKey() {
        return Optional.ofNullable(keys.poll());
    }

    /** Makes a region valid again for invalidation, with a new key. */
    void giveKey(Zone zone) {
        if (!program.dead()) {
            zone.region().renewKey();
            keys.add(zone);
        }
    }

    Optional<SharedReceives> shared() {
        return shared;
    }

    void shared(SharedReceives receives) {
        shared = Optional.of(receives);
    }
}
