package io.verbena.survival;

import io.verbena.base.Digest;
import io.verbena.survival.SurvivalPath.Packet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * One side of the model: the owner of an association, and an engine that executes one packet at a time, in two steps.
 */
final class SurvivalNode {

    /** A packet whose execution has begun: the queue pair was checked, and nothing is placed yet. */
    record Inside(SurvivalPath path, Packet packet) {}

    /**
     * What makes a node differ from a good one among good addresses.
     *
     * @param othersDead whether only the first address leads to the peer
     */
    record Traits(Flaw flaw, boolean othersDead) {}

    final int side;
    final Association<RequestLog> association;
    private final Flaw flaw;
    private final SurvivalWitness own;
    private final SurvivalWitness peers;

    /** Finds the connection of an epoch that a side has opened. */
    private final BiFunction<Long, Integer, SurvivalPath> paths;

    /** The connection whose packets are executed. */
    private final List<SurvivalPath> open = new ArrayList<>();

    /** Connections that left the fence open, in nodes with a flaw. */
    private final List<SurvivalPath> unfenced = new ArrayList<>();

    /** By epoch: the connections on which a RESUME arrived. */
    private final Map<Long, SurvivalPath> accepted = new HashMap<>();

    private Optional<SurvivalPath> carrier;
    private Optional<Inside> inside = Optional.empty();
    private boolean fencing;

    /** Whether only the first address leads to the peer. */
    private final boolean othersDead;

    SurvivalNode(
            int side,
            Association<RequestLog> association,
            Traits traits,
            SurvivalWitness own,
            SurvivalWitness peers,
            BiFunction<Long, Integer, SurvivalPath> paths) {
        this.side = side;
        this.association = association;
        flaw = traits.flaw();
        othersDead = traits.othersDead();
        this.own = own;
        this.peers = peers;
        this.paths = paths;
        SurvivalPath first = paths.apply(1L, 0);
        carrier = Optional.of(first);
        open.add(first);
    }

    Optional<SurvivalPath> carrier() {
        return carrier;
    }

    boolean fencing() {
        return fencing;
    }

    boolean isInside() {
        return inside.isPresent();
    }

    /** Whether the engine can begin with the next packet of a connection. */
    boolean canBegin(SurvivalPath path) {
        Packet first = path.to(side).peek();
        if (first == null) {
            return false;
        }
        return first instanceof Packet.Resume || inside.isEmpty() && (open.contains(path) || passes(path, first));
    }

    /** Whether a flaw lets a packet through the fence. */
    private boolean passes(SurvivalPath path, Packet packet) {
        return unfenced.contains(path)
                && (flaw == Flaw.NO_FENCE && packet instanceof Packet.Request
                        || flaw == Flaw.NO_FENCE_OF_REQUESTER && packet instanceof Packet.Answer);
    }

    void begin(SurvivalPath path, long nowNs) {
        Packet packet = path.to(side).remove();
        if (packet instanceof Packet.Resume(ResumeMessage message)) {
            if (message.type() == ResumeType.RESUME) {
                accepted.put(message.epoch(), path);
            }
            association.arrived(seen(message), nowNs);
        } else {
            inside = Optional.of(new Inside(path, packet));
        }
        work();
    }

    private ResumeMessage seen(ResumeMessage message) {
        ResumePoint progress = message.progress();
        return flaw == Flaw.ACKNOWLEDGED_FOR_EXECUTED
                ? new ResumeMessage(
                        message.type(),
                        message.side(),
                        message.epoch(),
                        new ResumePoint(
                                progress.completed(), association.requests().executed(), progress.results()))
                : message;
    }

    /** The second step: places and counts. */
    void place() {
        Inside now = inside.orElseThrow();
        inside = Optional.empty();
        if (now.packet() instanceof Packet.Request(long number, RequestKind kind)) {
            long original = peers.execute(number, kind);
            ExecutionRecord record = association.executions();
            if (flaw == Flaw.NONE && record.next() != number) {
                throw new SurvivalWitness.Violated("request " + number + " is counted as " + record.next());
            }
            if (!record.executed(kind, original)) {
                throw new SurvivalWitness.Violated("the responder refuses request " + number);
            }
            now.path().to(1 - side).add(new Packet.Answer(number, kind, original));
        } else if (now.packet() instanceof Packet.Answer(long number, RequestKind kind, long original)) {
            if (kind.answered()) {
                own.arrive(number);
            }
            long done = association.requests().done();
            if (flaw == Flaw.NONE && done != number) {
                throw new SurvivalWitness.Violated("the answer of " + number + " completes " + done);
            }
            take(number, original);
        }
        work();
    }

    private void take(long number, long original) {
        RequestLog log = association.requests();
        for (long next = log.take(); next != RequestLog.NONE; next = log.take()) {
            own.complete(next, next == number && !log.wasRecovered(next) ? original : log.recovered(next));
        }
    }

    boolean canFence() {
        return fencing && (inside.isEmpty() || flaw == Flaw.COUNTED_BEFORE_FENCE);
    }

    void fenced(long nowNs) {
        fencing = false;
        if (!isUnfenced()) {
            carrier.ifPresent(path -> path.purge(side));
        }
        association.fenced(nowNs);
        work();
    }

    /**
     * Does the steps of the association, then sends what can be sent: what is not sent differs in nothing from what
     * is lost.
     */
    void work() {
        for (Optional<AssociationStep> step = association.poll(); step.isPresent(); step = association.poll()) {
            perform(step.orElseThrow());
        }
        if (association.state() != AssociationState.CARRIED || fencing) {
            return;
        }
        RequestLog log = association.requests();
        long repeatedUpTo = log.executed();
        for (long number = log.send(); number != RequestLog.NONE; number = log.send()) {
            if (flaw == Flaw.READS_COUNT_WHEN_EXECUTED && number <= repeatedUpTo) {
                log.done();
                take(RequestLog.NONE, 0);
            } else {
                carrier.orElseThrow().to(1 - side).add(new Packet.Request(number, log.kind(number)));
            }
        }
    }

    private void perform(AssociationStep step) {
        switch (step) {
            case AssociationStep.Fence(long epoch) -> fence(epoch);
            case AssociationStep.Offer(int address, ResumeMessage resume) -> {
                SurvivalPath path = paths.apply(resume.epoch(), side);
                if (address > 0 && othersDead) {
                    path.breakOff();
                } else {
                    path.to(1 - side).add(new Packet.Resume(resume));
                }
            }
            case AssociationStep.Abandon(long epoch) -> leave(paths.apply(epoch, side));
            case AssociationStep.Answer(long to, ResumeMessage message) -> {
                SurvivalPath path = Objects.requireNonNull(accepted.get(to));
                path.to(1 - side).add(new Packet.Resume(message));
                if (message.type() == ResumeType.STALE
                        && carrier.filter(path::equals).isEmpty()) {
                    leave(path);
                } else if (message.type() == ResumeType.RESUMED) {
                    carrier = Optional.of(path);
                }
            }
            case AssociationStep.Carry(long epoch) -> carry(epoch);
            case AssociationStep.Fail(LostReason reason) -> throw new SurvivalWitness.Violated("lost: " + reason);
        }
    }

    private void fence(long epoch) {
        fencing = true;
        SurvivalPath path = carrier.filter(each -> each.epoch == epoch).orElseThrow();
        path.breakOff();
        if (isUnfenced()) {
            unfenced.addAll(open);
        }
        // The queue pair is in the error state: the engine begins with no other packet of it.
        open.clear();
    }

    private boolean isUnfenced() {
        return flaw == Flaw.NO_FENCE || flaw == Flaw.NO_FENCE_OF_REQUESTER;
    }

    private void leave(SurvivalPath path) {
        path.breakOff();
        path.purge(side);
        path.noticed[side] = true;
    }

    private void carry(long epoch) {
        SurvivalPath path = carrier.filter(each -> each.epoch == epoch).orElseGet(() -> paths.apply(epoch, side));
        carrier = Optional.of(path);
        open.add(path);
        take(RequestLog.NONE, 0);
    }

    long digest(long nowNs) {
        long digest = Digest.mix(association.stateDigest(nowNs), Digest.flags(fencing, inside.isPresent()));
        for (SurvivalPath path : open) {
            digest = Digest.mix(digest, path.epoch);
        }
        return Digest.mix(
                digest,
                inside.map(each -> SurvivalPath.digest(each.packet()) + each.path().epoch)
                        .orElse(0L));
    }
}
