package io.verbena.work;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.Region;

/**
 * The memory that a successful check allows to access. The caller of the check owns the object and uses it again for the next
 * check, so that a check allocates nothing and two callers cannot overwrite each other's result. A grant is valid until the
 * engine leaves its turn.
 */
public final class Grant {

    final AccessCheck check = new AccessCheck();

    /** The region that contains the bytes. */
    public Region region() {
        return check.region();
    }

    /** Offset of the first byte in its region. */
    public long offset() {
        return check.offset();
    }

    /** Whether the key is a one-shot key, which the message of the check has claimed. */
    public boolean oneShot() {
        return check.oneShot();
    }

    /** Requests the pages of {@code length} bytes, which will be accessed soon. Does nothing for pinned regions. */
    public void prefetch(long length) {
        check.expect(length);
    }
}
