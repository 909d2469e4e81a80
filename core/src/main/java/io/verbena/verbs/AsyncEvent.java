package io.verbena.verbs;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Something that no work request can tell (ibv_async_event).
 *
 * @param type what happened
 * @param subject the object concerned: a {@link QueuePair}, {@link CompletionQueue}, {@link SharedReceiveQueue},
 *     {@link MemoryRegion}, {@link Listener} or {@link Rnic}
 * @param port the port concerned
 * @param pageFault what was missing, with {@link AsyncEventType#PAGE_FAULT}
 * @param sentence for people
 */
public record AsyncEvent(
        AsyncEventType type, Object subject, OptionalInt port, Optional<PageFault> pageFault, String sentence) {

    /** About an object, not a port. */
    public AsyncEvent(AsyncEventType type, Object subject, String sentence) {
        this(type, subject, OptionalInt.empty(), Optional.empty(), sentence);
    }
}
