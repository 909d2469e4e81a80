package io.verbena.tools.connections;

import io.verbena.sim.Profile;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.tools.connections.Ladder.Kind;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets a sequence of incidents happen to a connection between two RNICs in virtual time, the same RNICs that run over
 * sockets, and writes down every frame, state, completion and event.
 */
public final class Story {

    private static final long STEP_NS = 60_000_000L;
    private static final long MINUTE_NS = 60_000_000_000L;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Pattern FRAME =
            Pattern.compile("\\s*[0-9.,]+ \\S+  ([0-9.]+:[0-9]+)([<>])([0-9.]+:[0-9]+) (.*)");

    private final Ladder ladder = new Ladder();
    private final ConnectionOptions options;
    private Optional<World> world = Optional.empty();
    private String lastStates = "";
    private boolean silenced;

    private Story(ConnectionOptions options) {
        this.options = options;
    }

    /**
     * Tells a story.
     *
     * @param chapters in each what happens at the same moment
     * @param options of the connection, on both sides
     */
    public static Ladder tell(List<List<Incident>> chapters, ConnectionOptions options) {
        Story story = new Story(options);
        story.run(chapters);
        return story.ladder;
    }

    private void run(List<List<Incident>> chapters) {
        try (World simulated = new World(1, Profile.CALM, Optional.of(this::line))) {
            world = Optional.of(simulated);
            StorySide a = new StorySide('A', simulated.addHost(RnicOptions.defaults()));
            StorySide b = new StorySide('B', simulated.addHost(RnicOptions.defaults()));
            connect(a, b);
            for (List<Incident> chapter : chapters) {
                chapter(chapter, a, b, simulated);
            }
            if (a.ending() || b.ending() || silenced) {
                simulated.runUntil(() -> looked(a, b) && a.ended() && b.ended(), MINUTE_NS);
            }
            silenced = true;
        } catch (IOException e) {
            throw new AssertionError("a virtual network has every address", e);
        } finally {
            world = Optional.empty();
        }
    }

    private void connect(StorySide a, StorySide b) throws IOException {
        VirtualHost server = b.host();
        // A connection that survives comes back to the listener, which the end of the World closes.
        Listener listener = server.rnic().listen(server.address(7471));
        try {
            Connection near = a.host().rnic().startConnect(a.queuePair, listener.localAddress(), options);
            a.connection(near);
            b.connection(listener.nextRequest(PATIENCE).orElseThrow().startAccept(b.queuePair, options));
            near.awaitEstablished(PATIENCE);
        } catch (ConnectionException e) {
            throw new AssertionError("a calm network connects", e);
        }
        if (options.survival().isEmpty()) {
            listener.close();
        }
        watch(a, b, world.orElseThrow(), STEP_NS);
    }

    private void chapter(List<Incident> chapter, StorySide a, StorySide b, World simulated) {
        for (Incident each : chapter) {
            add(Kind.INCIDENT, each.toString());
        }
        for (Incident each : chapter) {
            StorySide side = each.side() == 'A' ? a : b;
            switch (each.deed()) {
                case RESET -> simulated.links().getLast().reset("the network reset it");
                case TIME -> watch(a, b, simulated, MINUTE_NS);
                default -> does(each, side, side == a ? b : a);
            }
            silenced |= each.deed() == Incident.Deed.VANISH;
        }
        watch(a, b, simulated, STEP_NS);
    }

    private void does(Incident incident, StorySide side, StorySide other) {
        if (side.host().closed()) {
            add(incident.side() == 'A' ? Kind.REPORT_A : Kind.REPORT_B, incident.side() + " is gone and does nothing");
            return;
        }
        try {
            side.does(incident.deed(), other);
        } catch (IllegalStateException | IllegalArgumentException | UnsupportedOperationException e) {
            add(
                    incident.side() == 'A' ? Kind.REPORT_A : Kind.REPORT_B,
                    incident.side() + " is refused: " + e.getMessage());
        }
    }

    /** Looks after every event of the World, so that each completion and state has its own time. */
    private void watch(StorySide a, StorySide b, World simulated, long durationNs) {
        look(a, b);
        simulated.runUntil(() -> !looked(a, b), durationNs);
    }

    private boolean looked(StorySide a, StorySide b) {
        look(a, b);
        return true;
    }

    private void look(StorySide a, StorySide b) {
        a.reports().forEach(line -> add(Kind.REPORT_A, line));
        b.reports().forEach(line -> add(Kind.REPORT_B, line));
        String states = a.state() + "\t" + b.state();
        if (!states.equals(lastStates)) {
            lastStates = states;
            add(Kind.STATES, states);
        }
    }

    private void add(Kind kind, String text) {
        ladder.add(world.map(World::elapsedNs).orElse(0L) / 1000.0, kind, text);
    }

    /** A line of the World's log: frames are what a ladder shows of it. */
    private void line(String line) {
        Matcher frame = FRAME.matcher(line);
        if (!frame.matches() || world.isEmpty()) {
            return;
        }
        boolean ofA = frame.group(2).equals(">");
        String text = frame.group(4);
        if (text.startsWith("broken: ")) {
            add(ofA ? Kind.REPORT_A : Kind.REPORT_B, (ofA ? "A" : "B") + "'s stream breaks: " + text.substring(8));
        } else if (!text.equals("closed")) {
            add(ofA ? Kind.RIGHT : Kind.LEFT, text.equals("closed at once: reset") ? "RST" : text);
        }
    }
}
