package io.verbena.verbs;

/**
 * A wait of one thread at a time for words of memory that processes share, see {@link HostMemory#newWait}. The thread calls {@link #begin}, states the words by {@link #add}
 * with the values for which it waits, looks whether it has to wait, and calls {@link #await}. Another thread, of any process, changes a word and then wakes
 * by {@link HostMemory.Mapping#wake}: if it has changed the word before the waiting thread sleeps, that does not sleep, so no change is missed.
 *
 * <p>The thread should be a platform thread: a virtual one keeps its carrier. An interrupt does not end the wait.
 */
public interface HostWait {

    /** Forgets all words. A {@link #wake} after this ends the next wait. */
    void begin();

    /**
     * Adds a word of 32 bits, in the byte order of the machine.
     *
     * @param at its offset, a multiple of 4
     * @param value the value with which the thread waits
     * @return false if there are as many words as this wait can have
     */
    boolean add(HostMemory.Mapping memory, int at, int value);

    /**
     * Waits until a word has another value, a thread has woken it, {@link #wake} was called since {@link #begin}, or the time is over. May return earlier, and
     * returns at once if the memory of a word was closed.
     *
     * @param timeoutNs in nanoseconds; {@link Long#MAX_VALUE} is without end
     */
    void await(long timeoutNs);

    /** Ends the wait, or the one that has begun. Any thread of this process. */
    void wake();
}
