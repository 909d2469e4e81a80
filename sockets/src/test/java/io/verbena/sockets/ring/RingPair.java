package io.verbena.sockets.ring;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Both sides of a stream over the same memory. */
final class RingPair {

    final ByteBuffer memory;
    final RingEnd client;
    final RingEnd server;

    RingPair(int ringBytes) {
        memory = ByteBuffer.allocateDirect(RingLayout.bytes(ringBytes)).order(ByteOrder.nativeOrder());
        client = new RingEnd(memory, true, ringBytes);
        server = new RingEnd(memory, false, ringBytes);
    }

    /** Bytes that continue a sequence of which each position has its own value. */
    static ByteBuffer bytes(long from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(from + i);
        }
        return ByteBuffer.wrap(bytes);
    }

    static byte at(long position) {
        return (byte) (position * 31 + position / 251);
    }

    /** Writes a word of a side, as a hostile process could. */
    void set(boolean client, int word, long value) {
        RingLayout.store(memory, RingLayout.word(client, word), value);
    }
}
