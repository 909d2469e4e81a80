package io.verbena.hardware.fake;

/** A function of the fake library fails with an errno. */
final class FakeFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The function returns its failure and leaves errno as it is. */
    static final int NO_REASON = -1;

    private final int errno;

    FakeFailure(int errno) {
        super("errno " + errno, null, false, false);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
