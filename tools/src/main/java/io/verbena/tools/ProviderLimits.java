package io.verbena.tools;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;

/** The operations and limits of the RNICs of a provider, as {@code verbena info} shows them. */
record ProviderLimits(RnicAttributes limits) {

    /** The lines for a user: a label and a text. */
    void lines(List<String> devices, BiConsumer<String, String> line) {
        if (!devices.isEmpty()) {
            line.accept("devices", String.join(", ", devices));
        }
        line.accept("transport", transport(limits.transport()));
        line.accept("services", words(names(limits.services(), TransportService.values())));
        line.accept("operations", words(names(limits.operations(), WorkOpcode.values())));
        line.accept(
                "queue pairs",
                Figures.count(limits.maxQueuePairs()) + " with " + Figures.count(limits.maxWorkRequests())
                        + " requests per queue, " + limits.maxScatterGather() + " elements each");
        line.accept(
                "completion queues",
                Figures.count(limits.maxCompletionQueues()) + " with " + Figures.count(limits.maxCompletionEntries())
                        + " entries; " + Figures.count(limits.completionHandlers()) + " handlers");
        line.accept("shared receives", Figures.count(limits.maxSharedReceiveQueues()) + " queues");
        line.accept(
                "at once",
                limits.maxInboundReads() + " Reads and atomics in and " + limits.maxOutboundReads()
                        + " out per queue pair");
        line.accept(
                "memory",
                Figures.count(limits.maxRegions()) + " regions, "
                        + Figures.count(limits.device().maxWindows()) + " windows");
        line.accept(
                "sizes",
                "messages up to " + Figures.bytes(limits.maxMessageBytes()) + ", inline up to "
                        + Figures.bytes(limits.maxInlineBytes()) + ", private data up to "
                        + Figures.bytes(limits.maxPrivateDataBytes()) + ", " + limits.immediateBits()
                        + " bits of immediate data");
    }

    private static String transport(TransportType transport) {
        return switch (transport) {
            case IWARP -> "iWARP";
            case ROCE_V2 -> "RoCEv2";
            case INFINIBAND -> "InfiniBand";
            case SHARED_MEMORY -> "shared memory";
        };
    }

    /** The same for a program. */
    JsonObject json() {
        return new JsonObject()
                .put("transport", limits.transport().name())
                .putStrings("services", names(limits.services(), TransportService.values()))
                .putStrings("operations", names(limits.operations(), WorkOpcode.values()))
                .put("maxQueuePairs", limits.maxQueuePairs())
                .put("maxWorkRequests", limits.maxWorkRequests())
                .put("maxScatterGather", limits.maxScatterGather())
                .put("maxInlineBytes", limits.maxInlineBytes())
                .put("maxMessageBytes", limits.maxMessageBytes())
                .put("maxRegions", limits.maxRegions())
                .put("maxWindows", limits.device().maxWindows())
                .put("maxCompletionQueues", limits.maxCompletionQueues())
                .put("maxCompletionEntries", limits.maxCompletionEntries())
                .put("maxSharedReceiveQueues", limits.maxSharedReceiveQueues())
                .put("maxInboundReads", limits.maxInboundReads())
                .put("maxOutboundReads", limits.maxOutboundReads())
                .put("maxPrivateDataBytes", limits.maxPrivateDataBytes())
                .put("completionHandlers", limits.completionHandlers())
                .put("completionHandlersInUse", limits.completionHandlersInUse())
                .put("immediateBits", limits.immediateBits())
                .put("deviceVersion", limits.device().version());
    }

    /** Names in the order of the enum, not of the set. */
    private static <E extends Enum<E>> List<String> names(Set<E> present, E[] all) {
        List<String> names = new ArrayList<>();
        for (E value : all) {
            if (present.contains(value)) {
                names.add(value.name());
            }
        }
        return names;
    }

    private static String words(List<String> names) {
        return String.join(", ", names).toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
