package io.verbena.rnic;

import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Bytes of a buffer of the program as a channel, which is read into memory of the peer. One object serves all writes of a queue pair. */
final class BufferSource implements ByteSource {

    private @Nullable ByteBuffer source;
    private int position;
    private int left;

    /**
     * Writes bytes of a buffer to memory of the peer, in as many pieces as the endpoint makes of them.
     *
     * @return whether all bytes were written
     */
    boolean write(QueuePairEndpoint endpoint, ByteBuffer from, int at, int length, long remoteAddress, int key) {
        source = from;
        position = at;
        left = length;
        try {
            int bytes = 1;
            while (left > 0 && bytes > 0) {
                bytes = endpoint.writeNow(this, left, remoteAddress + (length - left), key);
            }
            return left == 0;
        } catch (IOException _) {
            return false; // the peer has closed its memory
        } finally {
            source = null;
        }
    }

    @Override
    public int read(ByteBuffer target) {
        int bytes = Math.min(left, target.remaining());
        int at = target.position();
        target.put(at, Objects.requireNonNull(source), position, bytes);
        target.position(at + bytes);
        position += bytes;
        left -= bytes;
        return bytes;
    }
}
