package io.verbena.shm;

import io.verbena.port.ByteStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The socket of a connection after its set-up: each byte wakes a side, and its end is the end of the peer. */
final class WakeSocket {

    private static final int MOST_AT_ONCE = 4096;

    private final ByteStream socket;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64);

    /** Of {@link #bytes}: a stream that derived it in each call would allocate. */
    private final long address = MemorySegment.ofBuffer(bytes).address();

    private boolean owed;
    private boolean ended;
    private Optional<IOException> failure = Optional.empty();

    WakeSocket(ByteStream socket) {
        this.socket = socket;
        socket.signalsOnly();
    }

    /** Whether the peer's end is closed: nothing follows what is in the ring. */
    boolean ended() {
        return ended;
    }

    /** The failure with which the socket ended, if it did not end in order. */
    Optional<IOException> failure() {
        return failure;
    }

    /** Wakes the peer: now, or when the socket accepts a byte. */
    void send() {
        if (ended) {
            return;
        }
        try {
            owed = socket.write(bytes.clear().limit(1), address) == 0;
            socket.wantWritable(owed);
        } catch (IOException e) {
            failed(e);
        }
    }

    /** The socket accepts bytes, or belongs to another loop. */
    void resume() {
        if (owed) {
            send();
        }
    }

    /** Reads what has arrived. */
    void receive() {
        try {
            for (int left = MOST_AT_ONCE; left > 0 && !ended; left -= bytes.capacity()) {
                int count = socket.read(bytes.clear(), address);
                if (count == ByteStream.END) {
                    end();
                }
                if (count <= 0) {
                    return;
                }
            }
            // More than a peer sends that follows the protocol: the loop reports the rest later.
            socket.wantReadable(false);
            socket.wantReadable(!ended);
        } catch (IOException e) {
            failed(e);
        }
    }

    private void failed(IOException e) {
        failure = failure.or(() -> Optional.of(e));
        end();
    }

    private void end() {
        owed = false;
        ended = true;
        socket.wantReadable(false);
        socket.wantWritable(false);
    }
}
