package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Two paths and four packets: every order of arrival, every set of lost packets and every set of packets that arrive twice.
 * Each byte is placed once, each message completes once, and only what was lost is sent again.
 */
class SprayModelTest {

    private static final int MTU = 1024;
    private static final int PACKETS = 4;
    private static final byte POISON = 0x55;

    /** One order, set of losses and set of duplicates. */
    private record Course(List<Integer> order, int lost, int twice) {
        boolean loses(int packet) {
            return (lost >> packet & 1) != 0;
        }

        boolean doubles(int packet) {
            return (twice >> packet & 1) != 0;
        }
    }

    static RcPair pair(int paths) {
        return new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900)
                        .options(RcOption.SELECTIVE_REPEAT, RcOption.PATHS)
                        .retries(7, RcSettings.UNLIMITED)
                        .paths(paths)
                        .reliableConnection(),
                RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                        .options(RcOption.SELECTIVE_REPEAT, RcOption.PATHS)
                        .retries(7, RcSettings.UNLIMITED)
                        .paths(paths)
                        .reliableConnection());
    }

    private static void each(Consumer<Course> test) {
        List<List<Integer>> orders = new ArrayList<>();
        permute(new ArrayList<>(), orders);
        for (List<Integer> order : orders) {
            for (int lost = 0; lost < 1 << PACKETS; lost++) {
                for (int twice = 0; twice < 1 << PACKETS; twice++) {
                    test.accept(new Course(order, lost, twice));
                }
            }
        }
    }

    private static void permute(List<Integer> begun, List<List<Integer>> all) {
        if (begun.size() == PACKETS) {
            all.add(List.copyOf(begun));
        }
        for (int i = 0; i < PACKETS; i++) {
            if (!begun.contains(i)) {
                begun.add(i);
                permute(begun, all);
                begun.removeLast();
            }
        }
    }

    /** One run: the requests are posted, and the target memory is watched. */
    private static final class Watched {
        final RcPair pair = pair(2);
        final Region from = pair.a.region(8 * MTU);
        final Region to = pair.b.region(8 * MTU);
        final int[] placed = new int[8];
        int sent;

        Watched() {
            RcPair.fill(from, 7);
            to.segment().fill(POISON);
        }

        /** Counts the blocks that have appeared, and removes them: one that is placed again appears again. */
        void look() {
            for (int i = 0; i < placed.length; i++) {
                if (to.segment().get(JAVA_BYTE, (long) i * MTU) != POISON) {
                    placed[i]++;
                    to.segment().asSlice((long) i * MTU, MTU).fill(POISON);
                }
            }
        }

        void deliver(byte[] packet) {
            pair.b.receive(packet, pair.nowNs);
            look();
        }

        /** Delivers the first transmissions as the course says, everything later as it comes. */
        void run(Course course) {
            pair.a.transmit(pair.nowNs);
            List<byte[]> packets = new ArrayList<>(pair.a.wire);
            pair.a.wire.clear();
            assertEquals(PACKETS, packets.size());
            sent = packets.size();
            for (int packet : course.order()) {
                if (!course.loses(packet)) {
                    deliver(packets.get(packet));
                    answers();
                }
            }
            for (int packet : course.order()) {
                if (!course.loses(packet) && course.doubles(packet)) {
                    deliver(packets.get(packet));
                    answers();
                }
            }
            for (int i = 0; i < 50 && (pair.a.engine.answersOwed() || !pair.a.wire.isEmpty()); i++) {
                answers();
                pair.nextDeadline();
            }
        }

        private void answers() {
            pair.nowNs += 1_000;
            pair.b.transmit(pair.nowNs);
            pair.deliver(pair.b, pair.a);
            pair.a.transmit(pair.nowNs);
            while (!pair.a.wire.isEmpty()) {
                byte[] packet = pair.a.wire.removeFirst();
                sent += RcPair.text(packet).contains("PATH_PROBE") ? 0 : 1;
                deliver(packet);
            }
            pair.b.transmit(pair.nowNs);
            pair.deliver(pair.b, pair.a);
        }
    }

    @Test
    void writeOfFourPackets() {
        each(course -> {
            Watched watched = new Watched();
            watched.pair.a.write(1, watched.from, watched.to, PACKETS * MTU);
            watched.run(course);
            assertEquals(List.of("1 WRITE SUCCESS 4096"), watched.pair.a.completions(), course::toString);
            check(watched, course);
        });
    }

    @Test
    void fourSends() {
        each(course -> {
            Watched watched = new Watched();
            for (int i = 0; i < PACKETS; i++) {
                int at = i;
                watched.pair.b.receive.claim(watched.pair.b.wqe);
                watched.pair
                        .b
                        .wqe
                        .clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED)
                        .wrId(i)
                        .addElement(watched.to.localKey(), (long) at * MTU, MTU);
                watched.pair.b.receive.written();
                watched.pair.b.receive.publish();
                watched.pair.a.send(i, watched.from, MTU);
            }
            watched.run(course);
            assertEquals(PACKETS, watched.pair.a.completions().size(), course::toString);
            assertEquals(
                    List.of(
                            "0 RECEIVE SUCCESS 1024",
                            "1 RECEIVE SUCCESS 1024",
                            "2 RECEIVE SUCCESS 1024",
                            "3 RECEIVE SUCCESS 1024"),
                    watched.pair.b.completions(),
                    course::toString);
            check(watched, course);
        });
    }

    @Test
    void twoWritesOfTwoPackets() {
        each(course -> {
            Watched watched = new Watched();
            watched.pair.a.write(1, watched.from, watched.to, 2 * MTU);
            watched.pair.a.write(2, watched.from, watched.to.baseAddress() + 2 * MTU, watched.to.rkey(), 2 * MTU);
            watched.run(course);
            assertEquals(
                    List.of("1 WRITE SUCCESS 2048", "2 WRITE SUCCESS 2048"),
                    watched.pair.a.completions(),
                    course::toString);
            check(watched, course);
        });
    }

    @Test
    void fourAtomics_eachOnce() {
        each(course -> {
            Watched watched = new Watched();
            Region word = watched.pair.b.region(8);
            for (int i = 0; i < PACKETS; i++) {
                watched.pair.a.fetchAdd(i, watched.from, word, 1L << 8 * i);
            }
            watched.run(course);
            assertEquals(PACKETS, watched.pair.a.completions().size(), course::toString);
            assertEquals(0x01010101, word.segment().get(java.lang.foreign.ValueLayout.JAVA_INT, 0), course::toString);
            assertEquals(PACKETS + Integer.bitCount(course.lost()), watched.sent, course::toString);
        });
    }

    private static void check(Watched watched, Course course) {
        for (int i = 0; i < PACKETS; i++) {
            assertEquals(1, watched.placed[i], course::toString);
        }
        assertEquals(PACKETS + Integer.bitCount(course.lost()), watched.sent, course::toString);
    }
}
