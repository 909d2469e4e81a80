package mpi;

import io.verbena.messaging.Communicator;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Ranks that communicate (MPI_Comm). */
public class Comm extends CommReductions {

    private String name = "";
    private Errhandler handler = MPI.ERRORS_RETURN;
    private final Attributes attributes = new Attributes();

    Comm(@Nullable Communicator ranks) {
        super(ranks);
    }

    /** A communicator of the same ranks, whose messages are separate. */
    public Comm dup() throws MPIException {
        try {
            return new Comm(communicator().dup()).with(this);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Like {@link #dup}, for older programs. */
    @Override
    public Comm clone() {
        try {
            return dup();
        } catch (MPIException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Compares the ranks of two communicators. */
    public static int compare(Comm first, Comm second) throws MPIException {
        if (first == second) {
            return MPI.IDENT;
        }
        int groups = Group.compare(first.getGroup(), second.getGroup());
        return groups == MPI.IDENT ? MPI.CONGRUENT : groups;
    }

    // Attributes.

    /** This communicator, with the attributes of the one that it duplicates. */
    Comm with(Comm original) {
        attributes.copy(original.attributes);
        return this;
    }

    /** A new key for attributes of communicators. */
    public static int createKeyval() throws MPIException {
        return Attributes.create();
    }

    /** Frees a key: attributes under it cannot be reached any more. */
    public static void freeKeyval(int keyval) throws MPIException {
        Attributes.free(keyval);
    }

    /** Attaches a value, which {@link #dup} copies. */
    public final void setAttr(int keyval, Object value) throws MPIException {
        attributes.set(keyval, value);
    }

    /** The value that was attached, or that of a predefined key such as {@link MPI#TAG_UB}; null if there is none. */
    public final @Nullable Object getAttr(int keyval) throws MPIException {
        return switch (keyval) {
            case MPI.TAG_UB -> Communicator.MAX_TAG;
            case MPI.HOST -> MPI.PROC_NULL;
            case MPI.IO -> MPI.ANY_SOURCE;
            case MPI.WTIME_IS_GLOBAL -> false;
            case MPI.APPNUM -> 0;
            case MPI.LASTUSEDCODE -> MPI.ERR_REVOKED;
            case MPI.UNIVERSE_SIZE -> MPI.COMM_WORLD.getSize();
            default -> attributes.get(keyval);
        };
    }

    /** Removes a value. */
    public final void deleteAttr(int keyval) throws MPIException {
        attributes.delete(keyval);
    }

    // Packed elements.

    /** Bytes that packed elements need at most. */
    public final int packSize(int incount, Datatype datatype) throws MPIException {
        return Math.multiplyExact(incount, datatype.getSize());
    }

    /** Copies elements of a buffer into an array from a position on; returns the position after them. */
    public final int pack(Object inbuf, int incount, Datatype datatype, byte[] outbuf, int position)
            throws MPIException {
        MemorySegment packed = Payload.of(inbuf, incount, datatype).segment();
        checkPosition(position, packed.byteSize(), outbuf);
        MemorySegment.copy(packed, 0, MemorySegment.ofArray(outbuf), position, packed.byteSize());
        return position + (int) packed.byteSize();
    }

    /** Copies packed elements of an array, from a position on, into a buffer; returns the position after them. */
    public final int unpack(byte[] inbuf, int position, Object outbuf, int outcount, Datatype datatype)
            throws MPIException {
        Payload payload = Payload.of(outbuf, outcount, datatype);
        long bytes = payload.segment().byteSize();
        checkPosition(position, bytes, inbuf);
        MemorySegment.copy(MemorySegment.ofArray(inbuf), position, payload.segment(), 0, bytes);
        payload.received(bytes);
        return position + (int) bytes;
    }

    private static void checkPosition(int position, long bytes, byte[] array) throws MPIException {
        if (position < 0 || position > array.length - bytes) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    bytes + " bytes from position " + position + " on are not within an array of " + array.length);
        }
    }

    /** All ranks free the communicator. */
    public final void free() throws MPIException {
        Communicator found = communicator();
        awaitBuffered();
        ranks(null);
        try {
            found.close();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Returns whether this is no communicator. */
    public final boolean isNull() {
        return !hasRanks();
    }

    /** CART if the ranks are in a grid, otherwise UNDEFINED. */
    public int getTopology() throws MPIException {
        return MPI.UNDEFINED;
    }

    /** Communicators of two groups do not exist here. */
    public final boolean isInter() {
        return false;
    }

    /** The ranks of this communicator. */
    public final Group getGroup() throws MPIException {
        return new Group(communicator().group());
    }

    /** Sets what happens with errors: exceptions, whatever the handler is. */
    public final void setErrhandler(Errhandler newHandler) {
        handler = newHandler;
    }

    public final Errhandler getErrhandler() {
        return handler;
    }

    public final void setName(String newName) {
        name = newName;
    }

    public final String getName() {
        return name;
    }

    /** Ends this process at once; the launcher ends the others. */
    public final void abort(int errorcode) {
        Runtime.getRuntime().halt(errorcode);
    }
}
