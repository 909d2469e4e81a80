package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.memory.MemoryReport;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena info}: lists the providers and the limits of their RNICs. */
@Command(
        name = "info",
        customSynopsis = "verbena info [OPTIONS]",
        description = {
            "List the kinds of RNIC (RDMA adapter) that can be opened here, with their operations and limits.",
            "For a provider that cannot be used, print the reason and what to do.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena info",
            "  verbena info --memory",
            "  verbena info --json | jq '.providers[].name'",
            "  verbena info --provider iwarp --inline"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:at least one provider can be used", "1:no provider can be used", "2:wrong arguments"})
final class InfoCommand extends FiguresCommand {

    private static final int MOST_COLUMNS = 100;
    private static final int LEAST_COLUMNS = 40;
    private static final int LABEL_COLUMNS = 20;

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnic = new RnicArguments();

    @Option(
            names = "--memory",
            description =
                    "Show also how memory is managed: keys, tables, page frames and faults, measured with a small segment.")
    private boolean memory;

    InfoCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnic.options();
        List<RnicProvider> providers =
                options.provider().isEmpty() ? RnicProvider.all() : List.of(RnicProvider.named(options.provider()));
        List<JsonObject> entries = new ArrayList<>();
        figures.put("version", VersionText.version());
        Optional<RnicProvider> best =
                providers.stream().filter(p -> p.obstacle().isEmpty()).findFirst();
        for (RnicProvider provider : providers) {
            boolean isDefault = options.provider().isEmpty() && provider.equals(best.orElse(null));
            entries.add(show(provider, options, isDefault));
        }
        figures.putObjects("providers", entries);
        if (best.isEmpty()) {
            throw new Failure(
                    entries.isEmpty()
                            ? "No RNIC provider was found; put verbena-core on the class path or module path"
                            : "No provider can be used on this machine; the reasons are above");
        }
        return true;
    }

    private JsonObject show(RnicProvider provider, RnicOptions options, boolean isDefault) throws IOException {
        JsonObject entry = new JsonObject()
                .put("name", provider.name())
                .put("description", provider.description())
                .put("default", isDefault)
                .put("available", provider.obstacle().isEmpty())
                .put("obstacle", provider.obstacle())
                .putStrings("devices", provider.devices());
        say(provider.name() + (isDefault ? " (the default)" : ""));
        for (String sentence : provider.description().split("(?<=\\.) ", -1)) {
            tell("  " + sentence);
        }
        if (provider.obstacle().isEmpty()) {
            RnicAttributes limits = provider.describe(options);
            entry.put("limits", json(limits));
            lines(provider.devices(), limits);
            if (memory) {
                entry.put("memory", memory(provider, options, limits));
            }
        } else {
            line("cannot be used", provider.obstacle());
        }
        say("");
        return entry;
    }

    private JsonObject memory(RnicProvider provider, RnicOptions options, RnicAttributes limits) throws IOException {
        JsonObject entry =
                new JsonObject().put("maxKeys", limits.device().maxWindows()).put("maxRegions", limits.maxRegions());
        line(
                "remote keys",
                "32 random bits, " + Figures.count(limits.device().maxWindows())
                        + " at a time; for one queue pair or one domain, for one use or for many");
        try {
            for (String[] each : MemoryReport.trial(options.withProvider(provider.name()), entry)) {
                line(each[0], each[1]);
            }
            entry.put("paging", true);
        } catch (UnsupportedOperationException e) {
            entry.put("paging", false);
            line("paging", "none: pinned memory only");
        }
        return entry;
    }

    private void lines(List<String> devices, RnicAttributes limits) {
        if (!devices.isEmpty()) {
            line("devices", String.join(", ", devices));
        }
        line("transport", transport(limits.transport()));
        line("services", words(names(limits.services(), TransportService.values())));
        line("operations", words(names(limits.operations(), WorkOpcode.values())));
        line(
                "queue pairs",
                Figures.count(limits.maxQueuePairs()) + " with " + Figures.count(limits.maxWorkRequests())
                        + " requests per queue, " + limits.maxScatterGather() + " elements each");
        line(
                "completion queues",
                Figures.count(limits.maxCompletionQueues()) + " with " + Figures.count(limits.maxCompletionEntries())
                        + " entries; " + Figures.count(limits.completionHandlers()) + " handlers");
        line("shared receives", Figures.count(limits.maxSharedReceiveQueues()) + " queues");
        line(
                "at once",
                limits.maxInboundReads() + " Reads and atomics in and " + limits.maxOutboundReads()
                        + " out per queue pair");
        line(
                "memory",
                Figures.count(limits.maxRegions()) + " regions, "
                        + Figures.count(limits.device().maxWindows()) + " windows");
        line(
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

    private static JsonObject json(RnicAttributes limits) {
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

    private void line(String label, String text) {
        int columns = terminal.columns().getAsInt();
        int width = columns == 0 ? MOST_COLUMNS : Math.clamp(columns, LEAST_COLUMNS, MOST_COLUMNS);
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-18s", label));
        int start = 0;
        for (String word : text.split(" ", -1)) {
            if (line.length() - start + 1 + word.length() > width) {
                start = line.length() + 1;
                line.append('\n').append(" ".repeat(LABEL_COLUMNS));
            }
            line.append(' ').append(word);
        }
        say(line.toString());
    }

    /** A line that may be wrapped. */
    private void tell(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }

    private void say(String line) {
        if (!json) {
            terminal.out().println(line);
        }
    }
}
