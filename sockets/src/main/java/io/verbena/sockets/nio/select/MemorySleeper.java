package io.verbena.sockets.nio.select;

import io.verbena.verbs.HostWait;

/** What a selector of nothing but rings needs of those that carry a channel: it sleeps in their shared memory. */
public interface MemorySleeper {

    /** Whether these rings can be waited for in memory. */
    boolean sleepsInMemory();

    /** Announces the sleep for these operations. Returns whether the selector has to look once more. */
    boolean sleepIn(HostWait wait, int ops);
}
