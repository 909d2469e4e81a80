package io.verbena.tools.impair;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What happens to some packets.
 *
 * @param where its conditions as text, which is also its name: a line with equal conditions changes it
 * @param conditions which all must be true
 * @param settings the effects as text: values by names
 * @param effects the same
 */
record Rule(String where, List<Condition> conditions, Map<String, String> settings, Effects effects) {

    /** The text of a rule without conditions. */
    static final String EVERYWHERE = "all packets";

    /**
     * A rule with effects that are still to be read.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong with them
     */
    static Rule of(String where, List<Condition> conditions, Map<String, String> settings) {
        return new Rule(where, List.copyOf(conditions), settings, EffectReader.read(settings));
    }

    /** This rule with the effects of a later line, which has the same conditions; effects that it does not name remain. */
    Rule changedBy(Rule later) {
        Map<String, String> merged = new LinkedHashMap<>(settings);
        merged.putAll(later.settings);
        return of(where, conditions, merged);
    }

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
        String what = settings.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(" "));
        return where.equals(EVERYWHERE) ? what : where + " " + what;
    }
}
