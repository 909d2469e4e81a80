package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingLayout;
import java.nio.ByteBuffer;

/** The words at the beginning of the memory, which prove to each side that the other one uses it. */
final class RingMemory {

    private RingMemory() {}

    /** The client has created it. */
    static void offer(ByteBuffer memory, RingFrame.Nonce nonce) {
        memory.putLong(RingLayout.MAGIC_AT, RingLayout.MAGIC);
        nonce.put(memory, RingLayout.CLIENT_NONCE_AT);
    }

    /** Whether the client that sent this nonce has created it. */
    static boolean offered(ByteBuffer memory, RingFrame.Nonce nonce) {
        return memory.getLong(RingLayout.MAGIC_AT) == RingLayout.MAGIC
                && RingFrame.Nonce.at(memory, RingLayout.CLIENT_NONCE_AT).is(nonce);
    }

    /** The server has opened it. */
    static void answer(ByteBuffer memory, RingFrame.Nonce nonce) {
        nonce.put(memory, RingLayout.SERVER_NONCE_AT);
    }

    /** Whether the server that sent this nonce has opened it. */
    static boolean answered(ByteBuffer memory, RingFrame.Nonce nonce) {
        return RingFrame.Nonce.at(memory, RingLayout.SERVER_NONCE_AT).is(nonce);
    }
}
