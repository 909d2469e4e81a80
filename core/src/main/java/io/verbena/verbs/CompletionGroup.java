package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.List;

/**
 * A completion queue a processor: what a queue pair completes is handled where its CQ lives, and no processor is the
 * bottleneck of the others. Made by {@link Rnic#createCompletionGroup}.
 */
public interface CompletionGroup extends AutoCloseable {

    /** The CQs, one a processor, in the order of the processors. */
    List<CompletionQueue> queues();

    /** The CQ for a new queue pair with this peer. */
    CompletionQueue choose(SocketAddress peer);

    /**
     * Closes CQs and removes handlers.
     *
     * @throws IllegalStateException while queue pairs use them
     */
    @Override
    void close();
}
