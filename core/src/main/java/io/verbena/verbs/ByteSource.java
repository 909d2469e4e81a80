package io.verbena.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes that a program has somewhere else, such as those of a channel that does not block. */
@FunctionalInterface
public interface ByteSource {

    /** Puts bytes into a buffer, as a channel does: returns their number, 0 if there are none now, -1 at the end. */
    int read(ByteBuffer target) throws IOException;
}
