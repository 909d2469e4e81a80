package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.fixture.ReflectedState;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * All orders of a few steps of one connection: a write and the end of each side, and packets that arrive, overtake
 * others, are lost or come twice, or come after a timeout. Each state is reached by its steps from the beginning;
 * after each, everything that is left arrives, both sides have received what was written, and no connection is left.
 */
class TcpExplorationTest {

    private static final int MOST_STEPS = 5;
    private static final int BYTES = 1_000;
    private static final int PORT = 7471;
    private static final long START_NS = 0x1357_0000_0000_0000L;
    private static final TcpSettings SETTINGS = TcpSettings.defaults().withBuffers(65_536, 65_536);

    /** The packages with the state of a host. */
    private static final List<String> PACKAGES = List.of(
            "io.verbena.tcp",
            "io.verbena.tcp.connection",
            "io.verbena.tcp.handshake",
            "io.verbena.tcp.ip",
            "io.verbena.tcp.receive",
            "io.verbena.tcp.segment",
            "io.verbena.tcp.send",
            "io.verbena.tcp.state");

    /** Fields that do not decide what happens next. */
    private static final Map<String, String> OMITTED = Map.of("TcpHost.counters", "figures for people");

    private enum Step {
        WRITE,
        END,
        ARRIVES,
        OVERTAKES,
        LOST,
        TWICE,
        TIMEOUT;

        /** How often one side can take it. */
        int most() {
            return this == ARRIVES || this == TIMEOUT ? Integer.MAX_VALUE : 1;
        }
    }

    private record Move(int side, Step step) {}

    /** A side: its host, its program, and the packets on their way from it. */
    private static final class Side implements StreamEvents {
        final TcpHost host;
        final TcpLoop loop;
        final Deque<byte[]> underWay = new ArrayDeque<>();
        final Map<Step, Integer> taken = new EnumMap<>(Step.class);
        Optional<TcpStream> stream = Optional.empty();
        int received;
        boolean ended;
        boolean closed;

        Side(int index) {
            host = new TcpHost(SETTINGS, FlowKey.inet(0x0a00_0001 + index), false, new FixedRandom(), START_NS);
            loop = host.newLoop(() -> {});
        }

        void begin(ByteStream connected) {
            stream = Optional.of((TcpStream) connected);
            loop.attach(connected, this);
        }

        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}

        int times(Step step) {
            return taken.getOrDefault(step, 0);
        }

        /** Reads what has arrived, and sends what can be sent. */
        void work(long nowNs) throws IOException {
            boolean worked = true;
            while (worked) {
                loop.report();
                worked = read();
                if (ended && times(Step.END) > 0 && !closed) {
                    stream.orElseThrow().close(false);
                    closed = true;
                }
                while (host.transmit(nowNs)) {
                    PacketOut out = host.out();
                    underWay.add(out.slab()
                            .segment()
                            .asSlice(PacketOut.OFFSET, out.length())
                            .toArray(ValueLayout.JAVA_BYTE));
                    worked = true;
                }
            }
        }

        private boolean read() throws IOException {
            if (stream.isEmpty() || ended) {
                return false;
            }
            ByteBuffer into = ByteBuffer.allocateDirect(2 * BYTES);
            int bytes = stream.get().read(into);
            ended = bytes == ByteStream.END;
            received += Math.max(bytes, 0);
            return bytes != 0;
        }
    }

    private static final class Scene {
        final List<Side> sides = List.of(new Side(0), new Side(1));
        long nowNs = START_NS;

        Scene() throws IOException {
            InetSocketAddress address = new InetSocketAddress(FlowKey.inet(0x0a00_0002), PORT);
            sides.get(1).loop.listen(address, 1, stream -> sides.get(1).begin(stream));
            sides.get(0).loop.connect(address, new StreamLoop.ConnectEvents() {
                @Override
                public void onConnected(ByteStream stream) {
                    sides.get(0).begin(stream);
                }

                @Override
                public void onConnectFailed(boolean refused, String sentence) {
                    throw new AssertionError(sentence);
                }
            });
            work();
        }

        private void work() throws IOException {
            for (Side each : sides) {
                each.work(nowNs);
            }
        }

        boolean possible(Move move) {
            Side side = sides.get(move.side());
            boolean mayTake = side.times(move.step()) < move.step().most();
            return mayTake
                    && switch (move.step()) {
                        case WRITE -> side.stream.isPresent() && side.times(Step.END) == 0;
                        case END -> side.stream.isPresent();
                        case ARRIVES, LOST, TWICE -> !side.underWay.isEmpty();
                        case OVERTAKES -> side.underWay.size() > 1;
                        case TIMEOUT -> move.side() == 0 && deadlineNs() != Times.NEVER;
                    };
        }

        void take(Move move) throws IOException {
            Side side = sides.get(move.side());
            side.taken.merge(move.step(), 1, Integer::sum);
            switch (move.step()) {
                case WRITE -> assertEquals(BYTES, side.stream.orElseThrow().write(ByteBuffer.allocateDirect(BYTES)));
                case END -> side.stream.orElseThrow().shutdownOutput();
                case ARRIVES -> arrive(move.side(), side.underWay.removeFirst());
                case OVERTAKES -> arrive(move.side(), side.underWay.removeLast());
                case LOST -> side.underWay.removeFirst();
                case TWICE -> {
                    byte[] packet = side.underWay.removeFirst();
                    arrive(move.side(), packet);
                    arrive(move.side(), packet);
                }
                case TIMEOUT -> timeout();
            }
            work();
        }

        private void arrive(int from, byte[] packet) {
            TcpHost host = sides.get(1 - from).host;
            host.settle();
            host.onPacket(MemorySegment.ofArray(packet), 0, packet.length, false, nowNs);
        }

        private long deadlineNs() {
            long nextNs = Times.NEVER;
            for (Side each : sides) {
                nextNs = Times.earlier(nextNs, each.host.nextDeadlineNs());
            }
            return nextNs;
        }

        private void timeout() {
            long nextNs = deadlineNs();
            nowNs = nextNs - nowNs > 0 ? nextNs : nowNs;
            for (Side each : sides) {
                each.host.settle();
                each.host.onDeadline(nowNs);
            }
        }

        long key(ReflectedState state) {
            long d = 1;
            for (Side each : sides) {
                d = Digest.mix(d, state.digest(nowNs, each.host, each.loop));
                for (byte[] packet : each.underWay) {
                    d = Digest.mix(d, Arrays.hashCode(packet));
                }
                d = Digest.mix(d, each.taken.hashCode());
            }
            return d;
        }

        /** Both sides end, and everything arrives. */
        void finish(List<Move> before) throws IOException {
            for (int step = 0; step < 300; step++) {
                for (int i = 0; i < 2; i++) {
                    Move end = new Move(i, Step.END);
                    if (possible(end)) {
                        take(end);
                    }
                    while (!sides.get(i).underWay.isEmpty()) {
                        arrive(i, sides.get(i).underWay.removeFirst());
                    }
                }
                work();
                boolean gone = sides.stream().allMatch(each -> each.host.connectionCount() == 0 && each.closed);
                if (gone && sides.stream().allMatch(each -> each.underWay.isEmpty())) {
                    check(before);
                    return;
                }
                if (sides.stream().allMatch(each -> each.underWay.isEmpty()) && deadlineNs() != Times.NEVER) {
                    timeout();
                    work();
                }
            }
            throw new AssertionError("no end after " + before);
        }

        private void check(List<Move> before) {
            for (int i = 0; i < 2; i++) {
                assertEquals(
                        BYTES * sides.get(1 - i).times(Step.WRITE), sides.get(i).received, () -> "after " + before);
                assertEquals(0, sides.get(i).host.lentBuffers());
            }
        }
    }

    private final ReflectedState state = new ReflectedState(PACKAGES, OMITTED);
    private final Set<Long> seen = new HashSet<>();
    private final Deque<List<Move>> todo = new ArrayDeque<>();

    private static Scene replay(List<Move> moves) throws IOException {
        Scene scene = new Scene();
        for (Move each : moves) {
            scene.take(each);
        }
        return scene;
    }

    @Test
    void allOrders_bothSidesReceiveEverything_andNothingIsLeft() throws IOException {
        todo.add(List.of());
        while (!todo.isEmpty()) {
            List<Move> moves = todo.removeFirst();
            Scene at = replay(moves);
            at.finish(moves);
            if (moves.size() == MOST_STEPS) {
                continue;
            }
            Scene now = replay(moves);
            for (Step step : Step.values()) {
                for (int side = 0; side < 2; side++) {
                    Move move = new Move(side, step);
                    if (now.possible(move)) {
                        List<Move> longer = new ArrayList<>(moves);
                        longer.add(move);
                        if (seen.add(replay(longer).key(state))) {
                            todo.add(longer);
                        }
                    }
                }
            }
        }
        assertTrue(seen.size() > 1_000, () -> "states: " + seen.size());
        assertEquals(Set.of(), state.unknown(), "fields that do not exist");
    }
}
