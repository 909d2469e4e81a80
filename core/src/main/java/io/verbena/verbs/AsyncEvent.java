package io.verbena.verbs;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * An event that no completion reports (ibv_async_event).
 *
 * @param type kind of the event
 * @param subject the object concerned: a {@link QueuePair}, {@link CompletionQueue}, {@link SharedReceiveQueue},
 *     {@link MemoryRegion}, {@link Listener}, {@link EndToEndContext} or {@link Rnic}
 * @param port number of the port concerned; empty if the event does not concern a port
 * @param pageFault the access that failed, for {@link AsyncEventType#PAGE_FAULT}; otherwise empty
 * @param sentence description for people
 */
public record AsyncEvent(
        AsyncEventType type, Object subject, OptionalInt port, Optional<PageFault> pageFault, String sentence) {

    /** An event about an object, without a port or page fault. */
    public AsyncEvent(AsyncEventType type, Object subject, String sentence) {
        this(type, subject, OptionalInt.empty(), Optional.empty(), sentence);
    }
}
