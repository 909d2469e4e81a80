package io.verbena.messaging.collective;

/** A block from each rank to each rank. */
final class Alltoalls {

    private Alltoalls() {}

    /** In step k each rank sends to the rank k after it and receives from the rank k before it. */
    static void pairwise(ScheduleBuilder steps, boolean inPlace, Blocks sent, Blocks received) {
        Place from = Place.SEND;
        Blocks parts = sent;
        if (inPlace) { // the blocks that are sent are those that are replaced
            parts = received;
            from = steps.scratch(parts.end());
            steps.copy(Place.RECEIVE, from, parts.end());
        }
        for (int i = 1; i < steps.size; i++) {
            int to = steps.after(i);
            int source = steps.after(-i);
            steps.startParts(
                    to,
                    from.plus(parts.offset(to)),
                    parts.length(to),
                    source,
                    Place.RECEIVE.plus(received.offset(source)),
                    received.length(source));
            if (i == 1 && !inPlace) {
                own(steps, sent, received); // while the announcement is on its way
            }
            steps.await();
        }
        if (steps.size == 1 && !inPlace) {
            own(steps, sent, received);
        }
    }

    private static void own(ScheduleBuilder steps, Blocks sent, Blocks received) {
        steps.copy(
                Place.SEND.plus(sent.offset(steps.rank)),
                Place.RECEIVE.plus(received.offset(steps.rank)),
                Math.min(sent.length(steps.rank), received.length(steps.rank)));
    }

    /**
     * Block i has to move i ranks on. In step k all blocks whose distance has bit k move 2^k ranks together: few messages, for blocks that are
     * short.
     */
    static void bruck(ScheduleBuilder steps, Place own, long bytes) {
        int size = steps.size;
        int rank = steps.rank;
        Place all = steps.scratch(bytes * size);
        steps.copy(own.plus(bytes * rank), all, bytes * (size - rank));
        steps.copy(own, all.plus(bytes * (size - rank)), bytes * rank);
        Place packed = steps.scratch(bytes * size);
        Place arrived = steps.scratch(bytes * size);
        for (int bit = 1; bit < size; bit *= 2) {
            int count = 0;
            for (int i = bit; i < size; i++) {
                if ((i & bit) != 0) {
                    steps.copy(all.plus(bytes * i), packed.plus(bytes * count++), bytes);
                }
            }
            long part = bytes * count;
            steps.exchange(steps.after(bit), packed, part, steps.after(-bit), arrived, part);
            count = 0;
            for (int i = bit; i < size; i++) {
                if ((i & bit) != 0) {
                    steps.copy(arrived.plus(bytes * count++), all.plus(bytes * i), bytes);
                }
            }
        }
        for (int i = 0; i < size; i++) {
            steps.copy(all.plus(bytes * i), Place.RECEIVE.plus(bytes * steps.after(-i)), bytes);
        }
    }
}
