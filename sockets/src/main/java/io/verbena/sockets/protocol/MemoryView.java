package io.verbena.sockets.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A part of registered memory as a buffer with a position and a limit, for channels. One buffer is made for each memory, not for each part. */
final class MemoryView {

    private final boolean readOnly;
    private @Nullable StreamMemory viewed;
    private ByteBuffer bytes = ByteBuffer.allocate(0);

    MemoryView(boolean readOnly) {
        this.readOnly = readOnly;
    }

    /** These bytes, until the next call. */
    ByteBuffer of(StreamMemory memory, int offset, int length) {
        if (viewed != memory) {
            viewed = memory;
            bytes = readOnly
                    ? memory.bytes().asReadOnlyBuffer()
                    : memory.bytes().duplicate();
        }
        return bytes.limit(offset + length).position(offset);
    }
}
