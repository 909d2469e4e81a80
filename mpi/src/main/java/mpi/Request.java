package mpi;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation in progress (MPI_Request). A request that is done is null, as {@link #isNull} shows. */
public class Request {

    /** Starts an operation again; for persistent requests. */
    interface Starter {
        io.verbena.messaging.Request start();
    }

    private final Payload received;
    private final boolean receives;
    private io.verbena.messaging.@Nullable Request operation;

    Request(io.verbena.messaging.@Nullable Request operation, Payload received, boolean receives) {
        this.operation = operation;
        this.received = received;
        this.receives = receives;
    }

    static Request none() {
        return new Request(null, Payload.NONE, false);
    }

    void started(io.verbena.messaging.Request newOperation) {
        operation = newOperation;
    }

    /** Waits until the operation is done. */
    public final void waitFor() throws MPIException {
        waitStatus();
    }

    /** Waits until the operation is done and describes its message. */
    public final Status waitStatus() throws MPIException {
        io.verbena.messaging.Request running = operation;
        if (running == null) {
            return Status.empty();
        }
        try {
            io.verbena.messaging.Status found = running.await();
            return done(found);
        } catch (RuntimeException e) {
            operation = null;
            throw MPIException.of(e);
        }
    }

    /** Bytes that have been received; a collective operation receives all. */
    long receivedBytes(io.verbena.messaging.Status found) {
        return found.count();
    }

    /** What was received is in the memory of the operation: puts it where the program expects it. */
    void received(io.verbena.messaging.Status found) {
        received.received(receivedBytes(found));
    }

    private Status done(io.verbena.messaging.Status found) {
        operation = null;
        if (receives) {
            received(found);
        }
        return Status.of(found);
    }

    /** Returns whether the operation is done. */
    public final boolean test() throws MPIException {
        return testStatus() != null;
    }

    /** Describes the message if the operation is done; null otherwise. */
    public final @Nullable Status testStatus() throws MPIException {
        io.verbena.messaging.Request running = operation;
        if (running == null) {
            return Status.empty();
        }
        try {
            return running.test() ? done(running.await()) : null;
        } catch (RuntimeException e) {
            operation = null;
            throw MPIException.of(e);
        }
    }

    /** Describes the message if the operation is done, and keeps the request; null otherwise. */
    public final @Nullable Status getStatus() throws MPIException {
        io.verbena.messaging.Request running = operation;
        return running == null ? Status.empty() : running.done() ? Status.of(running.await()) : null;
    }

    /** Returns whether nothing is in progress. */
    public final boolean isNull() {
        return operation == null;
    }

    /** The program does not wait for the operation. */
    public final void free() throws MPIException {
        operation = null;
    }

    /** Operations are not cancelled here: the operation completes, and its status says so. */
    public final void cancel() {
        // MPI allows an implementation to let an operation complete instead.
    }

    // Several.

    /** Waits for all. */
    public static void waitAll(Request[] requests) throws MPIException {
        waitAllStatus(requests);
    }

    /** Waits for all. */
    public static Status[] waitAllStatus(Request[] requests) throws MPIException {
        Status[] found = new Status[requests.length];
        for (int i = 0; i < requests.length; i++) {
            found[i] = requests[i].waitStatus().at(i);
        }
        return found;
    }

    /** Returns whether all are done. */
    public static boolean testAll(Request[] requests) throws MPIException {
        return testAllStatus(requests) != null;
    }

    /** Describes the messages if all are done; null otherwise. */
    public static Status @Nullable [] testAllStatus(Request[] requests) throws MPIException {
        for (Request request : requests) {
            io.verbena.messaging.Request running = request.operation;
            if (running != null && !running.test()) {
                return null;
            }
        }
        return waitAllStatus(requests);
    }

    /** Waits for one and returns its index; {@link MPI#UNDEFINED} if none is in progress. */
    public static int waitAny(Request[] requests) throws MPIException {
        return waitAnyStatus(requests).getIndex();
    }

    /** Waits for one and describes its message. */
    public static Status waitAnyStatus(Request[] requests) throws MPIException {
        while (true) {
            Status found = testAnyStatus(requests);
            if (found != null) {
                return found;
            }
            Thread.onSpinWait();
        }
    }

    /** Returns the index of one that is done; {@link MPI#UNDEFINED} if there is none. */
    public static int testAny(Request[] requests) throws MPIException {
        Status found = testAnyStatus(requests);
        return found == null ? MPI.UNDEFINED : found.getIndex();
    }

    /** Describes the message of one that is done; null if there is none. If none is in progress the index is {@link MPI#UNDEFINED}. */
    public static @Nullable Status testAnyStatus(Request[] requests) throws MPIException {
        boolean any = false;
        for (int i = 0; i < requests.length; i++) {
            if (!requests[i].isNull()) {
                any = true;
                Status found = requests[i].testStatus();
                if (found != null) {
                    return found.at(i);
                }
            }
        }
        return any ? null : Status.empty().at(MPI.UNDEFINED);
    }

    /** Waits for at least one and returns the indices of those that are done. */
    public static int @Nullable [] waitSome(Request[] requests) throws MPIException {
        return indices(waitSomeStatus(requests));
    }

    /** Waits for at least one and describes the messages of those that are done; null if none is in progress. */
    public static Status @Nullable [] waitSomeStatus(Request[] requests) throws MPIException {
        while (true) {
            Status[] found = testSomeStatus(requests);
            if (found == null || found.length > 0) {
                return found;
            }
            Thread.onSpinWait();
        }
    }

    /** Returns the indices of those that are done; null if none is in progress. */
    public static int @Nullable [] testSome(Request[] requests) throws MPIException {
        return indices(testSomeStatus(requests));
    }

    /** Describes the messages of those that are done; null if none is in progress. */
    public static Status @Nullable [] testSomeStatus(Request[] requests) throws MPIException {
        if (allNull(requests)) {
            return null;
        }
        List<Status> found = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            Status one = requests[i].isNull() ? null : requests[i].testStatus();
            if (one != null) {
                found.add(one.at(i));
            }
        }
        return found.toArray(Status[]::new);
    }

    private static boolean allNull(Request[] requests) {
        for (Request request : requests) {
            if (!request.isNull()) {
                return false;
            }
        }
        return true;
    }

    private static int @Nullable [] indices(Status @Nullable [] found) {
        if (found == null) {
            return null;
        }
        int[] indices = new int[found.length];
        for (int i = 0; i < found.length; i++) {
            indices[i] = found[i].getIndex();
        }
        return indices;
    }
}
