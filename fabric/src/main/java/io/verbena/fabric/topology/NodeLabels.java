package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives nodes names by their descriptions. Descriptions of real subnets are not unique: those of switches without management and of hosts
 * without a name state a product. Their identification distinguishes nodes that share one; it follows the description.
 */
final class NodeLabels {

    private NodeLabels() {}

    /** The name of each section's node. */
    static List<String> names(List<NodeSection> sections) {
        Map<String, Integer> uses = new HashMap<>();
        for (NodeSection section : sections) {
            uses.merge(section.label(), 1, Integer::sum);
        }
        Set<String> taken = new HashSet<>(uses.keySet());
        List<String> names = new ArrayList<>();
        for (NodeSection section : sections) {
            String name = section.label();
            if (uses.getOrDefault(name, 0) > 1) {
                do {
                    name += " " + section.kind.letter() + "-" + Node.hex(section.identity.guid());
                } while (!taken.add(name));
            }
            names.add(name);
        }
        return names;
    }

    /** A description as it can be printed in one line. */
    static String clean(String description) {
        StringBuilder result = new StringBuilder();
        description.codePoints().map(c -> Character.isISOControl(c) ? ' ' : c).forEach(result::appendCodePoint);
        return result.toString().strip();
    }
}
