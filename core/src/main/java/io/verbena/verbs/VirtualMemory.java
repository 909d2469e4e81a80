package io.verbena.verbs;

import java.util.List;

/**
 * The virtual memory manager (VMM): page frames, a page table, and the address spaces of consumer processes. RNICs reach
 * what is mapped in it without that it need be in memory: a page that a local or remote access misses is brought in, and
 * only the connection concerned waits.
 */
public interface VirtualMemory extends AutoCloseable {

    /** A new address space with nothing mapped. */
    AddressSpace createAddressSpace(AddressSpaceOptions options);

    /** A new address space of a user process. */
    default AddressSpace createAddressSpace(String name) {
        return createAddressSpace(AddressSpaceOptions.user(name));
    }

    /** The address spaces. */
    List<AddressSpace> addressSpaces();

    /** How it was made. */
    VirtualMemoryOptions options();

    /** What it has done and what is where. */
    VirtualMemoryFigures figures();

    /** Ends all address spaces: what was changed is written, nothing touches the memory afterwards. */
    @Override
    void close();
}
