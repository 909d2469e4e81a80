package mpi;

import java.nio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of all ranks of a communicator that each of them accesses (MPI_Win). Puts and gets are RDMA Writes and Reads, which are complete after
 * {@link #fence}, {@link #flush} or {@link #unlock}. Accumulating calls are complete when they return.
 *
 * <p>A rank serves the accesses of others while it calls MPI, whatever it calls; with the system property {@code verbena.mpi.progress=thread}
 * also while it computes.
 */
public final class Win {

    private final WinAccesses accesses;
    private final Attributes attributes = new Attributes();

    /** All ranks of the communicator give a direct buffer; sizes and displacements count its elements. */
    public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) throws MPIException {
        accesses = new WinAccesses(base, size, dispUnit, comm);
    }

    // Accesses.

    /** Writes elements to the window of a rank; the buffer must not be changed until the access is complete. */
    public void put(
            Buffer origin,
            int orgCount,
            Datatype orgType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType)
            throws MPIException {
        if (targetRank != MPI.PROC_NULL) {
            accesses.startPut(
                    Payload.of(origin, orgCount, orgType),
                    accesses.place(targetRank, targetDisp, targetCount, targetType));
        }
    }

    /** Writes elements of the same type to the window of a rank. */
    public void put(Buffer origin, int count, Datatype type, int targetRank, int targetDisp) throws MPIException {
        put(origin, count, type, targetRank, targetDisp, count, type);
    }

    /** Reads elements of the window of a rank; they are in the buffer when the access is complete. */
    public void get(
            Buffer origin,
            int orgCount,
            Datatype orgType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType)
            throws MPIException {
        if (targetRank != MPI.PROC_NULL) {
            accesses.startGet(
                    Payload.of(origin, orgCount, orgType),
                    accesses.place(targetRank, targetDisp, targetCount, targetType));
        }
    }

    /** Reads elements of the same type from the window of a rank. */
    public void get(Buffer origin, int count, Datatype type, int targetRank, int targetDisp) throws MPIException {
        get(origin, count, type, targetRank, targetDisp, count, type);
    }

    /** Combines elements with those in the window of a rank by a predefined operation. */
    public void accumulate(
            Buffer origin,
            int orgCount,
            Datatype orgType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType,
            Op op)
            throws MPIException {
        if (targetRank != MPI.PROC_NULL) {
            accesses.combine(
                    Payload.of(origin, orgCount, orgType),
                    accesses.place(targetRank, targetDisp, targetCount, targetType),
                    op);
        }
    }

    /** Combines elements with those in the window of a rank; a buffer gets the elements of the window before. */
    public void getAccumulate(
            @Nullable Buffer origin,
            int orgCount,
            Datatype orgType,
            Buffer resultAddr,
            int resultCount,
            Datatype resultType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType,
            Op op)
            throws MPIException {
        if (targetRank != MPI.PROC_NULL) {
            accesses.combine(
                    op == MPI.NO_OP ? Payload.NONE : Payload.of(origin, orgCount, orgType),
                    Payload.of(resultAddr, resultCount, resultType),
                    accesses.place(targetRank, targetDisp, targetCount, targetType),
                    op);
        }
    }

    /** Combines one element with that in the window of a rank; a buffer gets the element before. */
    public void fetchAndOp(Buffer origin, Buffer resultAddr, Datatype dataType, int targetRank, int targetDisp, Op op)
            throws MPIException {
        getAccumulate(origin, 1, dataType, resultAddr, 1, dataType, targetRank, targetDisp, 1, dataType, op);
    }

    /** Replaces one element in the window of a rank if it equals another one; a buffer gets the element before. */
    public void compareAndSwap(
            Buffer origin, Buffer compareAddr, Buffer resultAddr, Datatype targetType, int targetRank, int targetDisp)
            throws MPIException {
        if (targetRank == MPI.PROC_NULL) {
            return;
        }
        if (!targetType.isBasic()) {
            throw new MPIException(MPI.ERR_TYPE, "compareAndSwap needs a basic type");
        }
        WinAccesses.Place place = accesses.place(targetRank, targetDisp, 1, targetType);
        Payload replacement = Payload.of(origin, 1, targetType);
        Payload expected = Payload.of(compareAddr, 1, targetType);
        Payload before = Payload.of(resultAddr, 1, targetType);
        WinAccesses.attempt(() -> accesses.window()
                .compareAndSwap(
                        replacement.segment(),
                        expected.segment(),
                        before.segment(),
                        targetRank,
                        place.at(),
                        targetType.base()));
    }

    // Completion by all ranks.

    /** Completes all accesses since the last fence; all ranks call it. When it returns the accesses of all ranks to all ranks are complete. */
    public void fence(int assertion) throws MPIException {
        flushAll();
        WinAccesses.attempt(() -> accesses.ranks().barrier());
    }

    // Completion without the target.

    /**
     * Waits for the lock of the window of a rank, MPI.LOCK_EXCLUSIVE or MPI.LOCK_SHARED. If a rank has died and the lock is not free, the call
     * fails with ERR_PROC_FAILED.
     */
    public void lock(int lockType, int rank, int assertion) throws MPIException {
        if (lockType != MPI.LOCK_EXCLUSIVE && lockType != MPI.LOCK_SHARED) {
            throw new MPIException(MPI.ERR_ARG, "a lock is LOCK_EXCLUSIVE or LOCK_SHARED, not " + lockType);
        }
        accesses.checkRank(rank);
        WinAccesses.attempt(() -> accesses.window().lock(rank, lockType == MPI.LOCK_EXCLUSIVE));
    }

    /** Shares the locks of the windows of all ranks. */
    public void lockAll(int assertion) throws MPIException {
        WinAccesses.attempt(() -> accesses.window().lockAll());
    }

    /** Completes the accesses to a rank and releases its lock. */
    public void unlock(int rank) throws MPIException {
        accesses.checkRank(rank);
        WinAccesses.attempt(() -> accesses.window().unlock(rank));
        accesses.completed(rank);
    }

    /** Completes all accesses and releases the locks of all ranks. */
    public void unlockAll() throws MPIException {
        WinAccesses.attempt(() -> accesses.window().unlockAll());
        accesses.completedAll();
    }

    /** Waits until the accesses to a rank are complete. */
    public void flush(int rank) throws MPIException {
        accesses.checkRank(rank);
        WinAccesses.attempt(() -> accesses.window().flush(rank));
        accesses.completed(rank);
    }

    /** Waits until all accesses are complete. */
    public void flushAll() throws MPIException {
        WinAccesses.attempt(() -> accesses.window().flushAll());
        accesses.completedAll();
    }

    /** Like {@link #flush}, after which the buffers of the accesses can be used again. */
    public void flushLocal(int rank) throws MPIException {
        flush(rank);
    }

    /** Like {@link #flushAll}, after which the buffers of the accesses can be used again. */
    public void flushLocalAll() throws MPIException {
        flushAll();
    }

    /** Serves accesses of other ranks; the memory of a window is the memory that its rank sees. */
    public void sync() throws MPIException {
        WinAccesses.attempt(() -> accesses.ranks().progress());
    }

    // The window.

    /** The ranks of the window. */
    public Group getGroup() {
        return new Group(accesses.ranks().group());
    }

    /** All ranks free the window. */
    public void free() throws MPIException {
        WinAccesses.attempt(() -> {
            accesses.window().close();
            accesses.ranks().close();
        });
    }

    // Attributes.

    /** A new key for attributes of windows. */
    public static int createKeyval() throws MPIException {
        return Attributes.create();
    }

    /** Frees a key: attributes under it cannot be reached any more. */
    public static void freeKeyval(int keyval) throws MPIException {
        Attributes.free(keyval);
    }

    /** Attaches a value. */
    public void setAttr(int keyval, Object value) throws MPIException {
        attributes.set(keyval, value);
    }

    /** The value that was attached; null if there is none. */
    public @Nullable Object getAttr(int keyval) throws MPIException {
        return attributes.get(keyval);
    }

    /** Removes a value. */
    public void deleteAttr(int keyval) throws MPIException {
        attributes.delete(keyval);
    }
}
