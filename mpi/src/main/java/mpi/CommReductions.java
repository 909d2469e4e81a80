package mpi;

import io.verbena.messaging.Communicator;
import java.nio.Buffer;
import java.util.Arrays;
import mpi.CollectiveStarts.Elements;
import org.jspecify.annotations.Nullable;

/** Reductions. */
abstract class CommReductions extends CommBlocks {

    CommReductions(@Nullable Communicator ranks) {
        super(ranks);
    }

    /** The sum of the counts of all ranks; the array of a program may be longer. */
    private int sum(int[] counts) throws MPIException {
        return Arrays.stream(counts).limit(getSize()).sum();
    }

    private int[] even(int count) throws MPIException {
        int[] counts = new int[getSize()];
        Arrays.fill(counts, count);
        return counts;
    }

    /** Combines the elements of all ranks; the root gets the result. */
    public final void reduce(
            @Nullable Object sendbuf, @Nullable Object recvbuf, int count, Datatype type, Op op, int root)
            throws MPIException {
        starts().reduce(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, root)
                .waitFor();
    }

    /** Starts {@link #reduce}. */
    public final Request iReduce(
            @Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int count, Datatype type, Op op, int root)
            throws MPIException {
        return starts().reduce(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, root);
    }

    /** Combines the elements of all ranks in place; the root gets the result. */
    public final void reduce(@Nullable Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        starts().reduce(Elements.IN_PLACE, new Elements(buf, count, type), op, root)
                .waitFor();
    }

    /** Starts {@link #reduce}. */
    public final Request iReduce(@Nullable Buffer buf, int count, Datatype type, Op op, int root) throws MPIException {
        return starts().reduce(Elements.IN_PLACE, new Elements(buf, count, type), op, root);
    }

    /** Combines the elements of all ranks; all get the result. */
    public final void allReduce(@Nullable Object sendbuf, @Nullable Object recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        starts().allReduce(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op)
                .waitFor();
    }

    /** Starts {@link #allReduce}. */
    public final Request iAllReduce(@Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return starts().allReduce(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op);
    }

    /** Combines the elements of all ranks in place; all get the result. */
    public final void allReduce(@Nullable Object buf, int count, Datatype type, Op op) throws MPIException {
        starts().allReduce(Elements.IN_PLACE, new Elements(buf, count, type), op)
                .waitFor();
    }

    /** Starts {@link #allReduce}. */
    public final Request iAllReduce(@Nullable Buffer buf, int count, Datatype type, Op op) throws MPIException {
        return starts().allReduce(Elements.IN_PLACE, new Elements(buf, count, type), op);
    }

    /** Combines the elements of all ranks; each gets a part of the result. */
    public final void reduceScatter(
            @Nullable Object sendbuf, @Nullable Object recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        starts().reduceScatter(
                        new Elements(sendbuf, sum(recvcounts), type),
                        new Elements(recvbuf, recvcounts[getRank()], type),
                        recvcounts,
                        op)
                .waitFor();
    }

    /** Starts {@link #reduceScatter}. */
    public final Request iReduceScatter(
            @Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        return starts().reduceScatter(
                        new Elements(sendbuf, sum(recvcounts), type),
                        new Elements(recvbuf, recvcounts[getRank()], type),
                        recvcounts,
                        op);
    }

    /** The same in place. */
    public final void reduceScatter(@Nullable Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        starts().reduceScatter(Elements.IN_PLACE, new Elements(buf, sum(counts), type), counts, op)
                .waitFor();
    }

    /** Starts {@link #reduceScatter}. */
    public final Request iReduceScatter(@Nullable Buffer buf, int[] counts, Datatype type, Op op) throws MPIException {
        return starts().reduceScatter(Elements.IN_PLACE, new Elements(buf, sum(counts), type), counts, op);
    }

    /** Combines the elements of all ranks; each gets a part of the same length. */
    public final void reduceScatterBlock(
            @Nullable Object sendbuf, @Nullable Object recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        starts().reduceScatter(
                        new Elements(sendbuf, recvcount * getSize(), type),
                        new Elements(recvbuf, recvcount, type),
                        even(recvcount),
                        op)
                .waitFor();
    }

    /** Starts {@link #reduceScatterBlock}. */
    public final Request iReduceScatterBlock(
            @Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        return starts().reduceScatter(
                        new Elements(sendbuf, recvcount * getSize(), type),
                        new Elements(recvbuf, recvcount, type),
                        even(recvcount),
                        op);
    }

    /** The same in place. */
    public final void reduceScatterBlock(@Nullable Object buf, int count, Datatype type, Op op) throws MPIException {
        starts().reduceScatter(Elements.IN_PLACE, new Elements(buf, count * getSize(), type), even(count), op)
                .waitFor();
    }

    /** Starts {@link #reduceScatterBlock}. */
    public final Request iReduceScatterBlock(@Nullable Buffer buf, int count, Datatype type, Op op)
            throws MPIException {
        return starts().reduceScatter(Elements.IN_PLACE, new Elements(buf, count * getSize(), type), even(count), op);
    }

    /** Combines the elements of the ranks up to each rank. */
    public final void scan(@Nullable Object sendbuf, @Nullable Object recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        starts().scan(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, true)
                .waitFor();
    }

    /** Starts {@link #scan}. */
    public final Request iScan(@Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return starts().scan(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, true);
    }

    /** The same in place. */
    public final void scan(@Nullable Object buf, int count, Datatype type, Op op) throws MPIException {
        starts().scan(Elements.IN_PLACE, new Elements(buf, count, type), op, true)
                .waitFor();
    }

    /** Starts {@link #scan}. */
    public final Request iScan(@Nullable Buffer buf, int count, Datatype type, Op op) throws MPIException {
        return starts().scan(Elements.IN_PLACE, new Elements(buf, count, type), op, true);
    }

    /** Combines the elements of the ranks before each rank. */
    public final void exScan(@Nullable Object sendbuf, @Nullable Object recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        starts().scan(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, false)
                .waitFor();
    }

    /** Starts {@link #exScan}. */
    public final Request iExScan(@Nullable Buffer sendbuf, @Nullable Buffer recvbuf, int count, Datatype type, Op op)
            throws MPIException {
        return starts().scan(new Elements(sendbuf, count, type), new Elements(recvbuf, count, type), op, false);
    }

    /** The same in place. */
    public final void exScan(@Nullable Object buf, int count, Datatype type, Op op) throws MPIException {
        starts().scan(Elements.IN_PLACE, new Elements(buf, count, type), op, false)
                .waitFor();
    }

    /** Starts {@link #exScan}. */
    public final Request iExScan(@Nullable Buffer buf, int count, Datatype type, Op op) throws MPIException {
        return starts().scan(Elements.IN_PLACE, new Elements(buf, count, type), op, false);
    }
}
