package io.verbena.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.verbs.PeerNetwork;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which copy gets a place, which one leaves for another, and which one never does. */
class PlacesTest {

    private static final PeerNetwork A = new PeerNetwork("a");
    private static final PeerNetwork B = new PeerNetwork("b");
    private static final PeerNetwork C = new PeerNetwork("c");

    private final Places<String> places = new Places<>(6);

    private Places.Arrival<String> arrive(PeerNetwork origin) {
        return places.arrive(origin, guest -> false);
    }

    /** Arrives and is established; returns who left. */
    private Optional<String> come(String name, PeerNetwork origin) {
        assertEquals(new Places.Arrival<>(true, Optional.empty()), arrive(origin));
        places.enter(name, origin);
        return places.establish(name, guest -> false);
    }

    @Test
    void places_ofSeveralOrigins_areShared() {
        for (int i = 0; i < 4; i++) {
            come("a" + i, A);
        }
        come("b0", B);
        come("b1", B);
        assertEquals(Optional.of("a0"), come("b2", B));
        assertFalse(arrive(B).admitted());
        assertFalse(arrive(A).admitted());
        assertEquals(Optional.of("a1"), come("c0", C));
        assertEquals(8, places.size());
        places.leave("a0");
        places.leave("a1");
        assertEquals(6, places.size());
        places.leave("b0");
        assertEquals(Optional.empty(), come("b3", B));
    }

    /** Addresses that may be forged never displace a client whose connection is established. */
    @Test
    void setUps_ofManyOrigins_displaceEachOtherOnly() {
        for (int i = 0; i < 6; i++) {
            come("a" + i, A);
        }
        for (int i = 0; i < 100; i++) {
            Places.Arrival<String> arrival = arrive(new PeerNetwork("forged " + i));
            assertTrue(arrival.admitted());
            assertEquals(i < 6 ? Optional.empty() : Optional.of("forged " + (i - 6)), arrival.displaced());
            arrival.displaced().ifPresent(places::leave);
            places.enter("forged " + i, new PeerNetwork("forged " + i));
        }
        Places.Arrival<String> honest = arrive(B);
        assertEquals(Optional.of("forged 94"), honest.displaced());
        places.enter("b", B);
        assertEquals(Optional.of("a0"), places.establish("b", guest -> false));
    }

    @Test
    void setUps_ofOneOriginAmongOthers_areDisplacedFirst() {
        places.enter("b", B);
        for (int i = 0; i < 5; i++) {
            places.enter("a" + i, A);
        }
        assertEquals(Optional.of("a0"), arrive(C).displaced());
    }

    @Test
    void setUp_displacedWhileItIsEstablished_hasNoPlace() {
        for (int i = 0; i < 6; i++) {
            assertTrue(arrive(A).admitted());
            places.enter("a" + i, A);
        }
        assertEquals(Optional.of("a0"), arrive(A).displaced());
        assertEquals(Optional.of("a0"), places.establish("a0", guest -> false));
        assertEquals(Optional.empty(), places.establish("a1", guest -> false));
    }

    @Test
    void clientWithoutARequest_makesRoomForItsOwnOrigin() {
        for (int i = 0; i < 6; i++) {
            come("a" + i, A);
        }
        assertTrue(places.arrive(A, "a3"::equals).admitted());
        places.enter("a6", A);
        assertEquals(Optional.of("a3"), places.establish("a6", "a3"::equals));
        assertEquals(7, places.size());
    }

    /** A place that becomes free goes to the first client in the line, and no client has to leave for it. */
    @Test
    void line_placeBecomesFree_goesToTheFirst() {
        for (int i = 0; i < 6; i++) {
            come("a" + i, A);
        }
        places.enter("b", B);
        places.enter("c", C);
        assertFalse(places.takeFree("c"));
        assertFalse(places.takeFree("b"));
        places.leave("a3");
        assertFalse(places.takeFree("b"), "the first one waits longer");
        assertTrue(places.takeFree("c"));
        assertEquals(7, places.size());
        assertEquals(Optional.of("a0"), places.establish("b", guest -> false));
    }

    /** A client in the line has shown its address: set-ups, which have not, do not displace it. */
    @Test
    void line_manySetUps_isKept() {
        for (int i = 0; i < 6; i++) {
            come("a" + i, A);
        }
        places.enter("b", B);
        assertFalse(places.takeFree("b"));
        for (int i = 0; i < 20; i++) {
            Places.Arrival<String> arrival = arrive(new PeerNetwork("forged " + i));
            arrival.displaced().ifPresent(places::leave);
            assertFalse(arrival.displaced().filter("b"::equals).isPresent());
            if (arrival.admitted()) {
                places.enter("forged " + i, new PeerNetwork("forged " + i));
            }
        }
        places.leave("a0");
        assertTrue(places.takeFree("b"));
    }

    /** Those that are leaving take memory until they have left. */
    @Test
    void clientsThatNeverLeave_areBounded() {
        for (int i = 0; i < 1_000; i++) {
            PeerNetwork origin = new PeerNetwork("origin " + i / 2);
            if (arrive(origin).admitted()) {
                places.enter("guest " + i, origin);
                if (i % 3 == 0) {
                    places.establish("guest " + i, guest -> false);
                }
            }
        }
        assertTrue(places.size() <= 3 * 6, places.size() + " clients");
    }

    /** Whatever happens in whatever order: places, set-ups and leavers are bounded, and no client with a place leaves for a set-up. */
    @Tag(Seeds.TAG)
    @Test
    void anySequence_invariantsHold() {
        Seeds.each(200, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            int count = 1 + random.nextInt(5);
            Places<Integer> some = new Places<>(count);
            Set<Integer> established = new HashSet<>();
            Set<Integer> settingUp = new HashSet<>();
            Set<Integer> line = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                int guest = i;
                int other = random.nextInt(i + 1);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        PeerNetwork origin = new PeerNetwork("o" + random.nextInt(4));
                        Places.Arrival<Integer> arrival = some.arrive(origin, each -> each % 2 == 0);
                        arrival.displaced().ifPresent(it -> assertTrue(settingUp.remove(it), "seed " + seed));
                        if (arrival.admitted()) {
                            some.enter(guest, origin);
                            settingUp.add(guest);
                        }
                    }
                    case 1 -> {
                        if (settingUp.remove(other) || line.remove(other)) {
                            Optional<Integer> gone = some.establish(other, each -> each % 2 == 0);
                            established.add(other);
                            gone.ifPresent(it -> assertTrue(established.remove(it), "seed " + seed));
                        }
                    }
                    case 2 -> {
                        if (settingUp.remove(other) || line.remove(other)) {
                            (some.takeFree(other) ? established : line).add(other);
                        }
                    }
                    default -> {
                        some.leave(other);
                        established.remove(other);
                        settingUp.remove(other);
                        line.remove(other);
                    }
                }
                assertTrue(established.size() <= count && settingUp.size() <= count, "seed " + seed);
                assertTrue(some.size() <= 3 * count + 1, "seed " + seed);
            }
        });
    }
}
