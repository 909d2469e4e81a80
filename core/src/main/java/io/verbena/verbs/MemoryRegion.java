package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory: what work requests read and write, and what peers reach with its key. */
public interface MemoryRegion extends AutoCloseable {

    /**
     * The memory, for the program's own use.
     *
     * @throws UnsupportedOperationException for a pageable region, whose memory lies in no one piece
     */
    MemorySegment segment();

    ProtectionDomain protectionDomain();

    /** Length in bytes. */
    long length();

    /** Rights given at registration. */
    Set<AccessRight> rights();

    /** Key that local work uses (lkey). */
    int localKey();

    /** Key that peers use: the STag of iWARP, the R_Key of InfiniBand. Unpredictable. */
    int rkey();

    /** Address of the first byte as peers name it. It is opaque: not an address of this machine. */
    long address();

    /** All of it, as a value that can be sent to a peer. */
    default RemoteRegion remote() {
        return new RemoteRegion(address(), length(), rkey());
    }

    /** A part of it, as a value that can be sent to a peer. The key still opens all of the region. */
    default RemoteRegion remote(long offset, long length) {
        return remote().slice(offset, length);
    }

    /** False once a peer or local work has invalidated the key, or the memory is gone. */
    boolean valid();

    /**
     * Gives the region a new key: the old one never matches again once this returns.
     *
     * @return the new key
     */
    int renewKey();

    /** Deregisters. When this returns, nothing touches the memory any more; memory from allocate is freed. */
    @Override
    void close();
}
