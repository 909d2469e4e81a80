package io.verbena.tools;

/** What the process ends with. */
final class ExitCode {

    /** All is well. */
    static final int OK = 0;

    /** Something did not work or did not verify. */
    static final int FAILED = 1;

    /** The arguments are wrong. */
    static final int USAGE = 2;

    private ExitCode() {}
}
