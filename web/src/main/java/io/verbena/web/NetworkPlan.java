package io.verbena.web;

import java.util.List;

/**
 * What a network consists of, and where a picture shows it.
 *
 * @param name what the network is called
 * @param nodes the nodes; their position is their number
 * @param links the links; their position is their number
 * @param lanes lanes of each link
 * @param timed whether its time can be stopped, and begin again
 */
public record NetworkPlan(String name, List<Node> nodes, List<Link> links, int lanes, boolean timed) {

    /** Copies the lists. */
    public NetworkPlan {
        nodes = List.copyOf(nodes);
        links = List.copyOf(links);
    }

    /**
     * A node.
     *
     * @param name its name, unique
     * @param forwards whether it is a switch
     * @param x place from the left, in pixels of a picture without scale
     * @param y place from the top
     */
    public record Node(String name, boolean forwards, double x, double y) {}

    /** One end of a link: a node, and the number of its port there. */
    public record End(int node, int port) {}

    /**
     * A link.
     *
     * @param from the first end; direction 0 begins here
     * @param to the second end; direction 1 begins here
     * @param bend how far the line leaves the straight way, in pixels; 0 for a straight line
     */
    public record Link(End from, End to, double bend) {}
}
