package io.verbena.objects;

import io.verbena.memory.RegistrationRules;
import io.verbena.verbs.AccessRight;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Rules for regions that a program makes. */
public final class RegionRules {

    private RegionRules() {}

    /** The rights of a call, each of which may be repeated. */
    public static Set<AccessRight> rights(AccessRight... rights) {
        Set<AccessRight> set = EnumSet.noneOf(AccessRight.class);
        set.addAll(List.of(rights));
        return set;
    }

    /** A region that is allocated has bytes. */
    public static void length(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("the length of a region must be at least 1 byte, not " + bytes);
        }
    }

    /**
     * Checks memory of the program before it is registered.
     *
     * @throws IllegalArgumentException if an adapter cannot access it with these rights
     */
    public static void check(MemorySegment segment, Set<AccessRight> rights) {
        RegistrationRules.check(segment, rights);
    }

    /** Whether the memory is written with one of these rights, so that a file must be mapped writable. */
    public static boolean needWriting(Set<AccessRight> rights) {
        return RegistrationRules.needWriting(rights);
    }
}
