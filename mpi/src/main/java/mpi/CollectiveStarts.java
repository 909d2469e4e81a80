package mpi;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.collective.Blocks;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Starts collective operations on the buffers of a program. */
final class CollectiveStarts {

    private final Communicator over;
    private final Collectives<io.verbena.messaging.Request> calls;

    CollectiveStarts(Communicator over) {
        this.over = over;
        calls = over.nonBlocking();
    }

    /** Elements of a buffer. */
    record Elements(@Nullable Object buffer, int count, Datatype type) {

        /** For MPI_IN_PLACE. */
        static final Elements IN_PLACE = new Elements(null, -1, Datatype.NULL);

        boolean inPlace() {
            return this == IN_PLACE;
        }

        Payload payload() throws MPIException {
            return Payload.of(buffer, count, type);
        }

        /** The elements that this rank contributes. */
        MemorySegment sent() throws MPIException {
            return inPlace() ? Collectives.IN_PLACE : payload().segment();
        }
    }

    /** Elements of a buffer that belong to each rank. */
    record Parts(@Nullable Object buffer, int[] counts, int[] displacements, Datatype type) {

        /** For a rank that is not the root. */
        static final Parts NONE = new Parts(null, new int[0], new int[0], Datatype.NULL);

        /** Those of this number of ranks: the arrays of a program may be longer. */
        Parts of(int ranks) {
            return new Parts(buffer, first(counts, ranks), first(displacements, ranks), type);
        }

        /** The packed elements up to the end of the last part. Parts are whole elements of the buffer. */
        Payload payload() throws MPIException {
            int end = 0;
            for (int i = 0; i < counts.length; i++) {
                end = Math.max(end, counts[i] == 0 ? 0 : displacements[i] + counts[i]);
            }
            return Payload.of(buffer, end, type);
        }

        Blocks blocks() throws MPIException {
            if (counts.length != displacements.length) {
                throw new MPIException(
                        MPI.ERR_ARG,
                        "there are " + counts.length + " counts and " + displacements.length + " displacements");
            }
            long size = type.getSize();
            return Blocks.of(
                    Arrays.stream(counts).mapToLong(count -> count * size).toArray(),
                    Arrays.stream(displacements).mapToLong(at -> at * size).toArray());
        }
    }

    /** The beginning of an array that may be longer. */
    static int[] first(int[] values, int count) {
        return values.length > count ? Arrays.copyOf(values, count) : values;
    }

    private interface Start {
        io.verbena.messaging.Request start() throws MPIException;
    }

    private static Request started(Payload received, Start start) throws MPIException {
        try {
            return new Request(start.start(), received, received != Payload.NONE) {
                @Override
                long receivedBytes(io.verbena.messaging.Status found) {
                    return Long.MAX_VALUE;
                }
            };
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    private boolean isRoot(int root) throws MPIException {
        if (root < 0 || root >= over.size()) {
            throw new MPIException(MPI.ERR_ROOT, "ranks are 0 to " + (over.size() - 1) + ", not the root " + root);
        }
        return root == over.rank();
    }

    Request barrier() throws MPIException {
        return started(Payload.NONE, calls::barrier);
    }

    Request bcast(Elements elements, int root) throws MPIException {
        boolean sends = isRoot(root);
        Payload payload = elements.payload();
        return started(sends ? Payload.NONE : payload, () -> calls.bcast(payload.segment(), root));
    }

    // Reductions.

    Request reduce(Elements sent, Elements received, Op op, int root) throws MPIException {
        boolean receives = isRoot(root);
        Payload result = receives ? received.payload() : Payload.NONE;
        MemorySegment own = sent.inPlace() && !receives ? received.payload().segment() : sent.sent();
        return started(
                result,
                () -> calls.reduce(own, result.segment(), received.type().base(), op.reduction(received.type()), root));
    }

    Request allReduce(Elements sent, Elements received, Op op) throws MPIException {
        Payload result = received.payload();
        MemorySegment own = sent.sent();
        return started(
                result,
                () -> calls.allreduce(own, result.segment(), received.type().base(), op.reduction(received.type())));
    }

    Request scan(Elements sent, Elements received, Op op, boolean inclusive) throws MPIException {
        Payload result = received.payload();
        MemorySegment own = sent.sent();
        Datatype type = received.type();
        return started(
                result,
                () -> inclusive
                        ? calls.scan(own, result.segment(), type.base(), op.reduction(type))
                        : calls.exscan(own, result.segment(), type.base(), op.reduction(type)));
    }

    /** {@code received} has the whole vector in place, otherwise this rank's part. */
    Request reduceScatter(Elements sent, Elements received, int[] counts, Op op) throws MPIException {
        Payload result = received.payload();
        MemorySegment own = sent.sent();
        Datatype type = received.type();
        Blocks parts = Blocks.of(Arrays.stream(first(counts, over.size()))
                .mapToLong(count -> (long) count * type.getSize())
                .toArray());
        return started(
                result, () -> calls.reduceScatter(own, result.segment(), parts, type.base(), op.reduction(type)));
    }

    // Blocks.

    Request gather(Elements sent, Elements received, int root) throws MPIException {
        boolean receives = isRoot(root);
        Payload result = receives ? all(received) : Payload.NONE;
        MemorySegment own = sent.sent();
        return started(result, () -> calls.gather(own, result.segment(), root));
    }

    Request gatherv(Elements sent, Parts given, int root) throws MPIException {
        Parts received = given.of(over.size());
        boolean receives = isRoot(root);
        Payload result = receives ? received.payload() : Payload.NONE;
        MemorySegment own = sent.sent();
        Blocks blocks = receives ? received.blocks() : Blocks.NONE;
        return started(result, () -> calls.gatherv(own, result.segment(), blocks, root));
    }

    Request scatter(Elements sent, Elements received, int root) throws MPIException {
        boolean sends = isRoot(root);
        MemorySegment from = sends ? all(sent).segment() : MemorySegment.NULL;
        Payload result = received.inPlace() ? Payload.NONE : received.payload();
        MemorySegment into = received.inPlace() ? Collectives.IN_PLACE : result.segment();
        return started(result, () -> calls.scatter(from, into, root));
    }

    Request scatterv(Parts given, Elements received, int root) throws MPIException {
        Parts sent = given.of(over.size());
        boolean sends = isRoot(root);
        MemorySegment from = sends ? sent.payload().segment() : MemorySegment.NULL;
        Blocks blocks = sends ? sent.blocks() : Blocks.NONE;
        Payload result = received.inPlace() ? Payload.NONE : received.payload();
        MemorySegment into = received.inPlace() ? Collectives.IN_PLACE : result.segment();
        return started(result, () -> calls.scatterv(from, blocks, into, root));
    }

    Request allGather(Elements sent, Elements received) throws MPIException {
        Payload result = all(received);
        MemorySegment own = sent.sent();
        return started(result, () -> calls.allgather(own, result.segment()));
    }

    Request allGatherv(Elements sent, Parts given) throws MPIException {
        Parts received = given.of(over.size());
        Payload result = received.payload();
        MemorySegment own = sent.sent();
        Blocks blocks = received.blocks();
        return started(result, () -> calls.allgatherv(own, result.segment(), blocks));
    }

    Request allToAll(Elements sent, Elements received) throws MPIException {
        Payload result = all(received);
        MemorySegment own = sent.inPlace() ? Collectives.IN_PLACE : all(sent).segment();
        return started(result, () -> calls.alltoall(own, result.segment()));
    }

    Request allToAllv(Parts givenToSend, Parts givenToReceive) throws MPIException {
        Parts sent = givenToSend.of(over.size());
        Parts received = givenToReceive.of(over.size());
        Payload result = received.payload();
        MemorySegment own = sent.payload().segment();
        Blocks from = sent.blocks();
        Blocks into = received.blocks();
        return started(result, () -> calls.alltoallv(own, from, result.segment(), into));
    }

    Request allToAllw(TypedParts sent, TypedParts received) throws MPIException {
        sent.pack();
        try {
            return new Request(
                    calls.alltoallv(sent.packed(), sent.blocks(), received.packed(), received.blocks()),
                    Payload.NONE,
                    true) {
                @Override
                void received(io.verbena.messaging.Status found) {
                    received.unpack();
                }
            };
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** A block for each rank. */
    private Payload all(Elements each) throws MPIException {
        return Payload.of(each.buffer(), each.count() * over.size(), each.type());
    }
}
