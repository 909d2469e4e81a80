package io.verbena.fabric.endnode;

import io.verbena.fabric.topology.AdapterKind;
import java.util.Arrays;

/**
 * The software of low-end adapters, which executes their network and transport layers: it processes packets of both directions one
 * after the other, in the order in which they come to it.
 */
final class AdapterSoftware {

    private final AdapterKind[] kinds;
    private final long[] freeAtNs;

    /** All endnodes have adapters of hosts. */
    AdapterSoftware(int endnodes) {
        kinds = new AdapterKind[endnodes];
        Arrays.fill(kinds, AdapterKind.HOST);
        freeAtNs = new long[endnodes];
    }

    void kind(int endnode, AdapterKind kind) {
        kinds[endnode] = kind;
    }

    AdapterKind kind(int endnode) {
        return kinds[endnode];
    }

    /** A packet comes to the software at a time since the beginning. Returns how long it takes until it has been processed; 0 for hardware. */
    long process(int endnode, int packetBytes, long nowNs) {
        long costNs = kinds[endnode].softwareNs(packetBytes);
        if (costNs == 0) {
            return 0;
        }
        long tookNs = Math.max(0, freeAtNs[endnode] - nowNs) + costNs;
        freeAtNs[endnode] = nowNs + tookNs;
        return tookNs;
    }
}
