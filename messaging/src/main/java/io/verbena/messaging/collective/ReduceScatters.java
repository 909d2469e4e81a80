package io.verbena.messaging.collective;

/** Reductions of which each rank gets a part. */
final class ReduceScatters {

    private ReduceScatters() {}

    /** Each part goes around a ring and is combined on its way; it arrives at its rank last. */
    static void ring(ScheduleBuilder steps, Place own, Blocks parts) {
        int size = steps.size;
        Place all = steps.scratch(parts.total());
        steps.copy(own, all, parts.total());
        long most = 0;
        for (int i = 0; i < size; i++) {
            most = Math.max(most, parts.length(i));
        }
        Place other = steps.scratch(most);
        for (int i = 1; i < size; i++) {
            int sent = steps.after(-i);
            int received = steps.after(-i - 1);
            steps.exchangeParts(
                    steps.after(1),
                    all.plus(parts.offset(sent)),
                    parts.length(sent),
                    steps.after(-1),
                    other,
                    parts.length(received));
            steps.combine(other, all.plus(parts.offset(received)), parts.length(received));
        }
        steps.copy(all.plus(parts.offset(steps.rank)), Place.RECEIVE, parts.length(steps.rank));
    }

    /** Rank 0 combines all and sends the parts; keeps the order of the operands. */
    static void reduceAndScatter(ScheduleBuilder steps, Place own, Blocks parts) {
        Place all = steps.scratch(steps.rank == 0 ? parts.total() : 0);
        Reduces.binomial(steps, own, all, parts.total(), 0);
        steps.await();
        if (steps.rank == 0) {
            steps.copy(all, Place.RECEIVE, parts.length(0));
            for (int i = 1; i < steps.size; i++) {
                if (parts.length(i) > 0) {
                    steps.send(i, all.plus(parts.offset(i)), parts.length(i));
                }
            }
        } else if (parts.length(steps.rank) > 0) {
            steps.receive(0, Place.RECEIVE, parts.length(steps.rank));
        }
    }
}
