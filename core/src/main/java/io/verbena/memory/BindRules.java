package io.verbena.memory;

import io.verbena.verbs.AccessRight;
import java.util.List;

/** Checks whether a remote key may be bound to a range of a region. */
final class BindRules {

    private static final int WRITING = RegistrationRules.bits(RegistrationRules.WRITING);
    private static final int BINDABLE = RegistrationRules.bits(
            List.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC));

    private BindRules() {}

    /** Checks the state and the rights of the region, then the range. Returns OK or the first check that failed. */
    static Verdict check(Region region, long offset, long length, int rights) {
        if (region.state() != RegionState.LIVE && region.state() != RegionState.INVALIDATED) {
            return region.state() == RegionState.LOST ? Verdict.LOST : Verdict.INVALID_KEY;
        }
        boolean writes = (rights & WRITING) != 0;
        if ((rights & ~BINDABLE) != 0
                || !region.allows(AccessRight.BIND)
                || writes && (region.gate() & rights & WRITING) == 0) {
            return Verdict.NO_RIGHT;
        }
        if (offset < 0 || length < 1 || offset > region.length() - length) {
            return Verdict.BOUNDS;
        }
        PagedRange pages = region.paged();
        return pages == null ? Verdict.OK : pages.checkMapped(offset, length, writes);
    }
}
