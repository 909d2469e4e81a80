package io.verbena.memory.vmm;

/**
 * A segment of a process as its owner holds it.
 *
 * @param process whose
 * @param id effective segment ID there
 */
public record Mapping(Process process, int id) {

    /** Effective address of its first byte. */
    public long address() {
        return Addresses.of(id);
    }
}
