package io.verbena.verbs;

/** The default error handler of a process: decides about remote accesses to memory that is not mapped. */
@FunctionalInterface
public interface PageFaultHandler {

    /** What the handler did. */
    enum Answer {
        /** The memory is mapped now: the access goes on. */
        MAPPED,
        /** The access is refused, as an access to foreign memory is. */
        REFUSED
    }

    /**
     * Decides about one access. Each access to what is not mapped asks, also at a place that was asked about before; the access waits until
     * this returns. {@link AddressSpace#mapAt} maps at the address of the fault. An answer MAPPED while the bytes are not mapped is taken as REFUSED.
     */
    Answer onPageFault(PageFault fault);
}
