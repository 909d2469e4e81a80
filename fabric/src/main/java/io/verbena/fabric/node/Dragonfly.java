package io.verbena.fabric.node;

import io.verbena.fabric.link.LinkTiming;

/**
 * A dragonfly. Ports of a switch: its {@code p} adapters, then the other {@code a - 1} switches of its group, then {@code h}
 * links to other groups. Link number k of a group, counted over its switches, leads to the group k + 1 further.
 */
final class Dragonfly {
    private final int p;
    private final int a;
    private final int h;
    private final int groups;

    Dragonfly(int p, int a, int h) {
        if (p < 1 || a < 1 || h < 1 || p + a - 1 + h > Wiring.MOST_PORTS) {
            throw new IllegalArgumentException("a dragonfly with p=" + p + " a=" + a + " h=" + h
                    + ": all must be 1 or more, and a switch has p + a - 1 + h ports, at most " + Wiring.MOST_PORTS);
        }
        this.p = p;
        this.a = a;
        this.h = h;
        groups = a * h + 1;
    }

    Wiring wire(LinkTiming timing) {
        Wiring wiring = new Wiring();
        for (int s = 0; s < groups * a; s++) {
            wiring.addSwitch(p + a - 1 + h);
        }
        for (int s = 0; s < groups * a; s++) {
            for (int i = 1; i <= p; i++) {
                wiring.connect(s, i, wiring.addAdapter(1), 1, timing);
            }
            int group = s / a;
            for (int other = s % a + 1; other < a; other++) {
                wiring.connect(s, inside(s % a, other), group * a + other, inside(other, s % a), timing);
            }
            for (int i = 0; i < h; i++) {
                int link = s % a * h + i;
                int to = (group + link + 1) % groups;
                if (group < to) {
                    int back = groups - 2 - link;
                    wiring.connect(s, global(i), to * a + back / h, global(back % h), timing);
                }
            }
        }
        for (int s = 0; s < groups * a; s++) {
            short[] table = new short[groups * a * p + 1];
            for (int node = 0; node < groups * a * p; node++) {
                table[node + 1] = (short) port(s, node);
            }
            wiring.table(s, table);
        }
        wiring.lanes((in, out, level, lanes) -> in >= 0 && wiring.local(in) > p + a - 1 ? 1 % lanes : 0);
        return wiring;
    }

    /** The port of switch {@code from} of a group to switch {@code to} of the same group. */
    private int inside(int from, int to) {
        return p + (to < from ? to + 1 : to);
    }

    private int global(int i) {
        return p + a + i;
    }

    private int port(int s, int node) {
        int target = node / p;
        if (target == s) {
            return 1 + node % p;
        }
        if (target / a == s / a) {
            return inside(s % a, target % a);
        }
        int link = Math.floorMod(target / a - s / a, groups) - 1;
        return link / h == s % a ? global(link % h) : inside(s % a, link / h);
    }
}
