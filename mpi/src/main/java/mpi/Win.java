package mpi;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.collective.Blocks;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
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

/**
 * Memory of all ranks of a communicator that each of them accesses (MPI_Win). Accesses are executed by the next {@link #fence}, which all ranks
 * call.
 */
public final class Win {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int HEADER_BYTES = 3 * Long.BYTES;
    private static final int PUT = 0;
    private static final int GET = 1;
    private static final int ACCUMULATE = 2;

    /** One access that waits for the fence. */
    private record Access(int kind, long offset, Payload origin, int reduction, ElementType type) {

        long requestBytes() {
            return HEADER_BYTES + (kind == GET ? 0 : padded(origin.segment().byteSize()));
        }
    }

    private final MemorySegment window;
    private final Communicator ranks;
    private final long[] sizes; // of the windows of all ranks, in bytes
    private final long[] units; // of displacements
    private final List<List<Access>> accesses = new ArrayList<>(); // by target

    /** All ranks of the communicator give a direct buffer; sizes and displacements count its elements. */
    public Win(Buffer base, int size, int dispUnit, Info info, Comm comm) throws MPIException {
        if (!base.isDirect()) {
            throw new MPIException(MPI.ERR_BUFFER, "the buffer of a window must be direct");
        }
        int elementBytes = elementBytes(base);
        MemorySegment memory = MemorySegment.ofBuffer(base.duplicate().clear());
        if (size < 0 || (long) size * elementBytes > memory.byteSize()) {
            throw new MPIException(MPI.ERR_ARG, "a window of " + size + " elements does not fit the buffer");
        }
        window = memory.asSlice(0, (long) size * elementBytes);
        try {
            ranks = comm.communicator().dup();
            MemorySegment all = longs(2 * ranks.size());
            MemorySegment own = longs(2);
            own.setAtIndex(LONG, 0, window.byteSize());
            own.setAtIndex(LONG, 1, (long) dispUnit * elementBytes);
            ranks.collectives().allgather(own, all);
            sizes = new long[ranks.size()];
            units = new long[ranks.size()];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = all.getAtIndex(LONG, 2L * i);
                units[i] = all.getAtIndex(LONG, 2L * i + 1);
                accesses.add(new ArrayList<>());
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

    private static MemorySegment longs(int count) {
        return Arena.ofAuto().allocate(LONG, count);
    }

    private static long padded(long bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    }

    // Accesses.

    /** Writes elements to the window of a rank; the buffer must not be changed until the fence. */
    public void put(
            Buffer origin,
            int orgCount,
            Datatype orgType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType)
            throws MPIException {
        add(PUT, Payload.of(origin, orgCount, orgType), targetRank, targetDisp, targetCount, targetType, 0);
    }

    /** Writes elements of the same type to the window of a rank. */
    public void put(Buffer origin, int count, Datatype type, int targetRank, int targetDisp) throws MPIException {
        put(origin, count, type, targetRank, targetDisp, count, type);
    }

    /** Reads elements of the window of a rank; they are in the buffer after the fence. */
    public void get(
            Buffer origin,
            int orgCount,
            Datatype orgType,
            int targetRank,
            int targetDisp,
            int targetCount,
            Datatype targetType)
            throws MPIException {
        add(GET, Payload.of(origin, orgCount, orgType), targetRank, targetDisp, targetCount, targetType, 0);
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
        if (!(op.reduction(targetType) instanceof PredefinedReduction reduction)) {
            throw new MPIException(MPI.ERR_OP, "accumulate needs a predefined operation");
        }
        Payload payload = Payload.of(origin, orgCount, orgType);
        add(ACCUMULATE, payload, targetRank, targetDisp, targetCount, targetType, reduction.ordinal());
    }

    private void add(int kind, Payload origin, int target, int displacement, int count, Datatype type, int reduction)
            throws MPIException {
        if (target == MPI.PROC_NULL) {
            return;
        }
        if (target < 0 || target >= sizes.length) {
            throw new MPIException(MPI.ERR_RANK, "ranks are 0 to " + (sizes.length - 1) + ", not " + target);
        }
        long bytes = (long) count * type.getSize();
        if (!type.contiguous() || bytes != origin.segment().byteSize()) {
            throw new MPIException(
                    MPI.ERR_TYPE, "the elements at the target must be contiguous, and as long as those at the origin");
        }
        long offset = displacement * units[target];
        if (offset < 0 || offset + bytes > sizes[target]) {
            throw new MPIException(
                    MPI.ERR_ARG,
                    "bytes " + offset + " to " + (offset + bytes) + " are not in the window of rank " + target
                            + ", which has " + sizes[target]);
        }
        accesses.get(target).add(new Access(kind, offset, origin, reduction, type.base()));
    }

    // Fence.

    /** Executes all accesses since the last fence; all ranks call it. When it returns they have been executed at all ranks. */
    public void fence(int assertion) throws MPIException {
        try {
            Collectives<Communicator> calls = ranks.collectives();
            int size = ranks.size();
            long[] sent = new long[size];
            long[] fetched = new long[size];
            for (int i = 0; i < size; i++) {
                for (Access access : accesses.get(i)) {
                    sent[i] += access.requestBytes();
                    fetched[i] += access.kind() == GET
                            ? padded(access.origin().segment().byteSize())
                            : 0;
                }
            }
            long[] received = exchanged(calls, sent);
            Blocks from = Blocks.of(received);
            Blocks to = Blocks.of(sent);
            MemorySegment requests = longs((int) (to.total() / Long.BYTES) + 1);
            for (int i = 0; i < size; i++) {
                write(accesses.get(i), requests, to.offset(i));
            }
            MemorySegment arrived = longs((int) (from.total() / Long.BYTES) + 1);
            calls.alltoallv(requests, to, arrived, from);
            long[] asked = exchanged(calls, fetched);
            MemorySegment replies = longs((int) (Blocks.of(asked).total() / Long.BYTES) + 1);
            execute(arrived, from.total(), replies);
            MemorySegment results = longs((int) (Blocks.of(fetched).total() / Long.BYTES) + 1);
            calls.alltoallv(replies, Blocks.of(asked), results, Blocks.of(fetched));
            finish(results);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    private long[] exchanged(Collectives<Communicator> calls, long[] each) {
        MemorySegment own = longs(each.length);
        MemorySegment.copy(each, 0, own, LONG, 0, each.length);
        MemorySegment all = longs(each.length);
        calls.alltoall(own, all);
        return all.toArray(LONG);
    }

    private static void write(List<Access> list, MemorySegment requests, long offset) {
        long at = offset;
        for (Access access : list) {
            MemorySegment data = access.origin().segment();
            requests.set(
                    LONG,
                    at,
                    access.kind() | access.reduction() << 8 | access.type().ordinal() << 16);
            requests.set(LONG, at + 8, access.offset());
            requests.set(LONG, at + 16, data.byteSize());
            if (access.kind() != GET) {
                MemorySegment.copy(data, 0, requests, at + HEADER_BYTES, data.byteSize());
            }
            at += access.requestBytes();
        }
    }

    /** Executes what other ranks request, in their order; the bytes that they get become replies. */
    private void execute(MemorySegment arrived, long end, MemorySegment replies) {
        long reply = 0;
        for (long at = 0; at < end; ) {
            long word = arrived.get(LONG, at);
            int kind = (int) word & 0xff;
            long offset = arrived.get(LONG, at + 8);
            long bytes = arrived.get(LONG, at + 16);
            at += HEADER_BYTES;
            if (kind == GET) {
                MemorySegment.copy(window, offset, replies, reply, bytes);
                reply += padded(bytes);
                continue;
            }
            if (kind == PUT) {
                MemorySegment.copy(arrived, at, window, offset, bytes);
            } else {
                PredefinedReduction reduction = PredefinedReduction.values()[(int) (word >>> 8) & 0xff];
                ElementType type = ElementType.values()[(int) (word >>> 16) & 0xff];
                reduction.apply(arrived, at, window, offset, bytes, type);
            }
            at += padded(bytes);
        }
    }

    private void finish(MemorySegment results) {
        long at = 0;
        for (List<Access> list : accesses) {
            for (Access access : list) {
                if (access.kind() == GET) {
                    MemorySegment into = access.origin().segment();
                    MemorySegment.copy(results, at, into, 0, into.byteSize());
                    access.origin().received(into.byteSize());
                    at += padded(into.byteSize());
                }
            }
            list.clear();
        }
    }

    /** Access without a fence does not exist here. */
    public void lock(int lockType, int rank, int assertion) throws MPIException {
        throw new MPIException(
                MPI.ERR_UNSUPPORTED_OPERATION, "windows are accessed between fences here; lock is not supported");
    }

    /** The ranks of the window. */
    public Group getGroup() {
        return new Group(ranks.group());
    }

    /** All ranks free the window. */
    public void free() throws MPIException {
        try {
            ranks.close();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }
}
