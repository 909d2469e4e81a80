package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests from forged addresses, at any rate, while honest peers connect. The application accepts every request at once. */
@Tag(Seeds.TAG)
class CmFloodTest {

    private static final long MS = 1_000_000L;
    private static final long SERVER = CmPair.B_ADDRESS;
    private static final long FIRST_CLIENT = 0xffff_0a4e_0001L;
    private static final int CLIENTS = 50;
    private static final long DELAY_NS = 5 * MS;

    /** Time codes of the provider: a message is repeated after 0.5 s. */
    private static CmPort port(long address) {
        return new CmPort(CmPort.Address.of(0, address, address), 17, 15, 1 << 14, false, CmPort.Gids.NONE);
    }

    private record Packet(long atNs, long from, long to, byte[] bytes) {}

    private final SplittableRandom random = new SplittableRandom(Seeds.one(1));
    private final CmAgent server = new CmAgent(port(SERVER), random::nextLong);
    private final Map<Long, CmAgent> clients = new HashMap<>();
    private final ArrayDeque<Packet> network = new ArrayDeque<>();
    private final Map<Long, Integer> startedMs = new HashMap<>();
    private final Map<Long, Long> connectedNs = new HashMap<>();
    private final Set<Integer> unconfirmed = new HashSet<>();
    private final Map<Integer, Long> established = new HashMap<>();
    private int mostUnconfirmed;
    private long nowNs = Long.MAX_VALUE - 3_000 * MS;
    private long lossPercent;

    private void send(CmAgent from, long address) {
        for (Optional<CmAgent.Outgoing> each = from.pollOutgoing(); each.isPresent(); each = from.pollOutgoing()) {
            if (random.nextInt(100) >= lossPercent) {
                network.add(new Packet(
                        Times.after(nowNs, DELAY_NS),
                        address,
                        each.get().to().addressLow(),
                        each.get().bytes()));
            }
        }
    }

    private void deliver() {
        while (!network.isEmpty() && Times.due(network.peekFirst().atNs(), nowNs)) {
            Packet packet = network.removeFirst();
            CmAgent to = packet.to() == SERVER ? server : clients.get(packet.to());
            if (to != null) {
                receive(to, packet.from(), packet.bytes());
            }
        }
    }

    private void receive(CmAgent to, long from, byte[] bytes) {
        to.onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, new Origin().source(0, from), nowNs);
    }

    private void serve() {
        for (Optional<CmSignal> each = server.pollSignal(); each.isPresent(); each = server.pollSignal()) {
            switch (each.get()) {
                case CmSignal.Requested(int request, var _, var _) -> {
                    unconfirmed.add(request);
                    server.accept(request, CmPair.answer(random.nextInt() >>> 8), nowNs);
                }
                case CmSignal.Established(int connection) -> {
                    unconfirmed.remove(connection);
                    established.put(connection, nowNs);
                }
                default -> {
                    unconfirmed.remove(each.get().connection());
                    established.remove(each.get().connection());
                }
            }
        }
        mostUnconfirmed = Math.max(mostUnconfirmed, unconfirmed.size());
        send(server, SERVER);
    }

    private void client(long address, CmAgent agent) {
        for (Optional<CmSignal> each = agent.pollSignal(); each.isPresent(); each = agent.pollSignal()) {
            switch (each.get()) {
                case CmSignal.Replied(int connection, var _) -> agent.ready(connection, new byte[0], nowNs);
                case CmSignal.Established _ -> connectedNs.put(address, nowNs);
                default -> throw new AssertionError("client " + address + ": " + each.get());
            }
        }
        send(agent, address);
    }

    private byte[] forged() {
        CmMessage m = new CmMessage().begin(CmMessage.REQ, random.nextLong());
        m.req()
                .localCommId(random.nextInt())
                .serviceId(CmPair.SERVICE)
                .localCaGuid(random.nextLong())
                .localQpn(random.nextInt() >>> 8)
                .remoteResponseTimeout(17)
                .maxCmRetries(15)
                .pathMtu(3);
        m.primary().remoteGid(0, SERVER);
        return m.bytes();
    }

    @ParameterizedTest
    @CsvSource({"60, 0", "10000, 0", "60, 2", "10000, 2"})
    void forgedRequests_honestPeersConnect_inTheTimeOfTheirRoundTrips(int perSecond, int loss) {
        lossPercent = loss;
        server.listen(CmPair.SERVICE, new CmListener(3, false));
        List<Long> honest = new ArrayList<>();
        long startNs = nowNs;
        double due = 0;
        for (int ms = 0; ms < 9_000; ms++) {
            nowNs = startNs + ms * MS;
            for (due += perSecond / 1000.0; due >= 1; due--) {
                receive(server, 0xffff_0000_0000L | random.nextInt() & 0xffff_ffffL, forged());
            }
            if (ms >= 1_000 && ms % 50 == 0 && honest.size() < CLIENTS) {
                long address = FIRST_CLIENT + honest.size();
                CmAgent cmAgent = new CmAgent(port(address), random::nextLong);
                clients.put(address, cmAgent);
                honest.add(address);
                startedMs.put(address, ms);
                cmAgent.connect(CmPair.offer(0x11), new PacketPath(0, SERVER, 4791, 0), nowNs);
            }
            deliver();
            server.onDeadline(nowNs);
            serve();
            clients.forEach((address, agent) -> {
                agent.onDeadline(nowNs);
                client(address, agent);
            });
        }
        assertEquals(CLIENTS, connectedNs.size());
        assertEquals(CLIENTS, established.size(), "connections on the side of the server");
        for (long address : honest) {
            long tookMs = (connectedNs.getOrDefault(address, Times.NEVER) - startNs) / MS
                    - startedMs.getOrDefault(address, 0);
            // The peer repeats a lost message after 0.5 s.
            assertTrue(tookMs <= (loss == 0 ? 100 : 5_000), tookMs + " ms");
        }
        assertTrue(mostUnconfirmed <= CmSources.BURST + 14 + CLIENTS / 2, mostUnconfirmed + " set-ups at a time");
        assertTrue(server.sources().held() <= CmSources.MOST_HELD);
    }
}
