package io.verbena.tools.impair;

import java.util.List;

/**
 * What happens to some packets.
 *
 * @param where its conditions as text, which is also its name: a rule replaces another one with equal conditions
 * @param conditions which all must be true
 * @param effects on the packets that meet them
 * @param what the effects as text
 */
record Rule(String where, List<Condition> conditions, Effects effects, String what) {

    /** The text of a rule without conditions. */
    static final String EVERYWHERE = "all packets";

    boolean matches(Packet packet, Side from) {
        boolean any = packet.kind() != PacketShape.Kind.OTHER;
        for (Condition each : conditions) {
            if (!each.matches(packet, from)) {
                return false;
            }
            any |= each.namesProtocol();
        }
        return any; // ARP and neighbor discovery are spared unless they are named: nothing would work
    }

    /** As in a script. */
    String text() {
        return (where.equals(EVERYWHERE) ? "" : where + " ") + what;
    }
}
