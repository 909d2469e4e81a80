package io.verbena.verbs;

/** Decides about accesses to unmapped memory of a process. */
@FunctionalInterface
public interface PageFaultHandler {

    /** Decision of the handler. */
    enum Answer {
        /** The memory is mapped now. The access continues. */
        MAPPED,
        /** The access is denied, like an access outside of a region. */
        REFUSED
    }

    /**
     * Decides about one access, which waits until this method returns. It is called for every access to unmapped
     * memory, also for an address that was accessed before. {@link AddressSpace#mapAt} maps memory at the address of
     * the fault. If the answer is MAPPED but the bytes are not mapped, the access is denied.
     */
    Answer onPageFault(PageFault fault);
}
