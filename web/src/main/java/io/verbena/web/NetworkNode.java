package io.verbena.web;

import java.util.List;

/** What is in the ports of a node. */
public record NetworkNode(int number, List<Port> ports) {

    /** Copies the list. */
    public NetworkNode {
        ports = List.copyOf(ports);
    }

    /**
     * A port with a link.
     *
     * @param port its number at the node
     * @param link number of the link
     * @param frames frames that wait for the port at an adapter
     */
    public record Port(int port, int link, int frames, List<Lane> lanes) {

        /** Copies the list. */
        public Port {
            lanes = List.copyOf(lanes);
        }
    }

    /**
     * A lane of a port.
     *
     * @param held places of the receive buffer that its sender cannot use
     * @param buffer places of the receive buffer
     * @param credits flits that the port may send
     * @param waiting frames that use or want to use the lane to leave the node
     */
    public record Lane(int held, int buffer, int credits, int waiting) {}
}
