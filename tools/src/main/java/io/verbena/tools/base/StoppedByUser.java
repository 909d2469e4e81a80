package io.verbena.tools.base;

/** The user requested the end before the command was finished: one sentence that says how far it got, exit code 130. */
public final class StoppedByUser extends Failure {

    private static final long serialVersionUID = 1L;

    /** With what has been done, such as "after 2 of 5 rounds". */
    public StoppedByUser(String progress) {
        super("Stopped " + progress);
    }
}
