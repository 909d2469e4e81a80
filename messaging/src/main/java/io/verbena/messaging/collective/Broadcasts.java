package io.verbena.messaging.collective;

/** Broadcasts; all ranks have the vector in the receive buffer. */
final class Broadcasts {

    /** Messages of a rank in progress at once. */
    private static final int PIECES_AT_ONCE = 8;

    private Broadcasts() {}

    /** A binomial tree: ranks are numbered relative to the root, and the parent of a rank has the lowest set bit cleared. */
    static void binomial(ScheduleBuilder steps, long bytes, int root, long pieceBytes) {
        int relative = Math.floorMod(steps.rank - root, steps.size);
        int span = span(relative, steps.size);
        boolean sends = span > 1 && relative + 1 < steps.size;
        long pieces = Math.max(1, (bytes + pieceBytes - 1) / pieceBytes);
        for (long piece = 0; piece <= pieces; piece++) {
            long at = piece * pieceBytes;
            if (relative != 0 && piece < pieces) {
                steps.receive(steps.after(-span), Place.RECEIVE.plus(at), Math.min(pieceBytes, bytes - at));
            }
            if (piece > 0 && sends) { // the piece before, which has arrived
                forward(steps, relative, span, at - pieceBytes, Math.min(pieceBytes, bytes - at + pieceBytes));
            }
            long started = relative == 0
                    ? piece
                    : piece + 1; // the root sends each piece one step later than others receive it
            if (relative != 0 && sends || started % PIECES_AT_ONCE == 0) {
                steps.await();
            }
        }
    }

    private static void forward(ScheduleBuilder steps, int relative, int span, long at, long bytes) {
        for (int distance = span / 2; distance >= 1; distance /= 2) {
            if (relative + distance < steps.size) {
                steps.send(steps.after(distance), Place.RECEIVE.plus(at), bytes);
            }
        }
    }

    /** Distance to the parent of a rank in a binomial tree; for the root the first power of two that is not below the size. */
    static int span(int relative, int size) {
        int distance = 1;
        while (distance < size && (relative & distance) == 0) {
            distance *= 2;
        }
        return distance;
    }

    /** The parts of the vector are scattered in a binomial tree, then collected in a ring: each rank receives each byte once. */
    static void scatterRing(ScheduleBuilder steps, long bytes, int root) {
        int size = steps.size;
        int relative = Math.floorMod(steps.rank - root, size);
        Blocks parts = Blocks.divided(bytes, size, ScheduleBuilder.ALIGNMENT);
        int span = span(relative, size);
        if (relative != 0) {
            part(steps, parts, relative, Math.min(span, size - relative), steps.after(-span), false);
        }
        steps.await();
        for (int distance = span / 2; distance >= 1; distance /= 2) {
            if (relative + distance < size) {
                int count = Math.min(distance, size - relative - distance);
                part(steps, parts, relative + distance, count, steps.after(distance), true);
            }
        }
        steps.await();
        for (int i = 0; i < size - 1; i++) {
            int sent = Math.floorMod(relative - i, size);
            int received = Math.floorMod(relative - i - 1, size);
            steps.exchangeParts(
                    steps.after(1),
                    Place.RECEIVE.plus(parts.offset(sent)),
                    parts.length(sent),
                    steps.after(-1),
                    Place.RECEIVE.plus(parts.offset(received)),
                    parts.length(received));
        }
    }

    private static void part(ScheduleBuilder steps, Blocks parts, int first, int count, int peer, boolean sends) {
        long bytes = parts.lengthOf(first, first + count);
        Place at = Place.RECEIVE.plus(parts.offset(first));
        if (bytes > 0 && sends) {
            steps.send(peer, at, bytes);
        } else if (bytes > 0) {
            steps.receive(peer, at, bytes);
        }
    }
}
