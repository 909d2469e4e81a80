package io.verbena.hardware.abi;

import io.verbena.verbs.VerbsException;

/** A function of the libraries reported a failure. */
public final class CallFailedException extends VerbsException {

    private static final long serialVersionUID = 1L;

    private final int errno;

    CallFailedException(NativeFunction function, int errno) {
        super(function.symbol() + " failed: " + Errno.text(errno) + ".");
        this.errno = errno;
    }

    /** The error number, {@link Errno#UNKNOWN} if the library stated none. */
    public int errno() {
        return errno;
    }
}
