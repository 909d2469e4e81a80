package io.verbena.tools.command;

import picocli.CommandLine.Option;

/** Option {@code --quiet}. */
public final class QuietArgument {

    @Option(
            names = {"-q", "--quiet"},
            description = "Show no progress; servers and clients that copy or ping print errors only.")
    private boolean quiet;

    /** Whether it was given. */
    public boolean quiet() {
        return quiet;
    }
}
