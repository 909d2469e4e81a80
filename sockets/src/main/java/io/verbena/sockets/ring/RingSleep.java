package io.verbena.sockets.ring;

import java.nio.ByteBuffer;

/**
 * One of the two words by which a side says that it sleeps. Its value says how the peer wakes it, and has a number of its own for each time:
 *
 * <pre>
 *   31                              2   1           0
 *   | number of the announcement   | by memory | by a byte |     the upper half is 0
 * </pre>
 *
 * <p>By memory: a thread waits for this word in the system, as long as it has the value that the thread has set. The peer clears it and wakes the thread. By a
 * byte: a thread waits for the TCP connection. Both, if a channel is in two selectors.
 *
 * <p>Because of the number, a thread that is about to wait for a value that the peer has cleared does not fall asleep when another thread of its side has
 * announced its own sleep meanwhile. A wake-up that comes late ends at most a wait that then begins again: all that counts is in the word.
 */
public final class RingSleep {

    /** The peer sends a byte on the TCP connection. */
    public static final int BY_BYTE = 1;

    /** The peer wakes the threads that wait for the word. */
    public static final int BY_MEMORY = 2;

    private static final int NUMBER_SHIFT = 2;

    private final ByteBuffer memory;
    private final int at;

    /** Of one thread at a time, as {@link #announce}. */
    private int number;

    RingSleep(ByteBuffer memory, int at) {
        this.memory = memory;
        this.at = at;
    }

    /** Where the word is in the memory, whose lower half is at its beginning. */
    public int at() {
        return at;
    }

    /** The value of the word, with which a thread waits for it. */
    public int value() {
        return (int) RingLayout.load(memory, at);
    }

    /**
     * This side is about to sleep, and is to be woken in this way, too. After a full fence it looks whether it has to, and sleeps if so.
     *
     * @return the value of the word with which to sleep
     */
    public int announce(int way) {
        number = number + 1 & Integer.MAX_VALUE >> NUMBER_SHIFT;
        int value = number << NUMBER_SHIFT | value() & (BY_BYTE | BY_MEMORY) | way;
        RingLayout.store(memory, at, value);
        return value;
    }

    /** This side does not sleep after all. */
    void withdraw() {
        RingLayout.store(memory, at, 0);
    }

    /** Whether the peer will wake this side in this way. */
    public boolean announced(int way) {
        return (value() & way) != 0;
    }

    /** The peer: takes the announcement after a full fence, and wakes in the ways that are returned. 0 if there is none. */
    int take() {
        return (int) RingLayout.take(memory, at) & (BY_BYTE | BY_MEMORY);
    }
}
