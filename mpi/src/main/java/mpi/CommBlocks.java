package mpi;

import io.verbena.messaging.Communicator;
import java.nio.Buffer;
import mpi.CollectiveStarts.Elements;
import mpi.CollectiveStarts.Parts;
import org.jspecify.annotations.Nullable;

/** Collective operations on blocks. */
abstract class CommBlocks extends CommMessages {

    CommBlocks(@Nullable Communicator ranks) {
        super(ranks);
    }

    final CollectiveStarts starts() throws MPIException {
        return new CollectiveStarts(communicator());
    }

    /** Returns when all ranks have called it. */
    public final void barrier() throws MPIException {
        starts().barrier().waitFor();
    }

    /** Starts {@link #barrier}. */
    public final Request iBarrier() throws MPIException {
        return starts().barrier();
    }

    /** Copies the elements of the root to all ranks. */
    public final void bcast(@Nullable Object buf, int count, Datatype type, int root) throws MPIException {
        starts().bcast(new Elements(buf, count, type), root).waitFor();
    }

    /** Starts {@link #bcast}. */
    public final Request iBcast(@Nullable Buffer buf, int count, Datatype type, int root) throws MPIException {
        return starts().bcast(new Elements(buf, count, type), root);
    }

    /** Collects elements of each rank at the root. */
    public final void gather(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        starts().gather(new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype), root)
                .waitFor();
    }

    /** Starts {@link #gather}. */
    public final Request iGather(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        return starts().gather(
                        new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype), root);
    }

    /** Collects elements of each rank at the root, where those of the root are already in place. */
    public final void gather(@Nullable Object buf, int count, Datatype type, int root) throws MPIException {
        starts().gather(
                        getRank() == root ? Elements.IN_PLACE : new Elements(buf, count, type),
                        new Elements(buf, count, type),
                        root)
                .waitFor();
    }

    /** Starts {@link #gather}. */
    public final Request iGather(@Nullable Buffer buf, int count, Datatype type, int root) throws MPIException {
        return starts().gather(
                        getRank() == root ? Elements.IN_PLACE : new Elements(buf, count, type),
                        new Elements(buf, count, type),
                        root);
    }

    /** Collects different numbers of elements at the root. */
    public final void gatherv(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int[] recvcount,
            int[] displs,
            Datatype recvtype,
            int root)
            throws MPIException {
        starts().gatherv(
                        new Elements(sendbuf, sendcount, sendtype),
                        new Parts(recvbuf, recvcount, displs, recvtype),
                        root)
                .waitFor();
    }

    /** Starts {@link #gatherv}. */
    public final Request iGatherv(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int[] recvcount,
            int[] displs,
            Datatype recvtype,
            int root)
            throws MPIException {
        return starts().gatherv(
                        new Elements(sendbuf, sendcount, sendtype),
                        new Parts(recvbuf, recvcount, displs, recvtype),
                        root);
    }

    /** The same for the root, whose elements are already in place. */
    public final void gatherv(@Nullable Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        starts().gatherv(Elements.IN_PLACE, new Parts(recvbuf, recvcount, displs, recvtype), root)
                .waitFor();
    }

    /** Starts {@link #gatherv}. */
    public final Request iGatherv(@Nullable Buffer recvbuf, int[] recvcount, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        return starts().gatherv(Elements.IN_PLACE, new Parts(recvbuf, recvcount, displs, recvtype), root);
    }

    /** The same for a rank that is not the root. */
    public final void gatherv(@Nullable Object sendbuf, int sendcount, Datatype sendtype, int root)
            throws MPIException {
        starts().gatherv(new Elements(sendbuf, sendcount, sendtype), Parts.NONE, root)
                .waitFor();
    }

    /** Starts {@link #gatherv}. */
    public final Request iGatherv(@Nullable Buffer sendbuf, int sendcount, Datatype sendtype, int root)
            throws MPIException {
        return starts().gatherv(new Elements(sendbuf, sendcount, sendtype), Parts.NONE, root);
    }

    /** Distributes elements of the root to each rank. */
    public final void scatter(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        starts().scatter(new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype), root)
                .waitFor();
    }

    /** Starts {@link #scatter}. */
    public final Request iScatter(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        return starts().scatter(
                        new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype), root);
    }

    /** Distributes elements of the root, which keeps its own in place. */
    public final void scatter(@Nullable Object buf, int count, Datatype type, int root) throws MPIException {
        starts().scatter(
                        new Elements(buf, count, type),
                        getRank() == root ? Elements.IN_PLACE : new Elements(buf, count, type),
                        root)
                .waitFor();
    }

    /** Starts {@link #scatter}. */
    public final Request iScatter(@Nullable Buffer buf, int count, Datatype type, int root) throws MPIException {
        return starts().scatter(
                        new Elements(buf, count, type),
                        getRank() == root ? Elements.IN_PLACE : new Elements(buf, count, type),
                        root);
    }

    /** Distributes different numbers of elements. */
    public final void scatterv(
            @Nullable Object sendbuf,
            int[] sendcount,
            int[] displs,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        starts().scatterv(
                        new Parts(sendbuf, sendcount, displs, sendtype),
                        new Elements(recvbuf, recvcount, recvtype),
                        root)
                .waitFor();
    }

    /** Starts {@link #scatterv}. */
    public final Request iScatterv(
            @Nullable Buffer sendbuf,
            int[] sendcount,
            int[] displs,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int recvcount,
            Datatype recvtype,
            int root)
            throws MPIException {
        return starts().scatterv(
                        new Parts(sendbuf, sendcount, displs, sendtype),
                        new Elements(recvbuf, recvcount, recvtype),
                        root);
    }

    /** The same for the root, which keeps its own elements in place. */
    public final void scatterv(@Nullable Object sendbuf, int[] sendcount, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        starts().scatterv(new Parts(sendbuf, sendcount, displs, sendtype), Elements.IN_PLACE, root)
                .waitFor();
    }

    /** Starts {@link #scatterv}. */
    public final Request iScatterv(@Nullable Buffer sendbuf, int[] sendcount, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        return starts().scatterv(new Parts(sendbuf, sendcount, displs, sendtype), Elements.IN_PLACE, root);
    }

    /** The same for a rank that is not the root. */
    public final void scatterv(@Nullable Object recvbuf, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        starts().scatterv(Parts.NONE, new Elements(recvbuf, recvcount, recvtype), root)
                .waitFor();
    }

    /** Starts {@link #scatterv}. */
    public final Request iScatterv(@Nullable Buffer recvbuf, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        return starts().scatterv(Parts.NONE, new Elements(recvbuf, recvcount, recvtype), root);
    }

    /** Collects elements of each rank at all ranks. */
    public final void allGather(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        starts().allGather(new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype))
                .waitFor();
    }

    /** Starts {@link #allGather}. */
    public final Request iAllGather(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        return starts().allGather(
                        new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype));
    }

    /** Collects elements of each rank at all ranks; those of a rank are already in place. */
    public final void allGather(@Nullable Object buf, int count, Datatype type) throws MPIException {
        starts().allGather(Elements.IN_PLACE, new Elements(buf, count, type)).waitFor();
    }

    /** Starts {@link #allGather}. */
    public final Request iAllGather(@Nullable Buffer buf, int count, Datatype type) throws MPIException {
        return starts().allGather(Elements.IN_PLACE, new Elements(buf, count, type));
    }

    /** Collects different numbers of elements at all ranks. */
    public final void allGatherv(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int[] recvcount,
            int[] displs,
            Datatype recvtype)
            throws MPIException {
        starts().allGatherv(new Elements(sendbuf, sendcount, sendtype), new Parts(recvbuf, recvcount, displs, recvtype))
                .waitFor();
    }

    /** Starts {@link #allGatherv}. */
    public final Request iAllGatherv(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int[] recvcount,
            int[] displs,
            Datatype recvtype)
            throws MPIException {
        return starts().allGatherv(
                        new Elements(sendbuf, sendcount, sendtype), new Parts(recvbuf, recvcount, displs, recvtype));
    }

    /** The same with the elements of a rank already in place. */
    public final void allGatherv(@Nullable Object recvbuf, int[] recvcount, int[] displs, Datatype recvtype)
            throws MPIException {
        starts().allGatherv(Elements.IN_PLACE, new Parts(recvbuf, recvcount, displs, recvtype))
                .waitFor();
    }

    /** Starts {@link #allGatherv}. */
    public final Request iAllGatherv(@Nullable Buffer recvbuf, int[] recvcount, int[] displs, Datatype recvtype)
            throws MPIException {
        return starts().allGatherv(Elements.IN_PLACE, new Parts(recvbuf, recvcount, displs, recvtype));
    }

    /** Sends elements to each rank and receives some from each. */
    public final void allToAll(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        starts().allToAll(new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype))
                .waitFor();
    }

    /** Starts {@link #allToAll}. */
    public final Request iAllToAll(
            @Nullable Buffer sendbuf,
            int sendcount,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int recvcount,
            Datatype recvtype)
            throws MPIException {
        return starts().allToAll(
                        new Elements(sendbuf, sendcount, sendtype), new Elements(recvbuf, recvcount, recvtype));
    }

    /** Sends different numbers of elements to each rank and receives some from each. */
    public final void allToAllv(
            @Nullable Object sendbuf,
            int[] sendcount,
            int[] sdispls,
            Datatype sendtype,
            @Nullable Object recvbuf,
            int[] recvcount,
            int[] rdispls,
            Datatype recvtype)
            throws MPIException {
        starts().allToAllv(
                        new Parts(sendbuf, sendcount, sdispls, sendtype),
                        new Parts(recvbuf, recvcount, rdispls, recvtype))
                .waitFor();
    }

    /** Starts {@link #allToAllv}. */
    public final Request iAllToAllv(
            @Nullable Buffer sendbuf,
            int[] sendcount,
            int[] sdispls,
            Datatype sendtype,
            @Nullable Buffer recvbuf,
            int[] recvcount,
            int[] rdispls,
            Datatype recvtype)
            throws MPIException {
        return starts().allToAllv(
                        new Parts(sendbuf, sendcount, sdispls, sendtype),
                        new Parts(recvbuf, recvcount, rdispls, recvtype));
    }

    /** Sends elements of different types to each rank and receives some from each. Displacements count bytes. */
    public final void allToAllw(
            Buffer sendbuf,
            int[] sendcount,
            int[] sdispls,
            Datatype[] sendtypes,
            Buffer recvbuf,
            int[] recvcount,
            int[] rdispls,
            Datatype[] recvtypes)
            throws MPIException {
        iAllToAllw(sendbuf, sendcount, sdispls, sendtypes, recvbuf, recvcount, rdispls, recvtypes)
                .waitFor();
    }

    /** Starts {@link #allToAllw}. */
    public final Request iAllToAllw(
            Buffer sendbuf,
            int[] sendcount,
            int[] sdispls,
            Datatype[] sendtypes,
            Buffer recvbuf,
            int[] recvcount,
            int[] rdispls,
            Datatype[] recvtypes)
            throws MPIException {
        int ranks = getSize();
        return starts().allToAllw(
                        new TypedParts(sendbuf, sendcount, sdispls, sendtypes, ranks),
                        new TypedParts(recvbuf, recvcount, rdispls, recvtypes, ranks));
    }
}
