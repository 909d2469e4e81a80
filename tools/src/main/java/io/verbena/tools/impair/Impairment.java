package io.verbena.tools.impair;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Decides what happens to the packets between two ends: packets and times in, packets and times out. Rules are applied in their order, as boxes on a
 * wire, one after the other: what one has lost the next does not see. Without I/O, threads or a clock.
 */
final class Impairment {

    /** Flows whose order is kept; flows with the same place in the table are one. */
    private static final int FLOWS = 4096;

    private final Settings settings;
    private final Consumer<String> happened;
    private final List<ScriptEvent> script;
    private final List<ActiveRule> rules = new ArrayList<>();
    private final List<RuleFigures> figures = new ArrayList<>();
    private final PriorityQueue<Held> held = new PriorityQueue<>(
            Comparator.<Held>comparingLong(each -> each.afterNs).thenComparingLong(each -> each.number));
    private final long[] lastAfterNs = new long[FLOWS];
    private final ActiveRule.Outcome outcome = new ActiveRule.Outcome();
    private final SideFigures[] sides = {new SideFigures(), new SideFigures()};
    private int nextEvent;
    private int added;
    private long numbered;
    private long heldBytes;
    private long overflowed;

    /** Durations of this class count from the first packet, those of the script from the first one of RDMA. */
    private boolean running;

    private long firstNs;
    private boolean scripted;
    private long scriptAfterNs;

    /**
     * @param seed of what is drawn at random
     * @param trimDscp DSCP of trimmed packets, or {@link Trimming#SAME_DSCP}
     * @param mostHeld packets that are held at a time; further ones are lost
     * @param mostHeldBytes their bytes
     */
    record Settings(long seed, int trimDscp, int mostHeld, long mostHeldBytes) {

        static final int MOST_HELD = 65_536;
        static final long MOST_HELD_BYTES = 256L << 20;

        /** With the usual limits, and the DSCP of trimmed packets as it is. */
        static Settings of(long seed) {
            return new Settings(seed, Trimming.SAME_DSCP, MOST_HELD, MOST_HELD_BYTES);
        }
    }

    /** What came in at one side, and what went out at the other. */
    static final class SideFigures {
        long packets;
        long bytes;
        long passed;
    }

    /** A packet that goes out after a duration since the first packet. */
    private record Held(long afterNs, long number, Side from, Packet packet) {}

    /** A packet that goes out now. */
    record Passing(Side from, Packet packet) {}

    /**
     * Creates an engine.
     *
     * @param script in any order; what has no time applies from the beginning
     * @param happened receives a line for each change of the rules
     * @throws IllegalArgumentException with a sentence if an event ends a rule that no line before it sets
     */
    Impairment(Settings settings, List<ScriptEvent> script, Consumer<String> happened) {
        this.settings = settings;
        this.happened = happened;
        this.script = script.stream()
                .sorted(Comparator.comparingLong(ScriptEvent::afterNs))
                .toList();
        checkNames();
        events(0);
    }

    private void checkNames() {
        Set<String> known = new HashSet<>();
        for (ScriptEvent each : script) {
            switch (each.change()) {
                case ScriptEvent.Put put -> known.add(put.rule().where());
                case ScriptEvent.Clear clear -> {
                    if (!known.contains(clear.where())) {
                        throw new IllegalArgumentException("'" + clear.text() + "' ends no rule: the conditions must be"
                                + " written as in the rule, such as " + String.join(" or ", known));
                    }
                }
                case ScriptEvent.ClearAll _ -> {}
            }
        }
    }

    /** A packet has arrived. It belongs to the engine from now on. */
    void offer(Side from, Packet packet, long nowNs) {
        SideFigures side = sides[from.ordinal()];
        side.packets++;
        side.bytes += packet.bytes().length;
        if (!running) {
            running = true;
            firstNs = nowNs;
        }
        long afterNs = clockNs(nowNs);
        if (!scripted && packet.kind() != PacketShape.Kind.OTHER) {
            scripted = true;
            scriptAfterNs = afterNs;
        }
        turn(nowNs);
        pass(0, new Held(afterNs, 0, from, packet), false);
    }

    /** Applies the rules from this one on. */
    private void pass(int first, Held arrival, boolean reordered) {
        Packet packet = arrival.packet;
        long afterNs = arrival.afterNs;
        boolean overtaken = reordered;
        for (int i = first; i < rules.size(); i++) {
            ActiveRule each = rules.get(i);
            if (each.rule().matches(packet, arrival.from)) {
                each.apply(packet, outcome);
                if (outcome.lost) {
                    return;
                }
                afterNs += outcome.delayNs;
                overtaken |= outcome.reordered;
                if (outcome.duplicated) {
                    pass(i + 1, new Held(afterNs, 0, arrival.from, packet.copy()), overtaken);
                }
            }
        }
        hold(new Held(overtaken ? afterNs : inOrder(arrival.from, packet, afterNs), numbered++, arrival.from, packet));
    }

    private long inOrder(Side from, Packet packet, long afterNs) {
        int place = (int) (Digest.mix(packet.flow(), from.ordinal()) >>> 32) & FLOWS - 1;
        lastAfterNs[place] = Math.max(lastAfterNs[place], afterNs);
        return lastAfterNs[place];
    }

    private void hold(Held packet) {
        int bytes = packet.packet.bytes().length;
        if (held.size() >= settings.mostHeld() || heldBytes + bytes > settings.mostHeldBytes()) {
            overflowed++;
            return;
        }
        heldBytes += bytes;
        held.add(packet);
    }

    /** Changes the rules whose time has come. */
    void turn(long nowNs) {
        if (scripted) {
            events(elapsedNs(nowNs));
        }
    }

    private void events(long elapsedNs) {
        while (nextEvent < script.size() && script.get(nextEvent).afterNs() <= elapsedNs) {
            ScriptEvent event = script.get(nextEvent++);
            change(event.change(), elapsedNs);
            if (event.afterNs() > 0) {
                happened.accept(new ScriptEvent(elapsedNs, event.change()).toString());
            }
        }
    }

    private void change(ScriptEvent.Change change, long elapsedNs) {
        switch (change) {
            case ScriptEvent.Put put -> put(put.rule(), elapsedNs);
            case ScriptEvent.Clear clear ->
                rules.removeIf(each -> each.rule().where().equals(clear.where()) && ends(each, elapsedNs));
            case ScriptEvent.ClearAll _ -> rules.removeIf(each -> ends(each, elapsedNs));
        }
    }

    private static boolean ends(ActiveRule rule, long elapsedNs) {
        rule.figures().ended(elapsedNs);
        return true;
    }

    /** A rule that changes before it met a packet, as those without a time do at the beginning, has nothing to report. */
    private void put(Rule rule, long elapsedNs) {
        for (int i = 0; i < rules.size(); i++) {
            ActiveRule before = rules.get(i);
            if (before.rule().where().equals(rule.where())) {
                ends(before, elapsedNs);
                if (before.figures().sinceNs() == elapsedNs && before.figures().matched == 0) {
                    figures.remove(before.figures());
                }
                rules.set(i, active(before.rule().changedBy(rule), elapsedNs));
                return;
            }
        }
        rules.add(active(rule, elapsedNs));
    }

    private ActiveRule active(Rule rule, long elapsedNs) {
        ActiveRule active = new ActiveRule(rule, Digest.mix(settings.seed(), added++), settings.trimDscp(), elapsedNs);
        figures.add(active.figures());
        return active;
    }

    /** The next packet that is due, if there is one. */
    Optional<Passing> poll(long nowNs) {
        Held first = held.peek();
        if (first == null || first.afterNs > clockNs(nowNs)) {
            return Optional.empty();
        }
        held.remove();
        heldBytes -= first.packet.bytes().length;
        sides[first.from.ordinal()].passed++;
        return Optional.of(new Passing(first.from, first.packet));
    }

    /** When the next packet is due or the rules change next, or {@link Times#NEVER}. */
    long nextDeadlineNs() {
        Held first = held.peek();
        long next = first == null ? Times.NEVER : Times.after(firstNs, first.afterNs);
        if (scripted && nextEvent < script.size()) {
            next = Times.earlier(
                    next,
                    Times.after(firstNs, scriptAfterNs + script.get(nextEvent).afterNs()));
        }
        return next;
    }

    /** Time since the first packet of RDMA; 0 before it. */
    long elapsedNs(long nowNs) {
        return scripted ? clockNs(nowNs) - scriptAfterNs : 0;
    }

    private long clockNs(long nowNs) {
        return running ? Math.max(0, nowNs - firstNs) : 0;
    }

    /** Of every rule that is or was in effect, in the order in which they came. */
    List<RuleFigures> rules() {
        return figures;
    }

    SideFigures side(Side from) {
        return sides[from.ordinal()];
    }

    /** Packets that are held now. */
    int held() {
        return held.size();
    }

    /** Packets that were lost because too many were held. */
    long overflowed() {
        return overflowed;
    }
}
