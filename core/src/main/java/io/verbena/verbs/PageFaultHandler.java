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

    Answer onPageFault(PageFault fault);
}
