package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Wiring;

/** What faults happen to. Nodes and ports have the numbers of a wiring. */
public interface FaultTarget {

    /** A node fails or returns. */
    void node(int node, boolean works);

    /** The link of a port fails or returns. */
    void link(int port, boolean works);

    /** Flits that a port sends are damaged with a probability. */
    void errors(int port, double rate);

    /** Credits in flits that a port sends are lost with a probability. */
    void credits(int port, double rate);

    /** A port of an endnode takes a flit in this number of ticks. */
    void slow(int port, int ticks);

    /** A network of RNICs. */
    static FaultTarget of(San san) {
        Wiring wiring = san.fabric().wiring();
        return new FaultTarget() {
            @Override
            public void node(int node, boolean works) {
                if (works) {
                    san.repairNode(node);
                } else {
                    san.breakNode(node);
                }
            }

            @Override
            public void link(int port, boolean works) {
                if (works) {
                    san.repairLink(wiring.nodeOf(port), wiring.local(port));
                } else {
                    san.breakLink(wiring.nodeOf(port), wiring.local(port));
                }
            }

            @Override
            public void errors(int port, double rate) {
                san.errors(wiring.nodeOf(port), wiring.local(port), rate);
            }

            @Override
            public void credits(int port, double rate) {
                san.creditLoss(wiring.nodeOf(port), wiring.local(port), rate);
            }

            @Override
            public void slow(int port, int ticks) {
                san.slowReceiver(wiring.nodeOf(port), wiring.local(port), ticks);
            }
        };
    }

    /** A fabric with traffic of frames. */
    static FaultTarget of(Fabric fabric) {
        return new FaultTarget() {
            @Override
            public void node(int node, boolean works) {
                if (works) {
                    fabric.repairNode(node);
                } else {
                    fabric.breakNode(node);
                }
            }

            @Override
            public void link(int port, boolean works) {
                if (works) {
                    fabric.repairLink(port);
                } else {
                    fabric.breakLink(port);
                }
            }

            @Override
            public void errors(int port, double rate) {
                fabric.errors(port, rate);
            }

            @Override
            public void credits(int port, double rate) {
                fabric.creditLevels().loss(port, rate);
            }

            @Override
            public void slow(int port, int ticks) {
                fabric.slowReceiver(port, ticks);
            }
        };
    }
}
