package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.List;

/**
 * One completion queue per processor. Completions of a queue pair are handled on the processor of its CQ, so that no
 * processor becomes the bottleneck of the others. A queue pair that completes on such a CQ is assigned to an engine
 * near that processor: an engine that shares a core with it ({@link RnicOptions#withEngineCores}), or otherwise to the
 * engines in turn for each processor. Created by {@link Rnic#createCompletionGroup}. Any thread may call any method.
 */
public interface CompletionGroup extends AutoCloseable {

    /** The CQs, one per processor, in the order of the processors. */
    List<CompletionQueue> queues();

    /** Selects the CQ for a new queue pair that will be connected to this peer. */
    CompletionQueue choose(SocketAddress peer);

    /**
     * Closes the CQs and removes their handlers.
     *
     * @throws IllegalStateException if queue pairs still use a CQ of the group
     */
    @Override
    void close();
}
