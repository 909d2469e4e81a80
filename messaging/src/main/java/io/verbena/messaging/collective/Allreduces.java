package io.verbena.messaging.collective;

/** Reductions whose result all ranks get. */
final class Allreduces {

    private static final int NONE = -1;

    private Allreduces() {}

    static void compile(ScheduleBuilder steps, Algorithm algorithm, Place own, Call call) {
        long bytes = call.volume().bytes();
        int unit = call.combining().type().bytes();
        switch (algorithm) {
            case RING -> ring(steps, own, bytes, unit);
            case RABENSEIFNER -> rabenseifner(steps, own, bytes, unit);
            default -> recursiveDoubling(steps, own, bytes);
        }
    }

    /** In step k each rank exchanges its result with the rank whose number differs in bit k. */
    static void recursiveDoubling(ScheduleBuilder steps, Place own, long bytes) {
        steps.copy(own, Place.RECEIVE, bytes);
        if (steps.size == 1) {
            return;
        }
        Place other = steps.scratch(bytes);
        int number = fold(steps, other, bytes);
        int power = Integer.highestOneBit(steps.size);
        for (int bit = 1; number != NONE && bit < power; bit *= 2) {
            int peer = unfolded(number ^ bit, steps.size);
            steps.exchange(peer, Place.RECEIVE, bytes, peer, other, bytes);
            if (peer < steps.rank) {
                steps.combine(other, Place.RECEIVE, bytes);
            } else {
                steps.append(Place.RECEIVE, other, bytes);
            }
        }
        unfold(steps, number, bytes);
    }

    /**
     * Halves the vector recursively, so that each rank has the result of one part, then doubles the parts until all ranks have all of them. Each
     * rank sends twice the vector, however many ranks there are. If all ranks take part from the beginning the first half is received where the
     * result goes, and the own vector is combined with it: it need not be copied before.
     */
    static void rabenseifner(ScheduleBuilder steps, Place own, long bytes, int unit) {
        int power = Integer.highestOneBit(steps.size);
        boolean copies = power != steps.size || own.equals(Place.RECEIVE) || steps.size == 1;
        if (copies) {
            steps.copy(own, Place.RECEIVE, bytes);
        }
        if (steps.size == 1) {
            return;
        }
        Blocks parts = Blocks.divided(bytes, power, unit);
        Place other = steps.scratch(power != steps.size ? bytes : parts.lengthOf(0, copies ? power / 2 : power / 4));
        int number = fold(steps, other, bytes);
        if (number != NONE) {
            int first = 0;
            for (int half = power / 2; half >= 1; half /= 2) {
                boolean fromOwn = !copies && half == power / 2;
                int kept = (number & half) == 0 ? first : first + half;
                int given = (number & half) == 0 ? first + half : first;
                Place result = Place.RECEIVE.plus(parts.offset(kept));
                long keptBytes = parts.lengthOf(kept, kept + half);
                int peer = unfolded(number ^ half, steps.size);
                steps.exchangeParts(
                        peer,
                        (fromOwn ? own : Place.RECEIVE).plus(parts.offset(given)),
                        parts.lengthOf(given, given + half),
                        peer,
                        fromOwn ? result : other,
                        keptBytes);
                steps.combine(fromOwn ? own.plus(parts.offset(kept)) : other, result, keptBytes);
                first = kept;
            }
            for (int have = 1; have < power; have *= 2) {
                int theirs = (number & have) == 0 ? first + have : first - have;
                int peer = unfolded(number ^ have, steps.size);
                steps.exchangeParts(
                        peer,
                        Place.RECEIVE.plus(parts.offset(first)),
                        parts.lengthOf(first, first + have),
                        peer,
                        Place.RECEIVE.plus(parts.offset(theirs)),
                        parts.lengthOf(theirs, theirs + have));
                first = Math.min(first, theirs);
            }
        }
        unfold(steps, number, bytes);
    }

    /**
     * The parts of the vector go around a ring, each combined on its way; then the results go around. A part is received where the result goes,
     * and the own part is combined with it, unless the own vector is there.
     */
    static void ring(ScheduleBuilder steps, Place own, long bytes, int unit) {
        int size = steps.size;
        if (size == 1) {
            steps.copy(own, Place.RECEIVE, bytes);
            return;
        }
        boolean inPlace = own.equals(Place.RECEIVE);
        Blocks parts = Blocks.divided(bytes, size, unit);
        Place other = steps.scratch(inPlace ? parts.length(0) : 0);
        for (int i = 0; i < 2 * (size - 1); i++) {
            boolean combines = i < size - 1;
            int sent = steps.after(-i);
            int received = steps.after(-i - 1);
            Place into = Place.RECEIVE.plus(parts.offset(received));
            steps.exchangeParts(
                    steps.after(1),
                    (i == 0 ? own : Place.RECEIVE).plus(parts.offset(sent)),
                    parts.length(sent),
                    steps.after(-1),
                    combines && inPlace ? other : into,
                    parts.length(received));
            if (combines) {
                steps.combine(inPlace ? other : own.plus(parts.offset(received)), into, parts.length(received));
            }
        }
    }

    // Numbers of ranks that are no power of two.

    /**
     * Of the first ranks, those with even numbers give their vector to their neighbors, so that a power of two takes part. Returns the number of
     * this rank among them.
     */
    private static int fold(ScheduleBuilder steps, Place other, long bytes) {
        int surplus = steps.size - Integer.highestOneBit(steps.size);
        if (steps.rank >= 2 * surplus) {
            return steps.rank - surplus;
        }
        if (steps.rank % 2 == 0) {
            steps.send(steps.rank + 1, Place.RECEIVE, bytes);
            steps.await();
            return NONE;
        }
        steps.receive(steps.rank - 1, other, bytes);
        steps.await();
        steps.combine(other, Place.RECEIVE, bytes);
        return steps.rank / 2;
    }

    /** The rank that has this number. */
    private static int unfolded(int number, int size) {
        int surplus = size - Integer.highestOneBit(size);
        return number < surplus ? 2 * number + 1 : number + surplus;
    }

    private static void unfold(ScheduleBuilder steps, int number, long bytes) {
        int surplus = steps.size - Integer.highestOneBit(steps.size);
        if (number == NONE) {
            steps.receive(steps.rank + 1, Place.RECEIVE, bytes);
        } else if (number < surplus) {
            steps.send(steps.rank - 1, Place.RECEIVE, bytes);
        }
    }
}
