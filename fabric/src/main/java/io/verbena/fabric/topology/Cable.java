package io.verbena.fabric.topology;

/**
 * A cable, a fibre or the traces of a backplane between two ports.
 *
 * @param nodeA index of the node at one end; the end with the lower index, or the lower port of the same node
 * @param portA port of that node, from 1
 * @param nodeB index of the node at the other end
 * @param portB port of that node, from 1
 * @param rate width and speed
 * @param lengthMetres length, for the time that signals take
 */
public record Cable(int nodeA, int portA, int nodeB, int portB, LinkRate rate, int lengthMetres) {

    /** Length of a cable that states none. */
    public static final int DEFAULT_METRES = 3;

    /** The other node. */
    public int peerOf(int node, int port) {
        return node == nodeA && port == portA ? nodeB : nodeA;
    }

    /** The port of the other node. */
    public int peerPortOf(int node, int port) {
        return node == nodeA && port == portA ? portB : portA;
    }

    /** The same cable with its ends in order. */
    Cable normalized() {
        boolean swapped = nodeA > nodeB || nodeA == nodeB && portA > portB;
        return swapped ? new Cable(nodeB, portB, nodeA, portA, rate, lengthMetres) : this;
    }
}
