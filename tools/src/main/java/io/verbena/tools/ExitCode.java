package io.verbena.tools;

/** The exit codes of the process. A command that Ctrl-C stops has that of {@link io.verbena.tools.base.StopSignal}. */
final class ExitCode {

    /** Success. */
    static final int OK = 0;

    /** An operation failed or did not verify. */
    static final int FAILED = 1;

    /** The arguments are wrong. */
    static final int USAGE = 2;

    private ExitCode() {}
}
