package io.verbena.tools;

import io.verbena.tools.base.StopSignal;

/** The exit codes of the process. */
final class ExitCode {

    /** Success. */
    static final int OK = 0;

    /** An operation failed or did not verify. */
    static final int FAILED = 1;

    /** The arguments are wrong. */
    static final int USAGE = 2;

    /** The user requested the end, as a shell reports a program that SIGINT ended. */
    static final int STOPPED = StopSignal.EXIT_CODE;

    private ExitCode() {}
}
