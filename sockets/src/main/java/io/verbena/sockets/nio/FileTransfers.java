package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.OwnThread;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Recognizes the first transfer between a file and a channel by the buffer that the JDK uses for it. Then the JDK is
 * made to ask {@link CarriedFiles}: that takes a good part of a second on a busy machine, in a thread of its own, which
 * a program without files need not spend.
 */
public final class FileTransfers {

    /** Of the buffers of the JDK, on the heap, through which a file receives bytes of a channel. */
    private static final int RECEIVING_BYTES = 8192;

    /** Empty without the agent, and when it was done. */
    private static final AtomicReference<Optional<Runnable>> INSTALL = new AtomicReference<>(Optional.empty());

    private FileTransfers() {}

    /** Sets what is done at the first transfer. */
    public static void atFirst(Runnable install) {
        INSTALL.set(Optional.of(install));
    }

    /** A program writes this buffer to a channel. */
    static void onSource(ByteBuffer source) {
        if (source.isReadOnly() && source.isDirect()) { // a mapped file
            install();
        }
    }

    /** A program reads a channel to this buffer. */
    static void onTarget(ByteBuffer target) {
        if (target.capacity() == RECEIVING_BYTES && target.hasArray()) {
            install();
        }
    }

    private static void install() {
        if (INSTALL.get().isPresent()) {
            INSTALL.getAndSet(Optional.empty())
                    .ifPresent(install -> new OwnThread(install, "verbena-sockets-files").start());
        }
    }
}
