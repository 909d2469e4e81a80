package io.verbena.messaging.collective;

/** Blocks of all ranks to all ranks. */
final class Allgathers {

    private Allgathers() {}

    /** Each block goes around a ring. */
    static void ring(ScheduleBuilder steps, boolean inPlace, Blocks blocks) {
        int rank = steps.rank;
        if (!inPlace) {
            steps.copy(Place.SEND, Place.RECEIVE.plus(blocks.offset(rank)), blocks.length(rank));
        }
        for (int i = 0; i < steps.size - 1; i++) {
            int sent = steps.after(-i);
            int received = steps.after(-i - 1);
            steps.exchangeParts(
                    steps.after(1),
                    Place.RECEIVE.plus(blocks.offset(sent)),
                    blocks.length(sent),
                    steps.after(-1),
                    Place.RECEIVE.plus(blocks.offset(received)),
                    blocks.length(received));
        }
    }

    /** In step k each rank gets the blocks that the rank 2^k after it has. They begin with that rank's own block, and are rotated at the end. */
    static void bruck(ScheduleBuilder steps, boolean inPlace, long bytes) {
        int size = steps.size;
        int rank = steps.rank;
        Place all = steps.scratch(bytes * size);
        steps.copy(inPlace ? Place.RECEIVE.plus(bytes * rank) : Place.SEND, all, bytes);
        for (int have = 1; have < size; have *= 2) {
            long part = bytes * Math.min(have, size - have);
            steps.exchange(steps.after(-have), all, part, steps.after(have), all.plus(bytes * have), part);
        }
        steps.copy(all, Place.RECEIVE.plus(bytes * rank), bytes * (size - rank));
        steps.copy(all.plus(bytes * (size - rank)), Place.RECEIVE, bytes * rank);
    }
}
