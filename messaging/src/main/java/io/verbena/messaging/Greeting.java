package io.verbena.messaging;

import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * What both sides of a channel say when they connect, as private data.
 *
 * @param control the control block
 * @param virtualChannels how many they are
 * @param hello of the layer above
 */
record Greeting(RemoteRegion control, int virtualChannels, byte[] hello) {

    static final int MAX_HELLO_BYTES = 256;
    private static final int MAGIC = 0x5642_4d31; // VBM1
    private static final int FIXED_BYTES = 4 + 2 + RemoteRegion.ENCODED_BYTES;

    byte[] toBytes() {
        byte[] bytes = new byte[FIXED_BYTES + hello.length];
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (MAGIC >>> 24 - 8 * i);
        }
        bytes[4] = (byte) virtualChannels;
        control.write(MemorySegment.ofArray(bytes), 6);
        System.arraycopy(hello, 0, bytes, FIXED_BYTES, hello.length);
        return bytes;
    }

    /** What a peer said; empty when it is no greeting. */
    static Optional<Greeting> of(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            return Optional.empty();
        }
        for (int i = 0; i < 4; i++) {
            if (bytes[i] != (byte) (MAGIC >>> 24 - 8 * i)) {
                return Optional.empty();
            }
        }
        MemorySegment all = MemorySegment.ofArray(bytes);
        if (RemoteRegion.ENCODED_BYTES + 6 > bytes.length || all.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 14) < 0) {
            return Optional.empty(); // a negative length
        }
        RemoteRegion control = RemoteRegion.read(all, 6);
        int virtualChannels = bytes[4];
        if (virtualChannels < 1 || control.length() < (long) virtualChannels * ControlBlock.BYTES) {
            return Optional.empty();
        }
        return Optional.of(
                new Greeting(control, virtualChannels, Arrays.copyOfRange(bytes, FIXED_BYTES, bytes.length)));
    }
}
