package mpi;

/** A send or a receive that is prepared once and started many times. */
public final class Prequest extends Request {

    private final Starter starter;

    Prequest(Starter starter, Payload received, boolean receives) {
        super(null, received, receives);
        this.starter = starter;
    }

    /** Starts the operation. */
    public void start() throws MPIException {
        if (!isNull()) {
            throw new MPIException(MPI.ERR_REQUEST, "the request has been started and is not done");
        }
        try {
            started(starter.start());
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Starts all. */
    public static void startAll(Prequest[] requests) throws MPIException {
        for (Prequest request : requests) {
            request.start();
        }
    }
}
