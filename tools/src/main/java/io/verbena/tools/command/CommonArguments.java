package io.verbena.tools.command;

import picocli.CommandLine.Option;

/** Options of every command. The fields are not read: picocli and {@link Problems} look at what was parsed. */
@SuppressWarnings("UnusedVariable")
public final class CommonArguments {

    /** Shown after the options of the command. */
    static final int LAST = 1000;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = LAST,
            description = "Show this help and exit.")
    private boolean help;

    @Option(
            names = {"-d", "--debug"},
            order = LAST,
            description = "Print the stack trace of an error (or set VERBENA_DEBUG=1).")
    private boolean debug;
}
