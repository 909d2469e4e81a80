package io.verbena.stress.memory;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.RegistrationRules;
import io.verbena.memory.RemoteKey;
import io.verbena.memory.RemoteKeys;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import java.util.Set;
import java.util.SplittableRandom;

/** What the races of keys begin with: two regions of one process, and a key. */
class KeyRace {

    static final int DOMAIN = 1;
    static final int READ = RegistrationRules.bits(Set.of(AccessRight.REMOTE_READ));
    static final int LENGTH = 10;
    static final long OLD = 100;
    static final long NEW = 500;

    // Shared by all races: making a table costs more than a race.
    private static final RegionTable TABLE = table();
    private static final Region REGION = TABLE.register(
            new OffHeapMemory().allocate(4096), DOMAIN, Set.of(AccessRight.BIND, AccessRight.LOCAL_WRITE));

    final RemoteKeys keys = TABLE.keys();
    final RemoteKey key;
    final int value;
    final AccessCheck check = new AccessCheck();

    /** A key for the domain, bound to the old range. */
    KeyRace(boolean oneShot, boolean freshValue) {
        key = keys.allocate(DOMAIN, false, oneShot, freshValue, true);
        value = keys.promise(key, 0, 0, LENGTH);
        bind(value, OLD);
    }

    private static RegionTable table() {
        SplittableRandom random = new SplittableRandom(1);
        return new RegionTable(random::nextLong);
    }

    final void bind(int newValue, long offset) {
        Verdict begun = keys.beginBind(newValue, REGION.localKey(), DOMAIN, offset, LENGTH, READ);
        Verdict done = keys.bind(newValue, REGION.localKey(), 0, offset, LENGTH, READ);
        if (!begun.ok() || !done.ok()) {
            throw new IllegalStateException("not bound: " + begun + ", " + done);
        }
    }

    /** The offset in the region of an access with a value; -1 if the access is refused. */
    final int access(AccessCheck with, int queuePair, long message) {
        boolean ok = with.check(TABLE, value, DOMAIN, queuePair, message, 0, LENGTH, AccessRight.REMOTE_READ)
                .ok();
        return ok ? (int) with.offset() : -1;
    }

    /** Deallocates the key, so that the table stays small. */
    final void end() {
        if (!key.deallocated()) {
            keys.deallocate(key);
        }
    }
}
