package io.verbena.messaging.collective;

/** Compiles a call to the schedule of one rank. */
public final class Schedules {

    private Schedules() {}

    /** The schedule of a rank with the algorithm that the table names. */
    public static Schedule compile(Call call, AlgorithmTable table, int rank, int size) {
        return compile(call, table.choose(call, size), rank, size, table.pieceBytes());
    }

    /** The schedule of a rank with this algorithm, which must be one for the operation. */
    static Schedule compile(Call call, Algorithm algorithm, int rank, int size, long pieceBytes) {
        ScheduleBuilder steps =
                new ScheduleBuilder(rank, size, call.combining().reduction().commutative());
        long bytes = call.volume().bytes();
        int root = call.root();
        Place own = call.inPlace() ? Place.RECEIVE : Place.SEND;
        switch (call.kind()) {
            case BARRIER -> Barriers.dissemination(steps);
            case BCAST -> {
                if (algorithm == Algorithm.SCATTER_RING) {
                    Broadcasts.scatterRing(steps, bytes, root);
                } else {
                    Broadcasts.binomial(steps, bytes, root, pieceBytes);
                }
            }
            case REDUCE -> Reduces.binomial(steps, own, Place.RECEIVE, bytes, root);
            case ALLREDUCE -> Allreduces.compile(steps, algorithm, own, call);
            case REDUCE_SCATTER -> {
                if (algorithm == Algorithm.RING) {
                    ReduceScatters.ring(steps, own, call.volume().received());
                } else {
                    ReduceScatters.reduceAndScatter(steps, own, call.volume().received());
                }
            }
            case GATHER -> {
                if (algorithm == Algorithm.BINOMIAL) {
                    Gathers.gatherInTree(steps, own, call.inPlace(), bytes, root);
                } else {
                    Gathers.gather(steps, own, call.inPlace(), bytes, Blocks.even(size, bytes), root);
                }
            }
            case GATHERV ->
                Gathers.gather(steps, own, call.inPlace(), bytes, call.volume().received(), root);
            case SCATTER -> {
                if (algorithm == Algorithm.BINOMIAL) {
                    Gathers.scatterInTree(steps, call.inPlace(), bytes, root);
                } else {
                    Gathers.scatter(steps, call.inPlace(), bytes, Blocks.even(size, bytes), root);
                }
            }
            case SCATTERV ->
                Gathers.scatter(steps, call.inPlace(), bytes, call.volume().sent(), root);
            case ALLGATHER -> {
                if (algorithm == Algorithm.BRUCK) {
                    Allgathers.bruck(steps, call.inPlace(), bytes);
                } else {
                    Allgathers.ring(steps, call.inPlace(), Blocks.even(size, bytes));
                }
            }
            case ALLGATHERV ->
                Allgathers.ring(steps, call.inPlace(), call.volume().received());
            case ALLTOALL -> {
                if (algorithm == Algorithm.BRUCK) {
                    Alltoalls.bruck(steps, own, bytes);
                } else {
                    Blocks blocks = Blocks.even(size, bytes);
                    Alltoalls.pairwise(steps, call.inPlace(), blocks, blocks);
                }
            }
            case ALLTOALLV ->
                Alltoalls.pairwise(
                        steps,
                        call.inPlace(),
                        call.volume().sent(),
                        call.volume().received());
            case SCAN -> Scans.inclusive(steps, own, bytes);
            case EXSCAN -> Scans.exclusive(steps, own, bytes);
        }
        return steps.build();
    }
}
