package mpi;

import io.verbena.messaging.Communicator;
import io.verbena.messaging.Window;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.ArrayList;
import java.util.List;

/** The memory of a window, where elements are in the windows of other ranks, and the gets that are not complete. */
final class WinAccesses {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** Elements of a window that a call accesses. */
    record Place(int rank, long at, int count, Datatype type) {}

    /** A call of the window underneath. */
    interface Action {
        void run() throws MPIException;
    }

    private final Communicator ranks;
    private final Window window;
    private final long[] units; // of displacements, in bytes, by rank
    private final List<List<Payload>> gets = new ArrayList<>(); // by target, those that are not complete

    WinAccesses(Buffer base, int size, int dispUnit, Comm comm) throws MPIException {
        if (!base.isDirect()) {
            throw new MPIException(MPI.ERR_BUFFER, "the buffer of a window must be direct");
        }
        int elementBytes = elementBytes(base);
        MemorySegment memory = MemorySegment.ofBuffer(base.duplicate().clear());
        if (size < 0 || (long) size * elementBytes > memory.byteSize()) {
            throw new MPIException(MPI.ERR_ARG, "a window of " + size + " elements does not fit the buffer");
        }
        try {
            ranks = comm.communicator().dup();
            window = ranks.window(memory.asSlice(0, (long) size * elementBytes));
            MemorySegment own = Arena.ofAuto().allocate(LONG);
            own.set(LONG, 0, (long) dispUnit * elementBytes);
            MemorySegment all = Arena.ofAuto().allocate(LONG, ranks.size());
            ranks.collectives().allgather(own, all);
            units = all.toArray(LONG);
            for (int i = 0; i < units.length; i++) {
                gets.add(new ArrayList<>());
            }
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    private static int elementBytes(Buffer base) {
        return switch (base) {
            case ByteBuffer _ -> Byte.BYTES;
            case CharBuffer _ -> Character.BYTES;
            case ShortBuffer _ -> Short.BYTES;
            case LongBuffer _ -> Long.BYTES;
            case DoubleBuffer _ -> Double.BYTES;
            default -> Integer.BYTES;
        };
    }

    Communicator ranks() {
        return ranks;
    }

    Window window() {
        return window;
    }

    static void attempt(Action action) throws MPIException {
        try {
            action.run();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    // Arguments.

    void checkRank(int rank) throws MPIException {
        if (rank < 0 || rank >= units.length) {
            throw new MPIException(MPI.ERR_RANK, "ranks are 0 to " + (units.length - 1) + ", not " + rank);
        }
    }

    /** The elements at a displacement; they must be in the window of the rank. */
    Place place(int rank, int displacement, int count, Datatype type) throws MPIException {
        checkRank(rank);
        if (count < 0) {
            throw new MPIException(MPI.ERR_COUNT, "a count must not be negative: " + count);
        }
        if (type.isNull()) {
            throw new MPIException(MPI.ERR_TYPE, "the type is DATATYPE_NULL");
        }
        long at = displacement * units[rank];
        long length = window.lengthBytes(rank);
        if (at < 0 || at + type.span(count) > length) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    "bytes " + at + " to " + (at + type.span(count)) + " are not in the window of rank " + rank
                            + ", which has " + length);
        }
        type.check(count, length - at);
        return new Place(rank, at, count, type);
    }

    private static void checkSize(Payload origin, Place place) throws MPIException {
        long bytes = (long) place.count() * place.type().getSize();
        if (bytes != origin.segment().byteSize()) {
            throw new MPIException(
                    MPI.ERR_TYPE,
                    "the elements at the target have " + bytes + " bytes, those at the origin "
                            + origin.segment().byteSize());
        }
    }

    private static Reduction reduction(Op op, Datatype type) throws MPIException {
        if (op.isOfProgram()) {
            throw new MPIException(MPI.ERR_OP, "an accumulating call needs a predefined operation");
        }
        return op.reduction(type);
    }

    // Accesses.

    void startPut(Payload origin, Place place) throws MPIException {
        checkSize(origin, place);
        attempt(() -> place.type()
                .forEachRun(
                        place.count(),
                        (offset, packed, length) -> window.put(
                                origin.segment().asSlice(packed, length), place.rank(), place.at() + offset)));
    }

    void startGet(Payload origin, Place place) throws MPIException {
        checkSize(origin, place);
        attempt(() -> place.type()
                .forEachRun(
                        place.count(),
                        (offset, packed, length) -> window.get(
                                origin.segment().asSlice(packed, length), place.rank(), place.at() + offset)));
        gets.get(place.rank()).add(origin);
    }

    void combine(Payload origin, Place place, Op op) throws MPIException {
        checkSize(origin, place);
        Reduction reduction = reduction(op, place.type());
        attempt(() -> place.type()
                .forEachRun(
                        place.count(),
                        (offset, packed, length) -> window.accumulate(
                                origin.segment().asSlice(packed, length),
                                place.rank(),
                                place.at() + offset,
                                place.type().base(),
                                reduction)));
    }

    void combine(Payload origin, Payload result, Place place, Op op) throws MPIException {
        checkSize(result, place);
        if (op != MPI.NO_OP) {
            checkSize(origin, place);
        }
        Reduction reduction = reduction(op, place.type());
        // Without an operation the elements of the origin do not count.
        MemorySegment from = op == MPI.NO_OP
                ? Arena.ofAuto().allocate(Math.max(1, result.segment().byteSize()), Long.BYTES)
                : origin.segment();
        attempt(() -> place.type()
                .forEachRun(
                        place.count(),
                        (offset, packed, length) -> window.fetchAndAccumulate(
                                from.asSlice(packed, length),
                                result.segment().asSlice(packed, length),
                                place.rank(),
                                place.at() + offset,
                                place.type().base(),
                                reduction)));
        result.received(result.segment().byteSize());
    }

    /** The accesses to a rank are complete: what its gets have read is put where the program expects it. */
    void completed(int rank) {
        List<Payload> complete = gets.get(rank);
        for (Payload payload : complete) {
            payload.received(payload.segment().byteSize());
        }
        complete.clear();
    }

    void completedAll() {
        for (int i = 0; i < units.length; i++) {
            completed(i);
        }
    }
}
