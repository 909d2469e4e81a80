package io.verbena.hardware.provider.device;

import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;

/**
 * Keeps one key of siw from being used. siw maps each queue into the process at a key, the lowest free offset of the file of the context,
 * and libsiw takes the key 0x90000 for the sign of an error (SIW_INVAL_UOBJ_KEY of rdma/siw-abi.h). Without this no queue can be created
 * once 144 pages are mapped, which some 48 queue pairs with their CQs do. A CQ that begins at the first page and covers the key lives as
 * long as the context.
 */
public final class SiwKeys implements AutoCloseable {

    /** More than 0x90000 bytes: siw rounds the number of its entries of 32 bytes up to a power of two. */
    private static final int ENTRIES = 32_768;

    private final RdmaLibraries libraries;
    private final long cq;

    /** Must be the first queue of a context. */
    public SiwKeys(RdmaLibraries libraries, long context) {
        this.libraries = libraries;
        cq = libraries.call(NativeFunction.CREATE_CQ, context, ENTRIES, 0, 0, 0);
    }

    @Override
    public void close() {
        int _ = libraries.attempt(NativeFunction.DESTROY_CQ, cq);
    }
}
