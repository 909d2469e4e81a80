package io.verbena.tools.text;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** A manual page of a command, in the macros of man(7), from what its {@code --help} is made of. */
public final class ManualPage {

    private static final int SYNOPSIS_COLUMNS = 400;

    private final CommandSpec spec;
    private final UsageMessageSpec usage;
    private final Help help;
    private final String version;
    private final StringBuilder page = new StringBuilder();

    /**
     * Of one command.
     *
     * @param version the version of the program
     */
    public ManualPage(CommandLine command, String version) {
        this.spec = command.getCommandSpec();
        this.usage = spec.usageMessage();
        this.help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        this.version = version;
    }

    /** The page. */
    public String text() {
        String name = spec.qualifiedName("-");
        List<String> description = List.of(usage.description()).stream()
                .filter(line -> !line.isBlank())
                .toList();
        String first = description.isEmpty() ? spec.name() : formatted(description.getFirst());
        line(".TH \"" + name.toUpperCase(Locale.ROOT) + "\" \"1\" \"\" \"Verbena " + version + "\"");
        section("NAME");
        line(escaped(name) + " \\- " + escaped(summary(first)));
        section("SYNOPSIS");
        line(escaped(help.synopsis(SYNOPSIS_COLUMNS).strip().replaceAll("\\s+", " ")));
        section("DESCRIPTION");
        description.forEach(paragraph -> {
            line(".PP");
            line(escaped(formatted(paragraph)));
        });
        arguments();
        commands();
        footer();
        return page.toString();
    }

    /** The first sentence, as the line of a list of commands. */
    private static String summary(String description) {
        String sentence = description.split("(?<=[.:;])\\s", 2)[0];
        return sentence.replaceAll("[.:;]$", "");
    }

    private void arguments() {
        boolean any = false;
        for (PositionalParamSpec each : spec.positionalParameters()) {
            if (!each.hidden()) {
                any = sectionOnce(any, "ARGUMENTS");
                entry(each.paramLabel(), each);
            }
        }
        any = false;
        for (OptionSpec each : spec.options()) {
            if (!each.hidden() && each.group() == null) {
                any = sectionOnce(any, "OPTIONS");
                option(each);
            }
        }
        for (ArgGroupSpec group : spec.argGroups()) {
            group(group, any ? "" : "OPTIONS");
            any = true;
        }
    }

    private void group(ArgGroupSpec group, String section) {
        if (!section.isEmpty()) {
            section(section);
        }
        String heading = group.heading();
        if (heading != null) {
            line(".SS " + escaped(formatted(heading).strip().replaceAll(":$", "")));
        }
        group.options().stream().filter(each -> !each.hidden()).forEach(this::option);
        group.subgroups().forEach(each -> group(each, ""));
    }

    private void option(OptionSpec option) {
        String value = option.arity().max() == 0
                ? ""
                : option.arity().min() == 0 ? "[=" + option.paramLabel() + "]" : "=" + option.paramLabel();
        entry(String.join(", ", option.names()) + value, option);
    }

    private void entry(String label, ArgSpec argument) {
        line(".TP");
        line("\\fB" + escaped(label) + "\\fR");
        String description = String.join(" ", argument.renderedDescription());
        line(escaped(description.isBlank() ? label : formatted(description)));
    }

    private void commands() {
        boolean any = false;
        for (CommandLine each : spec.subcommands().values()) {
            UsageMessageSpec its = each.getCommandSpec().usageMessage();
            if (!its.hidden()) {
                any = sectionOnce(any, "COMMANDS");
                line(".TP");
                line("\\fB" + escaped(each.getCommandSpec().qualifiedName("-")) + "\\fR(1)");
                line(escaped(summary(formatted(its.description().length == 0 ? "" : its.description()[0]))));
            }
        }
    }

    private void footer() {
        if (!usage.exitCodeList().isEmpty()) {
            section("EXIT STATUS");
            usage.exitCodeList().forEach((code, meaning) -> {
                line(".TP");
                line("\\fB" + escaped(code) + "\\fR");
                line(escaped(formatted(meaning)));
            });
        }
        if (usage.footer().length > 0) {
            section(formatted(usage.footerHeading())
                    .strip()
                    .replaceAll(":$", "")
                    .toUpperCase(Locale.ROOT));
            line(".nf");
            for (String each : usage.footer()) {
                line(escaped(formatted(each)));
            }
            line(".fi");
        }
    }

    private boolean sectionOnce(boolean any, String name) {
        if (!any) {
            section(name);
        }
        return true;
    }

    private void section(String name) {
        line(".SH " + (name.isEmpty() ? "NOTES" : name));
    }

    /** picocli's texts are formats. */
    private static String formatted(String text) {
        return String.format(Locale.ROOT, text);
    }

    /** A backslash, a hyphen, and a control character at the start of a line have a meaning in troff. */
    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^(?=[.'])", "\\\\&");
    }

    private void line(String text) {
        page.append(text).append('\n');
    }
}
