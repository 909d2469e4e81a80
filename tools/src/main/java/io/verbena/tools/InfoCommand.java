package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.memory.MemoryReport;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

    private static final int MOST_COLUMNS = 80;
    private static final int LEAST_COLUMNS = 40;
    private static final int LABEL_COLUMNS = 20;

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnic = new RnicArguments();

    @Option(
            names = "--memory",
            description = "Show also how memory is managed: keys, tables, page frames and faults, measured with a small"
                    + " segment.")
    private boolean memory;

    InfoCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnic.options();
        List<RnicProvider> providers =
                options.provider().isEmpty() ? RnicProvider.all() : List.of(RnicProvider.named(options.provider()));
        List<JsonObject> entries = new ArrayList<>();
        figures.put("version", VersionText.version());
        Optional<RnicProvider> best =
                providers.stream().filter(p -> obstacle(p, options).isEmpty()).findFirst();
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
        String obstacle = obstacle(provider, options);
        JsonObject entry = new JsonObject()
                .put("name", provider.name())
                .put("description", provider.description())
                .put("default", isDefault)
                .put("available", obstacle.isEmpty())
                .put("obstacle", obstacle)
                .putStrings("devices", provider.devices());
        say(provider.name() + (isDefault ? " (the default)" : ""));
        for (String sentence : provider.description().split("(?<=\\.) ", -1)) {
            tell("  " + sentence);
        }
        if (obstacle.isEmpty()) {
            RnicAttributes limits = provider.describe(options);
            ProviderLimits shown = new ProviderLimits(limits);
            entry.put("limits", shown.json());
            shown.lines(provider.devices(), this::line);
            if (memory) {
                entry.put("memory", memory(provider, options, limits));
            }
        } else {
            line("cannot be used", obstacle);
        }
        say("");
        return entry;
    }

    /** Why a provider, or the device that was named, cannot be used. Empty if it can. */
    private static String obstacle(RnicProvider provider, RnicOptions options) {
        if (!provider.obstacle().isEmpty() || options.device().isEmpty()) {
            return provider.obstacle();
        }
        boolean hasDevices = !provider.devices().isEmpty() || options.iwarp().tcp() != TcpCarrier.KERNEL;
        if (!hasDevices) {
            return "it has no devices, so that --device " + options.device()
                    + " does not apply; iwarp has them with --tcp tun, tap, packet or qemu";
        }
        try (Rnic _ = Rnic.open(options.withProvider(provider.name()))) {
            return "";
        } catch (VerbsException | UnsupportedOperationException | IllegalArgumentException e) {
            return Problems.sentence(e);
        }
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
