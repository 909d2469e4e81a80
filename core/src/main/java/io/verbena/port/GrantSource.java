package io.verbena.port;

import io.verbena.base.SharedGrants;
import java.util.Optional;

/** Decides what the peer of a stream may do with memory of this side directly. */
@FunctionalInterface
public interface GrantSource {

    /**
     * Memory that a key opens.
     *
     * @param address where it is in this process
     * @param length bytes
     * @param base address of the first byte, as the key names it
     * @param rights a bit for each right
     * @param grants of that memory
     */
    record Terms(long address, long length, long base, int rights, SharedGrants grants) {}

    /** What a key permits to the peer; empty if the peer must leave accesses by this key to this side. */
    Optional<Terms> terms(int key);
}
