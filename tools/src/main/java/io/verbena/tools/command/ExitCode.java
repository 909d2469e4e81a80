package io.verbena.tools.command;

import io.verbena.tools.base.StopSignal;

/** The exit codes of the process. */
public final class ExitCode {

    /** Success. */
    public static final int OK = 0;

    /** An operation failed or did not verify. */
    public static final int FAILED = 1;

    /** The arguments are wrong. */
    public static final int USAGE = 2;

    /** The user requested the end, as a shell reports a program that SIGINT ended. */
    static final int STOPPED = StopSignal.EXIT_CODE;

    private ExitCode() {}
}
