package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One program: an RNIC, memory, completion queues, and one side of some conversations. It blocks only while closing.
 */
final class Node implements Program {

    private static final int PORT = 7000;
    private static final int FOREIGN_BYTES = 256;

    /** Shorter than the default, so that runs meet its end. */
    private static final Duration START_UP = Duration.ofSeconds(5);

    private static final int IDLE_BEFORE_SLOWER = 20;
    private static final int MOST_IDLE_STEPS = IDLE_BEFORE_SLOWER + 14;

    private final World world;
    private final VirtualHost host;
    private final SimRandom random;
    private final Listener listener;
    private final List<Domain> domains = new ArrayList<>();
    private final List<Cq> cqs = new ArrayList<>();
    private final List<Side> sides = new ArrayList<>();
    private final List<Behaviour> behaviours = new ArrayList<>();
    private final Map<Integer, Side> byNumber = new HashMap<>();
    private final Events events;
    private final Memory foreignMemory;
    private final Zone foreign;
    private final Map<Integer, Conversation> expected = new HashMap<>();
    private long receiveIds;
    private boolean stopped;
    private boolean died;
    private boolean busy;
    private int idleSteps;

    Node(World world, VirtualHost host, SimRandom random) {
        this.world = world;
        this.host = host;
        this.random = random;
        try {
            listener = host.rnic().listen(host.address(PORT), listening());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        events = new Events(this);
        foreignMemory = new Memory(world, this + "'s other domain", Memory.bytesFor(FOREIGN_BYTES), random);
        foreign = new Zone(
                foreignMemory,
                "foreign",
                FOREIGN_BYTES,
                true,
                host.rnic().allocateProtectionDomain(),
                AccessRight.values());
    }

    /** Over packets that may be lost, the first message of a peer may arrive late: see {@link SetUp}. */
    private ListenOptions listening() {
        return ListenOptions.defaults().withStartUpTimeout(world.losesPackets() ? START_UP.multipliedBy(30) : START_UP);
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public Rnic rnic() {
        return host.rnic();
    }

    @Override
    public SimRandom random() {
        return random;
    }

    @Override
    public InetSocketAddress address() {
        return host.address(PORT);
    }

    @Override
    public Zone foreign() {
        return foreign;
    }

    @Override
    public boolean dead() {
        return host.closed();
    }

    @Override
    public long nextReceiveId() {
        return ++receiveIds;
    }

    @Override
    public void fail(String sentence) {
        world.fail(this + ": " + sentence);
    }

    @Override
    public void busy() {
        busy = true;
    }

    // Objects.

    Domain newDomain(Plan plan) {
        Domain domain = new Domain(this, this + "'s domain " + domains.size(), plan.zoneBytes());
        domains.add(domain);
        return domain;
    }

    List<Domain> domains() {
        return domains;
    }

    Cq newCq(int capacity, boolean tooSmall) {
        Cq cq = new Cq(this, this::onCompletion, capacity, tooSmall, random.oneIn(2));
        cqs.add(cq);
        return cq;
    }

    List<Cq> cqs() {
        return cqs;
    }

    void add(Behaviour behaviour) {
        Side side = behaviour.side();
        behaviours.add(behaviour);
        sides.add(side);
        byNumber.put(side.queuePair().number(), side);
    }

    List<Side> sides() {
        return sides;
    }

    /** The initiator of this one will ask here. */
    void expect(Conversation conversation) {
        expected.put(conversation.id(), conversation);
    }

    // The program.

    /** Starts the program, which acts repeatedly until it is stopped. */
    void start() {
        world.after(random.sizeNs(50_000), this::step);
    }

    void stop() {
        stopped = true;
    }

    private void step() {
        if (stopped || dead()) {
            return;
        }
        busy = false;
        act();
        idleSteps = busy ? 0 : Math.min(idleSteps + 1, MOST_IDLE_STEPS);
        world.after(pauseNs(), this::step);
    }

    private long pauseNs() {
        if (world.weather().slow() && random.oneIn(10)) {
            return random.sizeNs(10_000_000);
        }
        // An idle program checks less and less often; otherwise waiting for a timeout would take too many steps.
        return 200 + (random.sizeNs(20_000) << Math.max(0, idleSteps - IDLE_BEFORE_SLOWER));
    }

    private void act() {
        for (Cq cq : cqs) {
            cq.visit(random.oneIn(3) ? 1 + random.nextInt(3) : Integer.MAX_VALUE);
        }
        answerRequests();
        for (Behaviour behaviour : behaviours) {
            if (!dead() && random.nextInt(3) > 0) {
                behaviour.act();
            }
        }
    }

    private void answerRequests() {
        Optional<ConnectionRequest> request = listener.nextRequest(Duration.ZERO);
        if (request.isEmpty()) {
            return;
        }
        byte[] said = request.get().privateData();
        Conversation conversation = said.length < 2 ? null : expected.get((int) said[0]);
        boolean known = conversation != null && conversation.initiator().setUp().says(said);
        if (!known && !world.weather().profile().breaks()) {
            fail("a request arrived with private data that was not sent");
        }
        if (conversation == null || !known || conversation.responder().over()) {
            request.get().reject(new byte[0]);
            return;
        }
        conversation.responder().setUp().onRequest(request.get());
    }

    @SuppressWarnings("ReferenceEquality") // the very same one
    void onCompletion(CompletionCursor cursor) {
        busy = true;
        world.mix(cursor.wrId());
        world.mix(cursor.status().ordinal());
        world.mix(cursor.byteCount());
        Side side = byNumber.get(cursor.queuePairNumber());
        if (side == null || !side.queuePairClosed() && side.queuePair() != cursor.queuePair()) {
            fail("a completion names queue pair " + cursor.queuePairNumber() + ", which is not its own");
            return;
        }
        side.onCompletion(cursor);
    }

    // Its end.

    /** The host dies with all its objects. */
    void die() {
        if (!dead()) {
            for (Side side : sides) {
                side.conversation().rough(this + " dies");
            }
            died = true;
            host.kill(random.oneIn(2));
        }
    }

    @Override
    public void closeRnic() {
        for (Side side : sides) {
            side.conversation().rough(this + " closes its RNIC");
        }
        rnic().close();
        drain();
        for (Side side : sides) {
            if (!side.receives().drained() || !side.sends().allReported()) {
                side.fail("the RNIC was closed, and work never completed");
            }
        }
    }

    /** Polls all available entries, unless the program has ended. */
    void drain() {
        if (died) {
            return;
        }
        for (Cq cq : cqs) {
            cq.drain();
        }
    }

    void settle(boolean hostile) {
        if (!dead()) {
            for (Domain domain : domains) {
                domain.settle(hostile);
            }
            foreignMemory.compare("at the end");
            cqs.forEach(Cq::settle);
            events.settle(cqs, sides);
        }
    }

    @Override
    public String toString() {
        return "host " + host.number();
    }
}
