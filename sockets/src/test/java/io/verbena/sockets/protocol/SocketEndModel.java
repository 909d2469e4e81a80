package io.verbena.sockets.protocol;

import io.verbena.sockets.protocol.SocketEnd.Effect;
import io.verbena.sockets.protocol.SocketEnd.Event;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * A socket and what surrounds it, in every order: the program closes it twice, in each way; its stream is lost or ends,
 * with or without a notice to the peer; the connection ends by itself, and notifies of that later; the timer of a reset
 * runs, also after it was cancelled; the tasks of the owner run whenever they like.
 */
final class SocketEndModel {

    /** Rules of the owner that are broken on purpose. */
    enum Mutation {
        /** The connection is to end in order though it has ended and notified of that. */
        FINISHES_WITHOUT_CONNECTION,

        /** A reset has no timer. */
        NO_TIMER,

        /** The memory is released when the program closes the socket. */
        FREES_AT_CLOSE,

        /** The end of the connection is not taken as the end of leaving. */
        MISSES_END
    }

    /** One state of the model. */
    private record World(
            SocketEnd end,
            int closes,
            boolean connectionEnded,
            boolean notified,
            boolean timer,
            boolean disconnects,
            boolean tearsDown,
            int tornDown,
            int freed) {

        World after(Event event) {
            SocketEnd next = SocketEnd.TABLE.next(end, event);
            Effect effect = end.effect(next);
            return new World(
                    next,
                    closes,
                    connectionEnded,
                    notified,
                    timer || event == Event.RESET && next == SocketEnd.RESETTING,
                    disconnects || effect == Effect.DISCONNECT,
                    tearsDown || effect == Effect.TEAR_DOWN,
                    tornDown + (effect == Effect.TEAR_DOWN ? 1 : 0),
                    freed + (effect == Effect.FREE ? 1 : 0));
        }

        World closedOnceMore() {
            return new World(
                    end, closes + 1, connectionEnded, notified, timer, disconnects, tearsDown, tornDown, freed);
        }

        World withConnection(boolean ended, boolean reported) {
            return new World(end, closes, ended, reported, timer, disconnects, tearsDown, tornDown, freed);
        }

        World withTasks(boolean timerLeft, boolean disconnectLeft, boolean tearDownLeft) {
            return new World(
                    end, closes, connectionEnded, notified, timerLeft, disconnectLeft, tearDownLeft, tornDown, freed);
        }

        World released() {
            return new World(
                    end, closes, connectionEnded, notified, timer, disconnects, tearsDown, tornDown, freed + 1);
        }
    }

    private static final int CLOSES = 2;

    private final Optional<Mutation> mutation;
    private final Set<World> seen = new HashSet<>();
    private final ArrayDeque<World> todo = new ArrayDeque<>();
    private final EnumSet<SocketEnd> reached = EnumSet.noneOf(SocketEnd.class);

    SocketEndModel(Optional<Mutation> mutation) {
        this.mutation = mutation;
    }

    EnumSet<SocketEnd> reached() {
        return reached;
    }

    private boolean mutated(Mutation asked) {
        return mutation.isPresent() && mutation.get() == asked;
    }

    /** What is wrong in one of the states; empty if nothing is. */
    String fault() {
        visit(new World(SocketEnd.OPEN, 0, false, false, false, false, false, 0, 0));
        while (!todo.isEmpty()) {
            World now = todo.pop();
            reached.add(now.end());
            int before = seen.size() + todo.size();
            boolean moved = follow(now);
            String wrong = wrong(now, moved);
            if (!wrong.isEmpty()) {
                return wrong + ": " + now + " of " + before;
            }
        }
        return "";
    }

    private static String wrong(World now, boolean moved) {
        if (now.tornDown() > 1 || now.freed() > 1) {
            return "ended twice";
        }
        if (now.freed() > 0 && now.end() != SocketEnd.TORN) {
            return "released while the connection uses the memory";
        }
        if (!moved && now.closes() > 0 && (now.tornDown() != 1 || now.freed() != 1)) {
            return "never released";
        }
        return "";
    }

    private void visit(World next) {
        if (seen.add(next)) {
            todo.push(next);
        }
    }

    /** Returns whether anything can happen that does not depend on chance: an owner's task, a timer, a notice. */
    private boolean follow(World now) {
        program(now);
        connection(now);
        return stream(now) | tasks(now);
    }

    private void program(World now) {
        if (now.closes() < CLOSES) {
            for (Event way : new Event[] {Event.CLOSE, Event.RESET, Event.DISCARD}) {
                World next = now.after(way).closedOnceMore();
                visit(mutated(Mutation.FREES_AT_CLOSE) && next.freed() == 0 ? next.released() : next);
            }
        }
    }

    private void connection(World now) {
        if (!now.connectionEnded()) {
            visit(now.withConnection(true, false)); // by itself, or by the peer
        }
    }

    /**
     * What the stream does while the end of the connection has not begun. A reset of a peer that takes nothing waits
     * for its timer.
     */
    private boolean stream(World now) {
        if (now.end().begun()) {
            return false;
        }
        if (now.end() == SocketEnd.OPEN) {
            visit(now.after(Event.STREAM_LOST));
            return false;
        }
        visit(now.after(Event.STREAM_OVER));
        if (!now.connectionEnded() || mutated(Mutation.FINISHES_WITHOUT_CONNECTION)) {
            visit(now.after(Event.STREAM_FINISHED));
        }
        return now.end() == SocketEnd.FLUSHING;
    }

    private boolean tasks(World now) {
        boolean moved = false;
        if (now.connectionEnded() && !now.notified()) {
            World informed = now.withConnection(true, true);
            visit(mutated(Mutation.MISSES_END) ? informed : informed.after(Event.CONNECTION_ENDED));
            moved = true;
        }
        if (now.timer()) {
            World fired = now.withTasks(false, now.disconnects(), now.tearsDown());
            visit(mutated(Mutation.NO_TIMER) ? fired : fired.after(Event.GIVE_UP));
            moved = true;
        }
        if (now.disconnects()) {
            World left = now.withTasks(now.timer(), false, now.tearsDown());
            visit(left.connectionEnded() ? left : left.withConnection(true, false));
            moved = true;
        }
        if (now.tearsDown()) {
            visit(now.withTasks(now.timer(), now.disconnects(), false).after(Event.TORN_DOWN));
            moved = true;
        }
        return moved;
    }
}
