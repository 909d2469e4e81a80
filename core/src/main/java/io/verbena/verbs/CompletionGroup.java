package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.List;

/**
 * A completion queue a processor: what a queue pair completes is handled where its CQ lives, and no processor is the
 * bottleneck of the others. A queue pair that completes on such a CQ lives on an engine beside that processor: one that shares a
 * core with it ({@link RnicOptions#withEngineCores}), or else each processor's queue pairs on an engine in turn. Made by
 * {@link Rnic#createCompletionGroup}.
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
