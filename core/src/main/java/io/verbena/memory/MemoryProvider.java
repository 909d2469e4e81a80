package io.verbena.memory;

/** Allocates memory for {@code ProtectionDomain.allocate}. */
public interface MemoryProvider {

    /**
     * Allocates zeroed memory, aligned to pages if it has a page or more, else to 64 bytes.
     *
     * @param bytes 1 or more; above 2 GiB works
     * @throws OutOfMemoryError when there is not so much
     */
    Backing allocate(long bytes);
}
