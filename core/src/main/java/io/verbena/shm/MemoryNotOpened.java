package io.verbena.shm;

import java.io.IOException;

/** The acceptor cannot open the memory that the initiator offers; both know it, and the socket is usable. */
final class MemoryNotOpened extends IOException {

    private static final long serialVersionUID = 1L;

    MemoryNotOpened(String sentence) {
        super(sentence);
    }
}
