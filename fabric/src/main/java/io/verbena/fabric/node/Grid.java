package io.verbena.fabric.node;

import io.verbena.fabric.link.LinkTiming;

/** A mesh or torus. Port 1 of a switch leads to its adapter; dimension d has port 2 + 2d forward and port 3 + 2d backward. */
final class Grid {
    private final boolean torus;
    private final int[] sides;
    private final int switches;

    Grid(boolean torus, int... sides) {
        this.torus = torus;
        this.sides = sides.clone();
        long count = 1;
        for (int side : sides) {
            if (side < 2) {
                throw new IllegalArgumentException("a side of " + side + " switches: must be 2 or more");
            }
            count *= side;
        }
        if (sides.length < 1 || sides.length > 4 || count >= Wiring.MULTICAST) {
            throw new IllegalArgumentException(
                    count + " switches in " + sides.length + " dimensions: must be below 49152 in 1 to 4 dimensions");
        }
        switches = (int) count;
    }

    Wiring wire(LinkTiming timing) {
        Wiring wiring = new Wiring();
        for (int s = 0; s < switches; s++) {
            wiring.addSwitch(1 + 2 * sides.length);
        }
        for (int s = 0; s < switches; s++) {
            wiring.connect(s, 1, wiring.addAdapter(1), 1, timing);
            for (int d = 0; d < sides.length; d++) {
                boolean edge = coordinate(s, d) + 1 == sides[d];
                // Two switches in a ring need one link only.
                if (!edge || torus && sides[d] > 2) {
                    wiring.connect(s, 2 + 2 * d, neighbour(s, d, 1), 3 + 2 * d, timing);
                }
            }
        }
        for (int s = 0; s < switches; s++) {
            short[] table = new short[switches + 1];
            for (int to = 0; to < switches; to++) {
                table[to + 1] = (short) port(s, to);
            }
            wiring.table(s, table);
        }
        if (torus) {
            wiring.lanes((in, out, level, lanes) -> {
                int port = wiring.local(out);
                return !wiring.isSwitch(wiring.nodeOf(out)) || port == 1 ? 0 : (level >> (port - 2) / 2 & 1) % lanes;
            });
        }
        return wiring;
    }

    private int coordinate(int s, int d) {
        int rest = s;
        for (int i = 0; i < d; i++) {
            rest /= sides[i];
        }
        return rest % sides[d];
    }

    private int neighbour(int s, int d, int step) {
        int stride = 1;
        for (int i = 0; i < d; i++) {
            stride *= sides[i];
        }
        int at = coordinate(s, d);
        return s + (Math.floorMod(at + step, sides[d]) - at) * stride;
    }

    private int port(int s, int to) {
        for (int d = 0; d < sides.length; d++) {
            int step = steps(s, to, d);
            if (step != 0) {
                return step > 0 ? 2 + 2 * d : 3 + 2 * d;
            }
        }
        return 1;
    }

    /** Steps in a dimension, negative backward. Of two ways of equal length, even switches go forward and odd ones backward. */
    private int steps(int from, int to, int d) {
        int straight = coordinate(to, d) - coordinate(from, d);
        int side = sides[d];
        if (!torus || side == 2) {
            return straight;
        }
        int forward = Math.floorMod(straight, side);
        if (2 * forward == side) {
            return coordinate(from, d) % 2 == 0 ? forward : forward - side;
        }
        return 2 * forward < side ? forward : forward - side;
    }

    int level(int from, int to) {
        int level = 0;
        for (int d = 0; d < sides.length; d++) {
            int end = coordinate(from, d) + steps(from, to, d);
            if (end < 0 || end >= sides[d]) {
                level |= 1 << d;
            }
        }
        return level;
    }

    int distance(int from, int to) {
        int sum = 0;
        for (int d = 0; d < sides.length; d++) {
            sum += Math.abs(steps(from, to, d));
        }
        return sum;
    }
}
