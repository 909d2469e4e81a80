package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Digest;
import io.verbena.sockets.protocol.EnginePair.Sent;
import io.verbena.sockets.protocol.EnginePair.Side;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Two engines and their programs in all orders of a few steps: each program writes once and reads, ends a direction,
 * closes or resets; what was posted arrives one by one; the connection ends, or a process exits. Each state is
 * reached by its steps from the beginning, and states are distinguished by the digests of the engines.
 */
final class StreamEndsModel {

    /** Bytes of a write: more than the peer accepts before its program reads. */
    private static final int WRITTEN = 150;

    /** What a program calls in its life, or happens to its connection. */
    private enum Step {
        WRITE,
        READ,
        SHUT_OUTPUT,
        SHUT_INPUT,
        CLOSE,
        RESET,
        ARRIVES,
        CONNECTION_ENDS,
        PEER_EXITED
    }

    private record Move(boolean client, Step step) {}

    /** One side of a pair with what its program has called. */
    private static final class Program {
        final Side side;
        final Set<Step> taken = EnumSet.noneOf(Step.class);

        Program(Side side) {
            this.side = side;
        }

        boolean closed() {
            return taken.contains(Step.CLOSE) || taken.contains(Step.RESET);
        }

        boolean lost() {
            return taken.contains(Step.CONNECTION_ENDS) || taken.contains(Step.PEER_EXITED);
        }
    }

    /** A pair after some moves. */
    private final class Scene {
        final EnginePair pair;
        final Program client;
        final Program server;

        Scene() {
            pair = new EnginePair(EnginePair.SMALL, EnginePair.SMALL);
            if (extensions) {
                pair.connect();
            } else {
                pair.connectWithoutExtensions(0);
            }
            client = new Program(pair.client);
            server = new Program(pair.server);
        }

        Program of(Move move) {
            return move.client() ? client : server;
        }

        boolean possible(Move move) {
            Program program = of(move);
            Program other = move.client() ? server : client;
            return switch (move.step()) {
                case WRITE, SHUT_OUTPUT, SHUT_INPUT, CLOSE, RESET ->
                    !program.closed() && !program.taken.contains(move.step());
                case READ -> !program.closed() && program.side.engine.available() > 0;
                case ARRIVES -> !program.side.underWay.isEmpty() && !other.lost();
                // A connection ends by itself, or because the peer has left it.
                case CONNECTION_ENDS, PEER_EXITED -> !program.lost();
            };
        }

        void take(Move move) {
            Program program = of(move);
            StreamEngine engine = program.side.engine;
            switch (move.step()) {
                case WRITE -> engine.write(ByteBuffer.allocate(WRITTEN));
                case READ -> engine.read(ByteBuffer.allocate(WRITTEN));
                case SHUT_OUTPUT -> engine.shutdownOutput();
                case SHUT_INPUT -> engine.shutdownInput();
                case CLOSE -> engine.close();
                case RESET -> engine.reset();
                case ARRIVES -> pair.step(program.side);
                case CONNECTION_ENDS -> engine.onConnectionEnded("it ended");
                case PEER_EXITED -> engine.onPeerExited("it exited");
            }
            if (move.step() != Step.READ && move.step() != Step.ARRIVES) {
                program.taken.add(move.step());
            }
            post();
        }

        private void post() {
            for (Program each : List.of(client, server)) {
                if (!each.lost()) {
                    each.side.post();
                }
                combinations.add(each.side.engine.ends().toString());
            }
        }

        long key() {
            return Digest.mix(key(client, 1), key(server, 2));
        }

        private static long key(Program program, long seed) {
            long d = Digest.mix(seed, program.side.engine.stateDigest());
            for (Step step : program.taken) {
                d = Digest.mix(d, step.ordinal());
            }
            for (Sent sent : program.side.underWay) {
                d = Digest.mix(d, (long) sent.message() << 16 | sent.payload().length);
                d = Digest.mix(d, Digest.flags(sent.hasMessage(), sent.isShort()));
                d = Digest.mix(Digest.mix(d, sent.id()), Arrays.hashCode(sent.payload()));
            }
            return d;
        }
    }

    private final boolean extensions;
    private final int most;
    private final Set<Long> seen = new HashSet<>();
    private final ArrayDeque<List<Move>> todo = new ArrayDeque<>();
    private final Set<String> combinations = new TreeSet<>();

    /**
     * A model.
     *
     * @param extensions whether each side knows the other one as a Verbena; if not, it takes it for librdmacm
     * @param most number of moves of an order, at most
     */
    StreamEndsModel(boolean extensions, int most) {
        this.extensions = extensions;
        this.most = most;
    }

    /** The combinations of {@link StreamEngine#ends} that exist. */
    Set<String> combinations() {
        return combinations;
    }

    int states() {
        return seen.size();
    }

    void explore() {
        visit(List.of(), new Scene());
        while (!todo.isEmpty()) {
            List<Move> before = todo.removeFirst();
            Scene at = replay(before);
            for (Step step : Step.values()) {
                for (boolean client : new boolean[] {true, false}) {
                    Move move = new Move(client, step);
                    if (at.possible(move)) {
                        List<Move> moves = new ArrayList<>(before);
                        moves.add(move);
                        visit(moves, replay(moves));
                    }
                }
            }
        }
    }

    private Scene replay(List<Move> moves) {
        Scene scene = new Scene();
        scene.post();
        moves.forEach(scene::take);
        return scene;
    }

    private void visit(List<Move> moves, Scene scene) {
        if (seen.add(scene.key())) {
            if (moves.size() < most) {
                todo.addLast(moves);
            }
            finish(moves, replay(moves));
        }
    }

    /**
     * Both programs close, everything arrives, and who is left sees the end of the connection: then both streams are
     * over.
     */
    private static void finish(List<Move> moves, Scene scene) {
        for (Program each : List.of(scene.client, scene.server)) {
            if (!each.closed()) {
                each.side.engine.close();
            }
        }
        boolean moved = true;
        while (moved) {
            moved = arrives(scene, scene.client, scene.server) | arrives(scene, scene.server, scene.client);
        }
        for (Program each : List.of(scene.client, scene.server)) {
            if (each.lost()) {
                each.side.engine.onConnectionEnded("its work was flushed");
            }
        }
        boolean one = scene.client.side.engine.state().over()
                || scene.server.side.engine.state().over();
        assertTrue(
                one,
                () -> "no side finishes after " + moves + ": " + scene.pair.client.engine.ends() + " and "
                        + scene.pair.server.engine.ends());
        for (Program each : List.of(scene.client, scene.server)) {
            each.side.engine.onConnectionEnded("the other side has left it");
            assertTrue(each.side.engine.state().over(), () -> "not over after " + moves);
        }
    }

    private static boolean arrives(Scene scene, Program from, Program to) {
        return !from.lost() && !to.lost() && scene.pair.step(from.side);
    }
}
