package io.verbena.survival;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.survival.SurvivalPath.Packet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two nodes, the connections between them, and everything that can happen next. */
final class SurvivalModel {

    /** How often what happens only by misfortune can happen. */
    record Budget(int failures, int doubles, int timeOuts) {}

    /** The addresses of each side: all lead to the peer, or only the first one. */
    record Addresses(int count, boolean othersDead) {}

    private enum Kind {
        DELIVER,
        PLACE,
        FENCED,
        NOTICE,
        TIME_OUT,
        BREAK,
        MIGRATE,
        DOUBLE
    }

    /** Something that can happen at a side; {@code path} is -1 if it concerns no connection. */
    record Move(Kind kind, int side, int path) {
        boolean misfortune() {
            return kind.compareTo(Kind.TIME_OUT) >= 0;
        }
    }

    private static final AssociationSettings SETTINGS = new AssociationSettings(
            256, 4, Duration.ofSeconds(1), Duration.ofDays(1000), Duration.ofMillis(1), Duration.ofMillis(1));

    private final List<SurvivalPath> paths = new ArrayList<>();
    private final List<SurvivalNode> nodes;
    private final List<SurvivalWitness> witnesses;
    private int failures;
    private int doubles;
    private int timeOuts;

    /** Each side has a clock of its own, which runs while it waits. */
    private final long[] nowNs = {Long.MAX_VALUE - 1_500_000_000, 0};

    /**
     * @param requests of each side
     * @param fenced whether every second request of a side waits for earlier answers
     */
    SurvivalModel(List<List<RequestKind>> requests, boolean fenced, Addresses addresses, Budget budget, Flaw flaw) {
        failures = budget.failures();
        doubles = budget.doubles();
        timeOuts = budget.timeOuts();
        witnesses = requests.stream()
                .map(kinds -> new SurvivalWitness(kinds, flags(kinds.size(), fenced)))
                .toList();
        path(1, 0);
        nodes = List.of(node(0, addresses, flaw), node(1, addresses, flaw));
        for (int side = 0; side < 2; side++) {
            boolean[] after = flags(requests.get(side).size(), fenced);
            for (int i = 0; i < after.length; i++) {
                nodes.get(side).association.requests().post(requests.get(side).get(i), after[i]);
            }
            nodes.get(side).work();
        }
    }

    private static boolean[] flags(int count, boolean fenced) {
        boolean[] flags = new boolean[count];
        for (int i = 1; i < count; i += 2) {
            flags[i] = fenced;
        }
        return flags;
    }

    private SurvivalNode node(int side, Addresses addresses, Flaw flaw) {
        RequestLog log = new RequestLog(SETTINGS.requests(), SETTINGS.depth());
        Association<RequestLog> association = new Association<>(
                side, addresses.count(), SETTINGS, log, new ExecutionRecord(SETTINGS.depth()), () -> 0);
        return new SurvivalNode(
                side,
                association,
                new SurvivalNode.Traits(flaw, addresses.othersDead()),
                witnesses.get(side),
                witnesses.get(1 - side),
                this::path);
    }

    /** The connection of an epoch that a side has opened. */
    private SurvivalPath path(long epoch, int opener) {
        for (SurvivalPath each : paths) {
            if (each.epoch == epoch && each.opener == opener && !each.stray) {
                return each;
            }
        }
        SurvivalPath added = new SurvivalPath(epoch, opener, false);
        paths.add(added);
        return added;
    }

    /** What can happen next; nothing if all is done. */
    List<Move> moves() {
        List<Move> moves = new ArrayList<>();
        for (SurvivalNode node : nodes) {
            certain(node, moves);
        }
        boolean stuck = moves.isEmpty();
        for (SurvivalNode node : nodes) {
            AssociationState state = node.association.state();
            boolean waits = state == AssociationState.RESUMING || state == AssociationState.PAUSED;
            if (waits && (stuck || timeOuts > 0)) {
                moves.add(new Move(Kind.TIME_OUT, node.side, -1));
            }
            possible(node, moves);
        }
        return moves;
    }

    /** What happens sooner or later. */
    private void certain(SurvivalNode node, List<Move> moves) {
        for (int i = 0; i < paths.size(); i++) {
            SurvivalPath path = paths.get(i);
            if (node.canBegin(path)) {
                moves.add(new Move(Kind.DELIVER, node.side, i));
            }
            if (path.broken && !path.noticed[node.side] && concerns(node, path)) {
                moves.add(new Move(Kind.NOTICE, node.side, i));
            }
        }
        if (node.isInside()) {
            moves.add(new Move(Kind.PLACE, node.side, -1));
        }
        if (node.canFence()) {
            moves.add(new Move(Kind.FENCED, node.side, -1));
        }
    }

    private boolean concerns(SurvivalNode node, SurvivalPath path) {
        return switch (node.association.state()) {
            case CARRIED -> node.carrier().filter(path::equals).isPresent();
            case RESUMING -> path.opener == node.side && path.epoch > node.association.epoch();
            default -> false;
        };
    }

    /** What happens by misfortune, or because the application wants it. */
    private void possible(SurvivalNode node, List<Move> moves) {
        for (int i = 0; i < paths.size(); i++) {
            SurvivalPath path = paths.get(i);
            if (failures > 0 && node.side == 0 && !path.broken && matters(path)) {
                moves.add(new Move(Kind.BREAK, node.side, i));
            }
            if (doubles > 0 && !path.stray && isResume(path.to(node.side).peek())) {
                moves.add(new Move(Kind.DOUBLE, node.side, i));
            }
        }
        if (failures > 0
                && node.association.state() == AssociationState.CARRIED
                && !witnesses.get(node.side).complete()) {
            moves.add(new Move(Kind.MIGRATE, node.side, -1));
        }
    }

    private boolean matters(SurvivalPath path) {
        return path.hasPackets() || nodes.stream().anyMatch(node -> concerns(node, path));
    }

    private static boolean isResume(@Nullable Packet packet) {
        return packet instanceof Packet.Resume(ResumeMessage message) && message.type() == ResumeType.RESUME;
    }

    void apply(Move move) {
        SurvivalNode node = nodes.get(move.side());
        switch (move.kind()) {
            case DELIVER -> node.begin(paths.get(move.path()), nowNs[node.side]);
            case PLACE -> node.place();
            case FENCED -> node.fenced(nowNs[node.side]);
            case NOTICE -> notice(node, paths.get(move.path()));
            case TIME_OUT -> {
                timeOuts = Math.max(0, timeOuts - 1);
                pass(node);
            }
            case BREAK -> {
                failures--;
                paths.get(move.path()).breakOff();
            }
            case MIGRATE -> {
                failures--;
                node.association.transportEnded(node.association.epoch(), nowNs[node.side]);
                node.work();
            }
            case DOUBLE -> {
                doubles--;
                SurvivalPath from = paths.get(move.path());
                SurvivalPath stray = new SurvivalPath(from.epoch, from.opener, true);
                stray.breakOff();
                stray.noticed[from.opener] = true;
                stray.to(move.side()).add(from.to(move.side()).element());
                paths.add(stray);
            }
        }
    }

    private void notice(SurvivalNode node, SurvivalPath path) {
        path.noticed[node.side] = true;
        node.association.transportEnded(path.epoch, nowNs[node.side]);
        node.association.attemptFailed(path.epoch, nowNs[node.side]);
        node.work();
    }

    private void pass(SurvivalNode node) {
        long nextNs = node.association.nextDeadlineNs();
        nowNs[node.side] += Times.leftNs(nextNs, nowNs[node.side]);
        node.association.onDeadline(nowNs[node.side]);
        node.work();
    }

    /** Nothing more can happen. */
    void end() {
        for (SurvivalNode node : nodes) {
            if (node.association.state() != AssociationState.CARRIED) {
                throw new SurvivalWitness.Violated("side " + node.side + " is " + node.association.state());
            }
        }
        witnesses.forEach(SurvivalWitness::end);
    }

    /** The highest epoch that carried requests. */
    long epoch() {
        return Math.max(
                nodes.get(0).association.epoch(), nodes.get(1).association.epoch());
    }

    long digest() {
        long digest = Digest.mix(Digest.mix(1 + failures, doubles), timeOuts);
        for (SurvivalNode node : nodes) {
            digest = Digest.mix(digest, node.digest(nowNs[node.side]));
        }
        for (SurvivalWitness witness : witnesses) {
            digest = Digest.mix(digest, witness.digest());
        }
        long sum = 0; // in any order
        for (SurvivalPath path : paths) {
            // What nothing can arrive on and no side waits for makes no difference.
            if (matters(path)) {
                sum += path.digest();
            }
        }
        return Digest.mix(digest, sum);
    }
}
