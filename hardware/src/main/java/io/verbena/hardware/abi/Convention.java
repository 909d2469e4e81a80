package io.verbena.hardware.abi;

/** How a function reports a failure. A wrong convention would be silent, so that it is stated once, in the table of functions. */
public enum Convention {
    /** A pointer; null is a failure, and errno states why. Some plug-ins leave errno 0. */
    POINTER,
    /** 0, or the errno itself; siw returns it negative. */
    RESULT,
    /** 0 or more, or -1 with errno. */
    MINUS_ONE,
    /** A number, negative for a failure: the negative errno. */
    COUNT,
    /** Cannot fail: whatever is returned is the value. */
    VALUE;

    /** The errno of a failure, 0 for none, and {@link Errno#UNKNOWN} for a failure without a reason. */
    int failure(long returned, int errno) {
        return switch (this) {
            case POINTER -> returned != 0 ? 0 : orUnknown(errno);
            case RESULT -> returned == 0 ? 0 : (int) Math.abs(returned);
            case MINUS_ONE -> returned >= 0 ? 0 : orUnknown(errno);
            case COUNT -> returned >= 0 ? 0 : (int) -returned;
            case VALUE -> 0;
        };
    }

    /** Whether errno states the reason of a failure. */
    boolean usesErrno() {
        return this == POINTER || this == MINUS_ONE;
    }

    private static int orUnknown(int errno) {
        return errno == 0 ? Errno.UNKNOWN : errno;
    }
}
