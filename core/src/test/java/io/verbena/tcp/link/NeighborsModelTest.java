package io.verbena.tcp.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two stations and a link that is cut, damages what has no checksum, and heals, at random. While the address of the other host is known it is used;
 * that host is asked at most once a second; and after the link has healed, a doubt corrects a wrong address within seconds.
 */
@Tag(Seeds.TAG)
class NeighborsModelTest {

    private static final long S = 1_000_000_000L;
    private static final int SEEDS = 300;
    private static final int STEPS = 200;

    /** Last byte of the sender's hardware address in an ARP packet, after the headers of virtio and of Ethernet. */
    private static final int ARP_SENDER_END = VirtioNetHeader.LENGTH + 14 + 13;

    /** One request to the station, one to all, and the answer; the first of them a second after the last one before. */
    private static final int CORRECTED_S = 3;

    private static final class Link {
        final SplittableRandom random;
        final IpAddress near;
        final IpAddress far;
        final Station nearStation;
        final Station farStation;
        boolean cut;
        boolean damages;
        long nowNs;
        long requestedNs = -S;

        Link(long seed, IpAddress near, IpAddress far) {
            random = new SplittableRandom(seed);
            this.near = near;
            this.far = far;
            RandomSource source = random::nextLong;
            nearStation = new Station(near, source, _ -> {}, 0);
            farStation = new Station(far, source, _ -> {}, 0);
            nowNs = 2 * S;
            nearStation.onDeadline(nowNs);
            farStation.onDeadline(nowNs);
            drop(nearStation);
            drop(farStation);
        }

        private static void drop(Station station) {
            while (station.neighbors().next() != null) {
                station.neighbors().sent();
            }
        }

        private void carry(Station from, Station to) {
            byte @Nullable [] frame;
            while ((frame = from.neighbors().next()) != null) {
                from.neighbors().sent();
                if (from == nearStation) {
                    assertTrue(nowNs - requestedNs >= S, () -> "asked " + (nowNs - requestedNs) + " ns ago");
                    requestedNs = nowNs;
                }
                if (cut) {
                    continue;
                }
                if (damages && near.isIpv4()) {
                    frame[ARP_SENDER_END] ^= 4;
                }
                to.onFrame(MemorySegment.ofArray(frame), VirtioNetHeader.LENGTH, frame.length, nowNs);
            }
        }

        void exchange() {
            nearStation.onDeadline(nowNs);
            carry(nearStation, farStation);
            carry(farStation, nearStation);
        }

        /** The hardware address to which a packet would go now. */
        long send() {
            long to = nearStation.neighbors().find(far, nowNs);
            exchange();
            return to;
        }

        void step() {
            nowNs += random.nextLong(2 * S);
            switch (random.nextInt(8)) {
                case 0 -> cut = true;
                case 1 -> cut = false;
                case 2 -> damages = !damages;
                case 3, 4 -> nearStation.neighbors().doubt(far, nowNs);
                default -> send();
            }
            exchange();
        }

        long known() {
            Neighbor entry = nearStation.neighbors().lookUp(far);
            return entry == null ? Neighbors.UNKNOWN : entry.hardware();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1 10.0.0.2", "fd77::1 fd77::2"})
    void link_cutDamagedAndHealed_addressStaysInUseAndIsCorrected(String hosts) {
        IpAddress near = IpAddress.of(InetAddress.ofLiteral(hosts.split(" ")[0]));
        IpAddress far = IpAddress.of(InetAddress.ofLiteral(hosts.split(" ")[1]));
        Seeds.each(SEEDS, seed -> {
            String name = "seed " + seed;
            Link right = new Link(seed, near, far);
            right.send();
            right.exchange();
            long hardware = right.known();
            assertNotEquals(Neighbors.UNKNOWN, hardware, name);
            Link link = new Link(seed, near, far);
            boolean known = false;
            for (int i = 0; i < STEPS; i++) {
                link.step();
                assertTrue(!known || link.known() != Neighbors.UNKNOWN, name);
                known = link.known() != Neighbors.UNKNOWN;
            }
            link.cut = false;
            link.damages = false;
            link.nowNs += S;
            link.send();
            for (int i = 0; i < CORRECTED_S; i++) {
                link.nearStation.neighbors().doubt(far, link.nowNs);
                link.send();
                link.nowNs += S;
            }
            assertEquals(hardware, link.send(), name);
            assertEquals(Times.NEVER, link.nearStation.neighbors().nextDeadlineNs(), name);
        });
    }
}
