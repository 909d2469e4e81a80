package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.TcpOptionReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.PriorityQueue;
import java.util.Random;

/** Two hosts, a path between them, and a program on each side, in virtual time. */
final class PairRun {

    private static final long LIMIT_NS = 3_600L * 1_000_000_000;
    private static final int PORT = 7471;
    private static final int MOST_ARRIVED = 200_000;

    private final PairPlan plan;
    private final Random random;
    private final long startNs;
    private long nowNs;
    private long sequence;
    private long packets;
    private long dropped;
    private final PriorityQueue<Travelling> path = new PriorityQueue<>(
            (a, b) -> a.atNs - b.atNs != 0 ? Long.signum(a.atNs - b.atNs) : Long.compare(a.number, b.number));
    private final PairSide[] sides = new PairSide[2];
    private final Slab[] arrived = {new Slab(MOST_ARRIVED), new Slab(MOST_ARRIVED)};
    private final int[] used = new int[2];

    /** A packet on the path. */
    private record Travelling(long atNs, long number, int to, byte[] bytes) {}

    private PairRun(long seed, PairPlan plan) {
        this.plan = plan;
        this.random = new Random(~seed);
        this.startNs = random.nextLong();
        this.nowNs = startNs;
        for (int i = 0; i < 2; i++) {
            TcpSettings settings = i == 0 ? plan.first() : plan.second();
            TcpHost host = new TcpHost(settings, address(i), false, random::nextLong, nowNs);
            sides[i] = new PairSide(host, new Random(seed + i), plan, i);
        }
    }

    private InetAddress address(int side) {
        return plan.ipv6() ? InetAddress.ofLiteral("fd77::" + (1 + side)) : FlowKey.inet(0x0a00_0001 + side);
    }

    long packets() {
        return packets;
    }

    long dropped() {
        return dropped;
    }

    /** Runs a plan to its end. */
    static PairRun run(long seed, PairPlan plan) {
        PairRun run = new PairRun(seed, plan);
        try {
            run.run();
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + ", " + plan + ": " + e.getMessage(), e);
        }
        return run;
    }

    private void run() throws IOException {
        InetSocketAddress address = new InetSocketAddress(address(1), PORT);
        sides[1].loop().listen(address, 1, stream -> sides[1].begin((TcpStream) stream));
        sides[0].loop().connect(address, new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                sides[0].begin((TcpStream) stream);
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new AssertionError(sentence);
            }
        });
        while (!done()) {
            turn(0);
            turn(1);
            if (!step()) {
                break;
            }
            assertTrue(nowNs - startNs < LIMIT_NS, () -> "no end: " + sides[0] + "; " + sides[1]);
        }
        assertTrue(done(), () -> "nothing moves: " + sides[0] + "; " + sides[1]);
        sides[0].checkEqual(sides[1]);
        sides[1].checkEqual(sides[0]);
    }

    private boolean done() {
        return sides[0].done() && sides[1].done() && path.isEmpty() && sides[0].gone() && sides[1].gone();
    }

    private void turn(int index) throws IOException {
        PairSide side = sides[index];
        TcpHost host = side.host();
        for (int i = 0; i < 100; i++) {
            side.loop().report();
            boolean worked = side.work();
            while (host.transmit(nowNs)) {
                PacketOut out = host.out();
                send(
                        1 - index,
                        out.slab()
                                .segment()
                                .asSlice(PacketOut.OFFSET, out.length())
                                .toArray(ValueLayout.JAVA_BYTE));
                worked = true;
            }
            if (!worked) {
                return;
            }
        }
    }

    private boolean oneIn(int n) {
        return n > 0 && random.nextInt(n) == 0;
    }

    private void send(int to, byte[] bytes) {
        packets++;
        boolean lost = oneIn(plan.lossOneIn());
        if (Boolean.getBoolean("verbena.log")) {
            System.out.println(line(to, bytes) + (lost ? " lost" : ""));
        }
        if (lost) {
            dropped++;
            return;
        }
        if (oneIn(plan.spoiltOneIn())) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        long delayNs =
                plan.delayNs() + (oneIn(plan.lateOneIn()) ? (long) (random.nextDouble() * 3 * plan.delayNs()) : 0);
        if (plan.reception().lent()) {
            // Several packets arrive at the same time.
            long stepNs = plan.delayNs() / 2;
            delayNs += stepNs - Math.floorMod(nowNs + delayNs, stepNs);
        }
        path.add(new Travelling(nowNs + delayNs, sequence++, to, bytes));
        if (oneIn(plan.duplicateOneIn())) {
            path.add(new Travelling(nowNs + delayNs + random.nextInt(1 + (int) plan.delayNs()), sequence++, to, bytes));
        }
    }

    private String line(int to, byte[] bytes) {
        MemorySegment memory = MemorySegment.ofArray(bytes);
        int at = plan.ipv6() ? 40 : 20;
        TcpHeader header = new TcpHeader().wrap(memory, at);
        StringBuilder out = new StringBuilder(String.format("%.6f to %d: ", (nowNs - startNs) / 1e9, to));
        header.describe(out).append(" len=").append(bytes.length - at - header.headerBytes());
        return new TcpOptionReader()
                .read(memory, at + 20, at + header.headerBytes())
                .describe(out)
                .toString();
    }

    private boolean step() {
        long nextNs = path.isEmpty() ? Times.NEVER : path.peek().atNs();
        for (PairSide side : sides) {
            nextNs = Times.earlier(nextNs, side.host().nextDeadlineNs());
        }
        if (nextNs == Times.NEVER) {
            return false;
        }
        nowNs = nextNs - nowNs > 0 ? nextNs : nowNs;
        for (int i = 0; i < 2; i++) {
            sides[i].host().settle();
            arrived[i].segment().fill((byte) 0xee);
            used[i] = 0;
        }
        while (!path.isEmpty() && Times.due(path.peek().atNs(), nowNs)) {
            Travelling next = path.peek();
            MemorySegment memory = MemorySegment.ofArray(next.bytes());
            TcpHost host = sides[next.to()].host();
            int at = used[next.to()];
            int end = at + next.bytes().length;
            if (end > MOST_ARRIVED) {
                break; // in the next step
            }
            path.remove();
            if (plan.reception().lent()) {
                MemorySegment.copy(memory, 0, arrived[next.to()].segment(), at, next.bytes().length);
                host.onLentPacket(arrived[next.to()], at, end, false, nowNs);
                used[next.to()] = end;
            } else {
                host.onPacket(memory, 0, next.bytes().length, false, nowNs);
            }
        }
        for (PairSide side : sides) {
            side.host().onDeadline(nowNs);
        }
        return true;
    }

    @Override
    public String toString() {
        assertEquals(2, sides.length);
        return packets + " packets, " + dropped + " lost, " + (nowNs - startNs) / 1e9 + " s";
    }
}
