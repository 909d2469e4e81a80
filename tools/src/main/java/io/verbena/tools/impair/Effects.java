package io.verbena.tools.impair;

/**
 * What a rule does to packets.
 *
 * @param chances of what happens to single packets
 * @param delay of all of them
 */
record Effects(Chances chances, Delay delay) {

    /**
     * Probabilities, 0 to 1.
     *
     * @param loss a packet is lost
     * @param duplicate it arrives twice
     * @param corrupt one bit of it is flipped
     * @param trim its payload is cut
     * @param mark it is marked "congestion experienced"
     */
    record Chances(double loss, double duplicate, double corrupt, double trim, double mark) {}

    /**
     * A delay. Packets of a flow stay in order, except those that are reordered.
     *
     * @param delayNs of every packet
     * @param jitterNs maximum of what is added, equally distributed
     * @param reorder probability, 0 to 1, that a packet is overtaken by later ones
     * @param reorderNs what such a packet is late in addition
     */
    record Delay(long delayNs, long jitterNs, double reorder, long reorderNs) {}
}
