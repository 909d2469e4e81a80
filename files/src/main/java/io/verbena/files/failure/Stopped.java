package io.verbena.files.failure;

/** The caller requested the end of a copy through its {@link StopRequest}. */
public final class Stopped extends FileServiceException {

    private static final long serialVersionUID = 1L;

    public Stopped() {
        super("Stopped");
    }
}
