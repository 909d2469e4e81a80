package mpi;

/** Describes a message that was received or found by a probe. */
public final class Status {

    private final int source;
    private final int tag;
    private final long bytes;
    private int index;
    private boolean cancelled;

    Status(int source, int tag, long bytes) {
        this.source = source;
        this.tag = tag;
        this.bytes = bytes;
    }

    static Status of(io.verbena.messaging.Status found) {
        return new Status(found.source(), found.tag(), found.count());
    }

    /** The status of a message from no rank. */
    static Status none() {
        return new Status(MPI.PROC_NULL, MPI.ANY_TAG, 0);
    }

    static Status empty() {
        return new Status(MPI.ANY_SOURCE, MPI.ANY_TAG, 0);
    }

    Status at(int newIndex) {
        index = newIndex;
        return this;
    }

    /** Number of elements; {@link MPI#UNDEFINED} if they are not whole. */
    public int getCount(Datatype datatype) {
        int size = datatype.getSize();
        if (size == 0) {
            return 0;
        }
        return bytes % size == 0 ? Math.toIntExact(bytes / size) : MPI.UNDEFINED;
    }

    /** Number of basic elements; {@link MPI#UNDEFINED} if they are of different types and the last element is not whole. */
    public int getElements(Datatype datatype) {
        if (datatype.mixed()) {
            int count = getCount(datatype);
            return count == MPI.UNDEFINED ? count : Math.multiplyExact(count, datatype.perElement());
        }
        return Math.toIntExact(bytes / datatype.base().bytes());
    }

    public int getSource() {
        return source;
    }

    public int getTag() {
        return tag;
    }

    /** Always {@link MPI#SUCCESS}: errors are exceptions. */
    public int getError() {
        return MPI.SUCCESS;
    }

    /** Index of the request in the array of a wait or test for any or some. */
    public int getIndex() {
        return index;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    Status cancelled() {
        cancelled = true;
        return this;
    }
}
