package io.verbena.rnic;

import java.util.ArrayDeque;

/** One direction of a stream: the bytes in transit, up to a limit. */
final class MemoryPipe {

    private final ArrayDeque<Byte> bytes = new ArrayDeque<>();
    private int capacity;
    private boolean ended;

    MemoryPipe(int capacity) {
        this.capacity = capacity;
    }

    void capacity(int newCapacity) {
        capacity = newCapacity;
    }

    int space() {
        return Math.max(0, capacity - bytes.size());
    }

    int size() {
        return bytes.size();
    }

    void put(byte value) {
        bytes.addLast(value);
    }

    byte take() {
        return bytes.removeFirst();
    }

    void end() {
        ended = true;
    }

    boolean ended() {
        return ended;
    }
}
