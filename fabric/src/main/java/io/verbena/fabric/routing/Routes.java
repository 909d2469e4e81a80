package io.verbena.fabric.routing;

/** Where packets go: the addresses of endports and the forwarding tables of switches. */
public interface Routes {

    /** The base LID of the endport of a port; 0 if it has none. */
    int lid(int node, int port);

    /** The number of its LIDs, as a power of two. */
    int lmc(int node, int port);

    /** The output port of a switch for a LID: 0 for itself, 255 for none. */
    int outputPort(int node, int lid);

    /** The virtual lane that a packet gets at the output port of a node; the input port is 0 at its source. */
    int virtualLane(int node, int inputPort, int outputPort, int serviceLevel);

    /** Whether the cable carries data. */
    boolean usable(int cable);

    /** The service level of packets from an endport to a LID. */
    int serviceLevel(int sourceNode, int sourcePort, int dlid);
}
