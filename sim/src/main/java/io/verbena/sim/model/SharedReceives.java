package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shared receive queue: all receives have the same size, because the queue pair that uses each one is not known in
 * advance.
 */
final class SharedReceives implements ReceiveSource {

    /** The end of a connection that receives here. */
    interface User {

        /** Whether it was connected and has ended, or will never be connected. */
        boolean over();

        /** Messages that were sent to it and have not been received. */
        int messagesUnderWay();
    }

    private final Program program;
    private final Domain domain;
    private final Cq cq;
    private final Cq.Share room;
    private final SimRandom random;
    private final SharedReceiveQueue verbs;
    private final WorkRequest template;
    private final int depth;
    private final int maxScatter;
    private final int capacity;
    private final List<User> users = new ArrayList<>();
    private final List<Receive> posted = new ArrayList<>();

    SharedReceives(Program program, Domain domain, Cq cq, SimRandom random, int mostBytes) {
        this.program = program;
        this.domain = domain;
        this.cq = cq;
        this.room = cq.newShare();
        this.random = random;
        this.depth = random.between(6, 24);
        this.maxScatter = random.between(1, 3);
        this.capacity = random.size(Math.min(mostBytes, domain.inbox().length() / (2 * depth)));
        this.verbs = domain.verbs().createSharedReceiveQueue(new SharedReceiveQueueOptions(depth, maxScatter));
        this.template = verbs.newWorkRequest();
    }

    SharedReceiveQueue verbs() {
        return verbs;
    }

    /** The one CQ on which all users receive. */
    Cq cq() {
        return cq;
    }

    Cq.Share room() {
        return room;
    }

    void use(User user) {
        users.add(user);
    }

    @Override
    public void fill() {
        for (int i = random.between(1, 6); i > 0 && post(); i--) {}
    }

    private boolean post() {
        if (!room.room() || posted.size() >= depth) {
            return false;
        }
        Optional<List<Piece>> pieces = domain.inbox().takeList(capacity, maxScatter);
        if (pieces.isEmpty()) {
            return false;
        }
        Receive receive = new Receive(program.nextReceiveId(), pieces.get());
        template.receive().id(receive.wrId());
        for (Piece piece : receive.pieces()) {
            template.scatter(piece.zone().region(), piece.offset(), piece.length());
        }
        if (!verbs.post(template)) {
            program.fail("a shared receive was refused, though only " + posted.size() + " of " + depth + " are posted");
        }
        posted.add(receive);
        room.reserve();
        return true;
    }

    @Override
    public int nextCapacity() {
        int taken = 0;
        for (User user : users) {
            // A queue pair that has ended may have used a receive whose completion is not reported yet.
            boolean allReported = user.over() && cq.verbs().size() == 0;
            taken += allReported ? 1 : user.messagesUnderWay();
        }
        return posted.size() > taken ? capacity : -1;
    }

    @Override
    public Receive take(long wrId) {
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).wrId() == wrId) {
                if (i > mostOvertaken()) {
                    program.fail("shared receive " + wrId + " completed before " + i + " older ones, of " + users.size()
                            + " queue pairs");
                }
                return posted.remove(i);
            }
        }
        program.fail("shared receive " + wrId + " completed and was not posted, or twice");
        throw new AssertionError();
    }

    /** A queue pair holds one receive of a message in progress; over segments, one of each message after a hole. */
    private int mostOvertaken() {
        return program.world().placesAfterHoles() ? depth : users.size();
    }

    @Override
    public boolean drained() {
        return true;
    }
}
