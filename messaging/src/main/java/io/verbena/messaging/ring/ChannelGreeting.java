package io.verbena.messaging.ring;

import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;

/**
 * Private data that both sides of a channel exchange when they connect.
 *
 * @param control address of the control block
 * @param virtualChannels number of virtual channels
 * @param hello bytes of the layer above
 */
public record ChannelGreeting(RemoteRegion control, int virtualChannels, byte[] hello) {

    public static final int MAX_HELLO_BYTES = 256;

    private static final int MAGIC = 0x5642_4d31; // VBM1
    private static final int CONTROL = 6;
    private static final int LENGTH_OF_CONTROL = CONTROL + Long.BYTES; // big endian
    private static final int FIXED_BYTES = CONTROL + RemoteRegion.ENCODED_BYTES;

    /** Encodes the greeting. */
    public byte[] toBytes() {
        byte[] bytes = new byte[FIXED_BYTES + hello.length];
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (MAGIC >>> 24 - 8 * i);
        }
        bytes[4] = (byte) virtualChannels;
        control.write(MemorySegment.ofArray(bytes), CONTROL);
        System.arraycopy(hello, 0, bytes, FIXED_BYTES, hello.length);
        return bytes;
    }

    /** Decodes the private data of a peer; empty if it is not a valid greeting. */
    public static Optional<ChannelGreeting> of(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            return Optional.empty();
        }
        for (int i = 0; i < 4; i++) {
            if (bytes[i] != (byte) (MAGIC >>> 24 - 8 * i)) {
                return Optional.empty();
            }
        }
        MemorySegment all = MemorySegment.ofArray(bytes);
        if (all.get(ValueLayout.JAVA_BYTE, LENGTH_OF_CONTROL) < 0) {
            return Optional.empty(); // a negative length
        }
        RemoteRegion control = RemoteRegion.read(all, CONTROL);
        int virtualChannels = bytes[4];
        if (virtualChannels < 1 || control.length() < (long) virtualChannels * ControlBlock.BYTES) {
            return Optional.empty();
        }
        return Optional.of(
                new ChannelGreeting(control, virtualChannels, Arrays.copyOfRange(bytes, FIXED_BYTES, bytes.length)));
    }
}
