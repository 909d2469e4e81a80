package io.verbena.storage.subsystem;

import java.util.List;

/**
 * What hosts do with a target.
 *
 * @param namespaces all namespaces
 * @param queues the queues of all hosts that have connected
 * @param memoryBytes registered memory of all queues
 * @param drops capsules of all queues that got no response
 */
public record TargetFigures(List<OfNamespace> namespaces, List<OfQueue> queues, long memoryBytes, CapsuleDrops drops) {
    /** Copies the lists. */
    public TargetFigures {
        namespaces = List.copyOf(namespaces);
        queues = List.copyOf(queues);
    }

    /**
     * A namespace.
     *
     * @param subsystem NQN of its subsystem
     * @param namespace the namespace
     * @param counts since it was added
     */
    public record OfNamespace(String subsystem, Namespace namespace, CommandCounts counts) {}

    /**
     * A queue.
     *
     * @param subsystem NQN of the subsystem
     * @param host NQN of the host
     * @param controllerId the controller
     * @param queueId the queue; 0 is the admin queue
     * @param depth how many commands there are
     * @param counts since the queue connected
     */
    public record OfQueue(
            String subsystem, String host, int controllerId, int queueId, Depth depth, CommandCounts counts) {}

    /**
     * The depth of a queue.
     *
     * @param now commands that have arrived and are not answered yet
     * @param most the most of them so far
     * @param entries how many there can be
     * @param states the commands by state; those that wait in their receives have none
     */
    public record Depth(int now, int most, int entries, StateCounts states) {}
}
