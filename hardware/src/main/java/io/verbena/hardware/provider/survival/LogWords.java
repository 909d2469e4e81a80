package io.verbena.hardware.provider.survival;

import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import java.lang.foreign.Arena;

/**
 * Two words of this side that the peer writes, and the values that this side writes to those of the peer. The first
 * word is the log: how many slots of the peer's send queue have been executed here. The second one says that the peer
 * closes the connection.
 */
public final class LogWords implements AutoCloseable {

    private static final int LOCAL_WRITE = 1;
    private static final int REMOTE_WRITE = 2;
    private static final long FAREWELL = 1;

    private final RdmaLibraries libraries;
    private final Arena arena = Arena.ofAuto();
    private final long words;
    private final long wordsMr;
    private final long values;
    private final long valuesMr;
    private final int depth;
    private boolean closed;

    /**
     * Registers the memory.
     *
     * @param pd the ibv_pd of the queue pair
     * @param depth of its send queue
     */
    public LogWords(RdmaLibraries libraries, long pd, int depth) {
        this.libraries = libraries;
        this.depth = depth;
        words = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
        values = arena.allocate((depth + 1L) * Long.BYTES, Long.BYTES).address();
        Native.putLong(farewell(), FAREWELL);
        wordsMr = register(pd, words, 2L * Long.BYTES, LOCAL_WRITE | REMOTE_WRITE);
        boolean complete = false;
        try {
            valuesMr = register(pd, values, (depth + 1L) * Long.BYTES, 0);
            complete = true;
        } finally {
            if (!complete) {
                int _ = libraries.attempt(NativeFunction.DEREG_MR, wordsMr);
            }
        }
    }

    private long register(long pd, long address, long bytes, int access) {
        return libraries.call(NativeFunction.REG_MR, pd, address, bytes, address, access);
    }

    /** What the peer needs to write them. */
    public RemoteWords offer() {
        return new RemoteWords(words, Native.intAt(wordsMr + IbvMr.RKEY));
    }

    /** How many slots of the peer's send queue have been executed here, as far as it logs that. */
    public long executed() {
        return Native.longAt(words);
    }

    /** Whether the peer has said that it closes the connection. */
    public boolean closedByPeer() {
        return Native.longAt(words + Long.BYTES) != 0;
    }

    /** Address of the value that a slot of the send queue writes, set to a number. */
    public long value(int slot, long number) {
        long address = values + (long) slot * Long.BYTES;
        Native.putLong(address, number);
        return address;
    }

    /** Address of the value that says that this side closes the connection. */
    public long farewell() {
        return values + (long) depth * Long.BYTES;
    }

    /** The key by which the adapter reads the values. */
    public int valuesKey() {
        return Native.intAt(valuesMr + IbvMr.LKEY);
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            int _ = libraries.attempt(NativeFunction.DEREG_MR, wordsMr);
            int _ = libraries.attempt(NativeFunction.DEREG_MR, valuesMr);
        }
    }
}
