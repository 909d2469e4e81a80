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
 * @param words how the sender can exchange words; versions before this field ignore its place, and reject the magic of
 *     {@link Words#SENDS_ONLY}, which they could not serve
 * @param hello bytes of the layer above
 */
public record ChannelGreeting(RemoteRegion control, int virtualChannels, Words words, byte[] hello) {

    public static final int MAX_HELLO_BYTES = 256;

    private static final int MAGIC = 0x5642_4d31; // VBM1
    private static final int MAGIC_SENDS = 0x5642_4d32; // VBM2
    private static final int WORDS = 5;
    private static final int CONTROL = 6;
    private static final int LENGTH_OF_CONTROL = CONTROL + Long.BYTES; // big endian
    private static final int FIXED_BYTES = CONTROL + RemoteRegion.ENCODED_BYTES;

    /** The greeting of a side that can exchange words in either form. */
    public ChannelGreeting(RemoteRegion control, int virtualChannels, byte[] hello) {
        this(control, virtualChannels, Words.EITHER, hello);
    }

    private static int magic(Words words) {
        return words == Words.SENDS_ONLY ? MAGIC_SENDS : MAGIC;
    }

    /** Encodes the greeting. */
    public byte[] toBytes() {
        byte[] bytes = new byte[FIXED_BYTES + hello.length];
        MemorySegment all = MemorySegment.ofArray(bytes);
        all.set(ControlMemory.WORD, 0, magic(words));
        bytes[4] = (byte) virtualChannels;
        bytes[WORDS] = (byte) words.ordinal();
        control.write(all, CONTROL);
        System.arraycopy(hello, 0, bytes, FIXED_BYTES, hello.length);
        return bytes;
    }

    /** Decodes the private data of a peer; empty if it is not a valid greeting. */
    public static Optional<ChannelGreeting> of(byte[] bytes) {
        if (bytes.length < FIXED_BYTES) {
            return Optional.empty();
        }
        MemorySegment all = MemorySegment.ofArray(bytes);
        Optional<Words> words = Words.of(bytes[WORDS]);
        if (words.isEmpty() || all.get(ControlMemory.WORD, 0) != magic(words.get())) {
            return Optional.empty();
        }
        if (all.get(ValueLayout.JAVA_BYTE, LENGTH_OF_CONTROL) < 0) {
            return Optional.empty(); // a negative length
        }
        RemoteRegion control = RemoteRegion.read(all, CONTROL);
        int virtualChannels = bytes[4];
        if (virtualChannels < 1 || control.length() < (long) virtualChannels * ControlBlock.BYTES) {
            return Optional.empty();
        }
        byte[] hello = Arrays.copyOfRange(bytes, FIXED_BYTES, bytes.length);
        return Optional.of(new ChannelGreeting(control, virtualChannels, words.get(), hello));
    }
}
