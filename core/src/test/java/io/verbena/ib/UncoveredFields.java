package io.verbena.ib;

import java.util.HashMap;
import java.util.Map;

/** Fields of what the connected services and the datagrams share that no digest covers, and the reason. */
final class UncoveredFields {

    private static final Map<String, String> SHARED = Map.ofEntries(
            Map.entry("LocalWork.status", "the result of the last work, read at once"),
            Map.entry("LocalWork.sentence", "the result of the last work, read at once"),
            Map.entry("RequestPackets.clock", "describes the packet that is built"),
            Map.entry("RequestPackets.context", "describes the packet that is built"),
            Map.entry("RequestPackets.destQp", "describes the packet that is built"),
            Map.entry("RequestPackets.disjoint", "describes the packet that is built"),
            Map.entry("RequestPackets.entropy", "describes the packet that is built"),
            Map.entry("RequestPackets.qKey", "describes the packet that is built"),
            Map.entry("RequestPackets.sourceQp", "describes the packet that is built"),
            Map.entry("RequestPackets.sprayed", "describes the packet that is built"),
            Map.entry("InboundMessage.mayWrite", "a right, which a change of the queue pair sets"),
            Map.entry("InboundMessage.mtuBytes", "set when the connection begins"),
            Map.entry("MigratingPath.alternate", "a path, which a change of the queue pair sets"),
            Map.entry("MigratingPath.others", "set when the connection begins"),
            Map.entry("MigratingPath.current", "a path, which the state decides"));

    private UncoveredFields() {}

    /** These fields, and those of a service. */
    @SafeVarargs
    static Map<String, String> and(Map.Entry<String, String>... ofService) {
        Map<String, String> all = new HashMap<>(SHARED);
        all.putAll(Map.ofEntries(ofService));
        return Map.copyOf(all);
    }
}
