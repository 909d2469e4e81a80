package io.verbena.verbs;

import java.util.List;

/**
 * The virtual memory manager (VMM): a pool of page frames, a page table, and the address spaces of consumer processes.
 * An RNIC can access mapped memory that is not resident: a missing page is paged in, and only the connection concerned
 * waits. Any thread may call any method.
 */
public interface VirtualMemory extends AutoCloseable {

    /** Creates an address space in which nothing is mapped. */
    AddressSpace createAddressSpace(AddressSpaceOptions options);

    /** Creates an address space of a user process, without limits. */
    default AddressSpace createAddressSpace(String name) {
        return createAddressSpace(AddressSpaceOptions.user(name));
    }

    /** The open address spaces. */
    List<AddressSpace> addressSpaces();

    /** The options given at creation. */
    VirtualMemoryOptions options();

    /** Counters and current state. */
    VirtualMemoryFigures figures();

    /** Closes all address spaces. Modified pages of files are written. After the return nothing accesses the memory. */
    @Override
    void close();
}
