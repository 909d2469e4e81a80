package io.verbena.hardware.fake;

/** A function of the fake library fails with an errno. */
final class FakeFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int errno;

    FakeFailure(int errno) {
        super("errno " + errno, null, false, false);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
