package io.verbena.web;

import io.verbena.verbs.Figures;
import java.util.List;

/**
 * A network that a page draws, and whose time or parts the page may control. Requests call it from several threads at a time. The module
 * knows nothing of what is behind it: a simulation, or a fabric that other programs manage.
 */
public interface NetworkSource {

    /** Nodes, links and places; the same at each call. */
    NetworkPlan plan();

    /** The state now; it does not change any more. */
    NetworkState state();

    /**
     * What is in the ports of a node now.
     *
     * @throws IllegalArgumentException if there is no such node, or if it is not known now
     */
    NetworkNode node(int node);

    /** Figures of the network for {@code /metrics}. They are many, and therefore not part of the samples of pages. */
    default List<Figures> figures() {
        return List.of();
    }

    /**
     * Does something, soon.
     *
     * @throws IllegalArgumentException if the network does not have what the action names, or cannot do it
     */
    void act(NetworkAction action);
}
