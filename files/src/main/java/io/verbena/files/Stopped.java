package io.verbena.files;

/** The caller requested the end of a copy through its {@link StopRequest}. */
public final class Stopped extends FileServiceException {

    private static final long serialVersionUID = 1L;

    Stopped() {
        super("Stopped");
    }
}
