package io.verbena.sockets.protocol;

/** A part of a receive buffer that the peer was offered, or is to be offered. It is filled and consumed from its start. */
final class Extent {

    final StreamMemory memory;
    final int offset;
    final int length;

    /** Whether a message has announced it to the peer. */
    boolean announced;

    int filled;
    int consumed;

    /** Messages that have filled it. */
    int messages;

    Extent(StreamMemory memory, int offset, int length) {
        this.memory = memory;
        this.offset = offset;
        this.length = length;
    }

    void reuse() {
        announced = false;
        filled = 0;
        consumed = 0;
        messages = 0;
    }

    boolean full() {
        return filled == length;
    }

    boolean free() {
        return consumed == length;
    }

    long address() {
        return memory.address() + offset;
    }
}
