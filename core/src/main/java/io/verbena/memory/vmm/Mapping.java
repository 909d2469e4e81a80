package io.verbena.memory.vmm;

/**
 * A segment of a process, as held by its owner.
 *
 * @param process the process
 * @param id effective segment ID in the process
 */
public record Mapping(Process process, int id) {

    /** Effective address of its first byte. */
    public long address() {
        return AddressLayout.of(id);
    }
}
