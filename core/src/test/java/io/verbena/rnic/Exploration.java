package io.verbena.rnic;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.ConnectionState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Drives two real RNICs through every interleaving of the possible events of one connection between them: turns of the
 * engines, steps of the applications, arrival of each frame, of a torn frame, of FIN and RST, a broken network, a host
 * that vanishes, timeouts. States that were visited, according to the digests of the engines, are not explored again.
 *
 * <p>Engines cannot be copied, so another branch is reached by replaying its prefix; the first branch of each state
 * continues directly.
 */
final class Exploration {

    /**
     * The scope of an exploration.
     *
     * @param fromSetUp whether it includes start-up frames, or begins with an established connection
     * @param breaks maximum number of network failures
     * @param tears maximum number of frames that arrive in two pieces
     * @param timeOuts maximum number of deadlines that expire while another event is possible
     * @param vanishes whether side B may vanish silently, with keep-alive enabled
     */
    record Scenario(
            String name,
            ExploredStep[] a,
            ExploredStep[] b,
            boolean fromSetUp,
            int breaks,
            int tears,
            int timeOuts,
            boolean vanishes) {}

    /** The result. */
    record Counts(String name, int states, int edges, int ends, TreeMap<String, Integer> outcomes, double seconds) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%-46s %7d states %8d steps %6d ends %5.1f s", name, states, edges, ends, seconds);
        }
    }

    private enum Kind {
        TURN,
        SCRIPT,
        FRAME,
        TEAR,
        FIN,
        RESET
    }

    private static final int SIDES = 2;
    private static final int BREAK = 100;
    private static final int TIME = 101;
    private static final int VANISH = 102;
    private static final int MAX_STATES = 400_000;

    private static final class Frame {
        private final int[] choices;
        private int next;

        Frame(int[] choices) {
            this.choices = choices;
        }
    }

    final ExploredSide a = new ExploredSide("A");
    final ExploredSide b = new ExploredSide("B");
    private final ExploredSide[] sides = {a, b};
    private final boolean prunes;
    private final Supplier<ExploredStream[]> streams;

    private Scenario scenario = new Scenario("", new ExploredStep[0], new ExploredStep[0], false, 0, 0, 0, false);
    private ExploredStep[][] scripts = {};
    private int breaksLeft;
    private int tearsLeft;
    private int timeOutsLeft;
    private boolean vanished;
    private final List<Integer> path = new ArrayList<>();

    Exploration() {
        this(true);
    }

    /** @param prunes false to continue from every state, including known ones, to verify that pruning misses nothing */
    Exploration(boolean prunes) {
        this(prunes, ExploredStream::pair);
    }

    /** @param streams makes the two ends of the stream of a run */
    Exploration(boolean prunes, Supplier<ExploredStream[]> streams) {
        this.prunes = prunes;
        this.streams = streams;
    }

    Counts explore(Scenario what) {
        scenario = what;
        scripts = new ExploredStep[][] {what.a(), what.b()};
        long startNs = System.nanoTime();
        Set<Long> seen = new HashSet<>();
        TreeMap<String, Integer> outcomes = new TreeMap<>();
        List<Frame> stack = new ArrayList<>();
        int edges = 0;
        int ends = 0;
        int states = 1;
        path.clear();
        try {
            begin();
            seen.add(digest());
            stack.add(new Frame(enabled()));
            boolean here = true;
            while (!stack.isEmpty()) {
                Frame top = stack.getLast();
                if (top.next == top.choices.length) {
                    stack.removeLast();
                    if (!path.isEmpty()) {
                        path.removeLast();
                    }
                    here = false;
                    continue;
                }
                if (!here) {
                    replay();
                }
                int choice = top.choices[top.next++];
                path.add(choice);
                apply(choice);
                edges++;
                here = false;
                if (seen.add(digest()) || !prunes) {
                    states++;
                    if (states > MAX_STATES) {
                        throw new AssertionError("more than " + MAX_STATES + " states: reduce the scenario");
                    }
                    int[] next = enabled();
                    if (next.length == 0) {
                        ends++;
                        outcomes.merge(end(), 1, Integer::sum);
                        path.removeLast();
                    } else {
                        stack.add(new Frame(next));
                        here = true;
                    }
                } else {
                    path.removeLast();
                }
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(scenario.name() + ": " + e.getMessage() + "\n" + trace(), e);
        }
        return new Counts(what.name(), states, edges, ends, outcomes, (System.nanoTime() - startNs) / 1e9);
    }

    private void begin() {
        ExploredStream[] ends = streams.get();
        a.restart(ends[0], true);
        b.restart(ends[1], false);
        breaksLeft = scenario.breaks();
        tearsLeft = scenario.tears();
        timeOutsLeft = scenario.timeOuts();
        vanished = false;
        a.start(true, scenario.vanishes());
        b.start(false, scenario.vanishes());
        if (!scenario.fromSetUp()) {
            setUp();
        }
    }

    /** The single sequence of a set-up without other events. */
    private void setUp() {
        for (int i = 0; i < 50 && !(settled() && IwarpView.wasEstablished(b.queuePair)); i++) {
            for (ExploredSide side : sides) {
                if (side.hasWork()) {
                    side.turn();
                }
                if (side.stream.frameInTransit()) {
                    side.stream.deliverFrame();
                }
            }
        }
        if (a.connection.state() != ConnectionState.ESTABLISHED
                || b.connection.state() != ConnectionState.ESTABLISHED) {
            throw new AssertionError("the set-up failed: " + a.connection + " " + b.connection);
        }
    }

    private boolean settled() {
        return !a.hasWork() && !b.hasWork() && !a.stream.frameInTransit() && !b.stream.frameInTransit();
    }

    private void replay() {
        begin();
        for (int choice : path) {
            apply(choice);
        }
    }

    private long digest() {
        long d = Digest.mix(a.stateDigest(), b.stateDigest());
        d = Digest.mix(d, breaksLeft * 1000L + tearsLeft * 100L + timeOutsLeft * 10L + (vanished ? 1 : 0));
        return Digest.mix(d, a.nowNs());
    }

    private int[] enabled() {
        int[] choices = new int[SIDES * Kind.values().length + 3];
        int count = 0;
        for (int s = 0; s < SIDES; s++) {
            if (vanished && s == 1) {
                continue;
            }
            for (Kind kind : Kind.values()) {
                if (possible(kind, s)) {
                    choices[count++] = kind.ordinal() * SIDES + s;
                }
            }
        }
        if (breaksLeft > 0 && !a.stream.closed() && !b.stream.closed() && !vanished) {
            choices[count++] = BREAK;
        }
        if (scenario.vanishes() && !vanished) {
            choices[count++] = VANISH;
        }
        boolean idle = count == 0;
        if (deadlineNs() != Endpoint.NEVER && (timeOutsLeft > 0 || idle)) {
            choices[count++] = TIME;
        }
        return Arrays.copyOf(choices, count);
    }

    private boolean possible(Kind kind, int s) {
        ExploredSide side = sides[s];
        return switch (kind) {
            case TURN -> side.hasWork();
            case SCRIPT -> side.scriptLeft(scripts[s]);
            case FRAME -> side.stream.frameInTransit();
            case TEAR -> tearsLeft > 0 && side.stream.canTear();
            case FIN -> side.stream.finWaits();
            case RESET -> side.stream.resetWaits();
        };
    }

    private long deadlineNs() {
        long first = a.rnic.engine(0).nextDeadlineNs();
        return vanished ? first : Times.earlier(first, b.rnic.engine(0).nextDeadlineNs());
    }

    private void apply(int choice) {
        switch (choice) {
            case BREAK -> {
                breaksLeft--;
                a.stream.breakDown();
            }
            case VANISH -> vanished = true;
            case TIME -> {
                boolean free = timeOutsLeft == 0;
                timeOutsLeft -= free ? 0 : 1;
                long then = Math.max(a.nowNs() + 1, deadlineNs());
                a.nowNs(then);
                b.nowNs(then);
                a.turn();
                if (!vanished) {
                    b.turn();
                }
            }
            default -> apply(Kind.values()[choice / SIDES], choice % SIDES);
        }
    }

    private void apply(Kind kind, int s) {
        ExploredSide side = sides[s];
        switch (kind) {
            case TURN -> side.turn();
            case SCRIPT -> side.step(scripts[s]);
            case FRAME -> side.stream.deliverFrame();
            case TEAR -> {
                tearsLeft--;
                side.stream.tear();
            }
            case FIN -> side.stream.deliverFin();
            case RESET -> side.stream.deliverReset();
        }
    }

    /** Checks an end and returns its name. */
    private String end() {
        a.checkFinal();
        if (!vanished) {
            b.checkFinal();
        }
        boolean bothClosed =
                a.connection.state() == ConnectionState.CLOSED && b.connection.state() == ConnectionState.CLOSED;
        if (bothClosed && (a.sent() != b.received() || b.sent() != a.received())) {
            throw new AssertionError("both sides closed gracefully, but a successful Send did not arrive");
        }
        return "A " + a.outcome() + ", B " + (vanished ? "gone" : b.outcome());
    }

    private String trace() {
        StringBuilder out = new StringBuilder();
        for (int choice : path) {
            out.append(
                            switch (choice) {
                                case BREAK -> "the network breaks";
                                case VANISH -> "B vanishes";
                                case TIME -> "time passes";
                                default -> "AB".charAt(choice % SIDES) + " " + Kind.values()[choice / SIDES];
                            })
                    .append("; ");
        }
        return out.toString();
    }
}
