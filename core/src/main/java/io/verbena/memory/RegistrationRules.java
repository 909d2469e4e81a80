package io.verbena.memory;

import io.verbena.verbs.AccessRight;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Rules for memory that is registered, and the form in which rights are kept. */
public final class RegistrationRules {

    /** Never started. */
    private static final Thread SOMEBODY_ELSE = Thread.ofPlatform().unstarted(() -> {});

    static final Set<AccessRight> WRITING =
            Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    private RegistrationRules() {}

    /**
     * Checks memory of the user before it is registered.
     *
     * @throws IllegalArgumentException if an RNIC cannot access the memory: on the Java heap, confined to one thread,
     *     closed, empty, or read-only although a right requires writing
     */
    public static void check(MemorySegment segment, Set<AccessRight> rights) {
        refuseUnreachable(segment);
        if (segment.isReadOnly() && needWriting(rights)) {
            throw new IllegalArgumentException("the segment is read-only, so it cannot be registered with " + rights);
        }
    }

    private static void refuseUnreachable(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException(
                    "a segment on the Java heap cannot be registered: the collector moves it;"
                            + " allocate it from Arena.ofShared() or let the protection domain allocate it");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(SOMEBODY_ELSE)) {
            throw new IllegalArgumentException("a segment of a confined arena cannot be registered: only one thread may"
                    + " touch it; allocate it from Arena.ofShared()");
        }
    }

    /** Whether the memory is written with one of these rights. */
    public static boolean needWriting(Set<AccessRight> rights) {
        return !Collections.disjoint(rights, WRITING);
    }

    /** Rights as a number, for a work queue element. */
    public static int bits(Collection<AccessRight> rights) {
        int bits = 0;
        for (AccessRight right : rights) {
            bits |= 1 << right.ordinal();
        }
        return bits;
    }

    /** The rights of such a number. */
    public static Set<AccessRight> rights(int bits) {
        EnumSet<AccessRight> set = EnumSet.allOf(AccessRight.class);
        set.removeIf(right -> (bits & 1 << right.ordinal()) == 0);
        return Collections.unmodifiableSet(set);
    }
}
