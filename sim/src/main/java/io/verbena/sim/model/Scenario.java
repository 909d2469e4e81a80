package io.verbena.sim.model;

import io.verbena.sim.Profile;
import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.QueuePairOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** One run: creates programs and connections, lets them work, ends them, and checks the final state. */
final class Scenario {

    private static final long SECOND = 1_000_000_000;

    /** Everything completes or fails within this virtual time. */
    private static final long BOUND_NS = 90 * SECOND;

    /** Time for all waiting operations after the last fault. */
    private static final long END_BOUND_NS = 60 * SECOND;

    private final World world;
    private final SimRandom random;
    private final Profile profile;
    private final Plan plan;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Conversation> conversations = new ArrayList<>();
    private final Map<Side, Behaviour> behaviours = new HashMap<>();

    Scenario(World world) {
        this.world = world;
        this.random = world.random();
        this.profile = world.weather().profile();
        this.plan = Plan.of(world);
    }

    void run() {
        build();
        nodes.forEach(Node::start);
        planTrouble();
        work();
        part();
        cleanUp();
    }

    /** Pieces of work that were posted. */
    long operations() {
        long sum = 0;
        for (Node node : nodes) {
            for (Side side : node.sides()) {
                sum += side.sends().posted();
            }
        }
        return sum;
    }

    // Building.

    private void build() {
        world.log(() -> profile + ": " + plan);
        for (int i = 0; i < plan.nodes(); i++) {
            var options = Plan.rnic(world);
            world.log(() -> "RNIC: " + options);
            nodes.add(new Node(world, world.addHost(options), random.fork(i)));
        }
        for (int i = 0; i < plan.conversations(); i++) {
            addConversation(i);
        }
    }

    private void addConversation(int id) {
        Node from = random.pick(nodes);
        // Occasionally a connection to the same program.
        Node to = random.pick(nodes);
        boolean oldDialect = random.oneIn(6);
        Domain here = domainOf(from);
        Domain there = domainOf(to);
        int firstReads = random.oneIn(6) ? 0 : random.between(1, 8);
        int secondReads = random.oneIn(6) ? 0 : random.between(1, 8);
        Side initiator = newSide(from, here, firstReads, secondReads);
        // Revision 1 does not negotiate Reads: the programs agree beforehand. Revision 2 negotiates.
        Side responder = oldDialect
                ? newSide(to, there, secondReads, firstReads)
                : newSide(to, there, random.nextInt(9), random.nextInt(9));
        Conversation conversation =
                new Conversation(world, id, initiator, responder, oldDialect, !oldDialect && !random.oneIn(3));
        initiator.meet(conversation, responder);
        responder.meet(conversation, initiator);
        to.expect(conversation);
        conversations.add(conversation);
    }

    private Domain domainOf(Node node) {
        if (!node.domains().isEmpty() && random.oneIn(2)) {
            return random.pick(node.domains());
        }
        return node.newDomain(plan);
    }

    private Side newSide(Node node, Domain domain, int inboundReads, int outboundReads) {
        // Occasionally a program with a CQ that is too small: only the connection may be lost.
        boolean tooSmall = profile == Profile.MISUSE && random.oneIn(12);
        Cq sendCq = tooSmall ? node.newCq(random.between(1, 3), true) : cqOf(node);
        Cq receiveCq = tooSmall || random.oneIn(2) ? sendCq : cqOf(node);
        Optional<SharedReceives> shared = Optional.empty();
        if (!tooSmall && random.oneIn(3)) {
            if (domain.shared().isEmpty()) {
                domain.shared(new SharedReceives(node, domain, receiveCq, random, plan.mostBytes()));
            }
            shared = domain.shared();
            receiveCq = domain.shared().get().cq();
        }
        QueuePairOptions options = QueuePairOptions.of(sendCq.verbs(), receiveCq.verbs())
                .withDepths(random.between(1, 20), random.between(1, 20))
                .withElements(random.between(1, 4), random.between(1, 4))
                .withMaxInlineBytes(random.pick(0, 16, 64, 200))
                .withSignalAll(random.oneIn(5))
                .withReads(inboundReads, outboundReads);
        if (shared.isPresent()) {
            options = options.withSharedReceiveQueue(shared.get().verbs());
        }
        Side side = new Side(node, domain, plan, sendCq, receiveCq, options);
        Behaviour behaviour = new Behaviour(side);
        behaviours.put(side, behaviour);
        node.add(behaviour);
        return side;
    }

    private Cq cqOf(Node node) {
        if (!node.cqs().isEmpty() && random.oneIn(2)) {
            Cq cq = random.pick(node.cqs());
            if (cq.mayBeShared()) {
                return cq;
            }
        }
        return node.newCq(random.between(4, 100), false);
    }

    // Trouble.

    private void planTrouble() {
        for (Conversation conversation : conversations) {
            Side one = random.oneIn(2) ? conversation.initiator() : conversation.responder();
            if (profile == Profile.CLOSING && !random.oneIn(4)) {
                Farewell manner = random.pick(List.of(Farewell.values()));
                one.farewell(manner == Farewell.CLOSE_RNIC && !random.oneIn(3) ? Farewell.DISCONNECT : manner);
            }
            if (profile == Profile.MISUSE && !random.oneIn(4)) {
                if (random.oneIn(6)) {
                    workloadOf(one).doom();
                } else {
                    workloadOf(one).mistake(random.pick(List.of(Mistake.values())));
                }
            }
        }
        if (profile == Profile.KILLED && random.oneIn(3)) {
            Node victim = random.pick(nodes);
            world.after(random.sizeNs(20_000_000), victim::die);
        }
    }

    private Workload workloadOf(Side side) {
        return Objects.requireNonNull(behaviours.get(side)).workload();
    }

    // Working.

    private void work() {
        if (world.runUntil(this::allQuiet, BOUND_NS)) {
            return;
        }
        for (Conversation conversation : conversations) {
            if (!conversation.quiet()) {
                if (conversation.strict()) {
                    world.fail("after " + BOUND_NS / SECOND + " s of virtual time " + describe(conversation));
                }
                giveUp(conversation);
            }
        }
    }

    private boolean allQuiet() {
        for (Conversation conversation : conversations) {
            if (!conversation.quiet()) {
                return false;
            }
        }
        return true;
    }

    /** A connection that was damaged and is still established: its programs end it. */
    private void giveUp(Conversation conversation) {
        conversation.rough("the programs lose patience");
        for (Side side : List.of(conversation.initiator(), conversation.responder())) {
            if (!side.program().dead()) {
                side.closeQueuePair();
                side.setUp().giveUp();
            }
        }
    }

    private String describe(Conversation conversation) {
        StringBuilder out = new StringBuilder(conversation + " is not done:");
        for (Side side : List.of(conversation.initiator(), conversation.responder())) {
            out.append("\n    ")
                    .append(side)
                    .append(" (")
                    .append(side.connection().map(Object::toString).orElse("not connected"))
                    .append(", ")
                    .append(side.queuePair().state())
                    .append(") has posted ")
                    .append(side.sends().posted())
                    .append(" of ")
                    .append(side.task().quota())
                    .append(", pending ")
                    .append(side.pending())
                    .append(", messages under way ")
                    .append(side.sends().messagesUnderWay())
                    .append(", slots in use ")
                    .append(side.queuePair().query().sendOutstanding());
        }
        return out.toString();
    }

    // Parting.

    private void part() {
        for (Conversation conversation : conversations) {
            for (Side side : List.of(conversation.initiator(), conversation.responder())) {
                boolean speaks = side.initiates() ? !random.oneIn(3) : random.oneIn(3);
                if (side.setUp().open() && !side.program().dead() && (speaks || !side.initiates())) {
                    Farewell.DISCONNECT.say(side);
                }
            }
        }
        boolean ended = world.runUntil(this::allOver, END_BOUND_NS);
        for (Conversation conversation : conversations) {
            if (!ended && !(conversation.over() && conversation.quiet())) {
                if (conversation.strict()) {
                    world.fail("closing takes longer than " + END_BOUND_NS / SECOND + " s: " + describe(conversation));
                }
                giveUp(conversation);
            }
        }
        nodes.forEach(Node::stop);
        for (Conversation conversation : conversations) {
            for (Side side : List.of(conversation.initiator(), conversation.responder())) {
                if (!side.program().dead() && (!side.setUp().stood() || random.oneIn(3))) {
                    side.closeQueuePair();
                }
            }
        }
        world.runFor(SECOND);
        nodes.forEach(Node::drain);
        conversations.forEach(Conversation::settle);
        nodes.forEach(node -> node.settle(profile == Profile.HOSTILE));
    }

    private boolean allOver() {
        for (Conversation conversation : conversations) {
            if (!conversation.over() || !conversation.quiet()) {
                return false;
            }
        }
        return true;
    }

    // Cleaning up.

    private void cleanUp() {
        // Lingering streams have their time; then no unused stream may be open.
        world.runFor(2 * END_BOUND_NS);
        if (world.openStreams() > 0) {
            world.fail(world.openStreams() + " ends of connections were never closed: "
                    + world.links().stream().filter(link -> link.openEnds() > 0).toList());
        }
        world.close();
        if (!world.runUntilQuiet(10 * END_BOUND_NS)) {
            world.fail("events continue although all RNICs are closed");
        }
        if (world.openStreams() > 0) {
            world.fail(world.openStreams() + " ends of connections are open although all RNICs are closed");
        }
        nodes.forEach(Node::drain);
    }
}
