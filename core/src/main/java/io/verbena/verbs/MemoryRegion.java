package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Registered memory, which work requests read and write, and which peers access with its key. Any thread may call any
 * method.
 */
public interface MemoryRegion extends AutoCloseable {

    /**
     * The memory, for use by the program.
     *
     * @throws UnsupportedOperationException for a pageable region, whose memory is not contiguous; use
     *     {@link AddressSpace#read} and {@link AddressSpace#write}
     */
    MemorySegment segment();

    ProtectionDomain protectionDomain();

    /** Length in bytes. */
    long length();

    /** Access rights given at registration. */
    Set<AccessRight> rights();

    /** Key for local work (lkey). */
    int localKey();

    /** Key for peers: the STag of iWARP, the R_Key of InfiniBand. Unpredictable. */
    int rkey();

    /** Address of the first byte for remote access. It is opaque and not an address of this machine. */
    long address();

    /** The whole region, as a value that can be sent to a peer. */
    default RemoteRegion remote() {
        return new RemoteRegion(address(), length(), rkey());
    }

    /**
     * A part of the region, as a value that can be sent to a peer. Its key still grants access to the whole region;
     * bind a {@link MemoryWindow} to grant access to the part only.
     *
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    default RemoteRegion remote(long offset, long length) {
        return remote().slice(offset, length);
    }

    /**
     * Whether the region can be used: false after a peer or local work has invalidated the key, or the memory has
     * become inaccessible.
     */
    boolean valid();

    /**
     * Gives the region a new key. After the return the old key never matches again.
     *
     * @return the new key
     * @throws VerbsException if the memory was lost meanwhile, or an engine does not leave it in time
     */
    int renewKey();

    /**
     * Deregisters the region. After the return nothing accesses the memory. Memory from
     * {@link ProtectionDomain#allocate} is freed.
     *
     * <p>Close a region when all work that uses it has completed: work that has not completed may access it again. A
     * reliable connection of InfiniBand sends requests again from their memory until the peer has acknowledged them, so that
     * a lost packet would end the connection with {@link CompletionStatus#LOCAL_PROTECTION}. That the peer's program has
     * received the data does not suffice, because the acknowledgement of its RNIC may have been lost. iWARP over TCP and
     * shared memory complete work when its bytes have been copied or delivered.
     * {@link WrFlags#UNSIGNALLED} describes when work without a completion is done.
     */
    @Override
    void close();
}
