package io.verbena.messaging.start;

import java.io.IOException;

/**
 * A rank cannot join its job. The message says what to set or to change, so the exception has neither a stack trace nor a cause: a program
 * that does not catch it prints one line.
 */
public class JobStartException extends IOException {
    private static final long serialVersionUID = 1L;

    public JobStartException(String sentence) {
        super(sentence);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
