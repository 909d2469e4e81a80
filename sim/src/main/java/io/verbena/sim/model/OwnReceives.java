package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The receive queue of one queue pair. The n-th message uses the n-th receive. */
final class OwnReceives implements ReceiveSource {

    private static final int MOST_AT_ONCE = 4;

    private final Side side;
    private final SimRandom random;
    private final Deque<Receive> posted = new ArrayDeque<>();
    private final WorkRequest template;
    private int everPosted;

    OwnReceives(Side side) {
        this.side = side;
        this.random = side.random();
        this.template = side.queuePair().newWorkRequest();
    }

    @Override
    public void fill() {
        for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0 && post(); i--) {}
    }

    /** Posts a receive; returns false if there is no free slot or memory. */
    boolean post() {
        int depth = side.options().receiveDepth();
        Optional<List<Piece>> pieces = newPieces();
        if (pieces.isEmpty() || !side.receiveRoom().room()) {
            pieces.ifPresent(Zone::giveAll);
            return false;
        }
        Receive receive = new Receive(side.program().nextReceiveId(), pieces.get());
        int inUse = side.queuePair().query().receiveOutstanding();
        boolean taken = submit(receive);
        if (taken != inUse < depth) {
            side.fail(
                    "with " + inUse + " of " + depth + " slots in use a receive was " + (taken ? "taken" : "refused"));
        }
        if (!taken) {
            Zone.giveAll(receive.pieces());
            return false;
        }
        everPosted++;
        posted.add(receive);
        side.receiveRoom().reserve();
        return true;
    }

    int everPosted() {
        return everPosted;
    }

    private Optional<List<Piece>> newPieces() {
        Zone inbox = side.domain().inbox();
        int share = inbox.length() / Math.max(1, side.domain().users());
        int ownBytes = 0;
        for (Receive each : posted) {
            ownBytes += each.capacity();
        }
        int most = Math.min(side.plan().mostBytes(), share - ownBytes);
        return most < 0
                ? Optional.empty()
                : inbox.takeList(random.size(most), side.options().maxScatter());
    }

    private boolean submit(Receive receive) {
        QueuePair queuePair = side.queuePair();
        if (receive.pieces().size() == 1 && random.oneIn(2)) {
            Piece piece = receive.pieces().getFirst();
            return queuePair.postReceive(receive.wrId(), piece.zone().region(), piece.offset(), piece.length());
        }
        template.receive().id(receive.wrId());
        for (Piece piece : receive.pieces()) {
            template.scatter(piece.zone().region(), piece.offset(), piece.length());
        }
        return queuePair.post(template);
    }

    @Override
    public int nextCapacity() {
        int index = side.messagesUnderWay();
        if (index >= posted.size()) {
            return -1;
        }
        return new ArrayList<>(posted).get(index).capacity();
    }

    @Override
    public Receive take(long wrId) {
        Receive receive = posted.poll();
        if (receive == null || receive.wrId() != wrId) {
            side.fail("receive " + wrId + " completed, and it was the turn of " + receive);
            throw new AssertionError();
        }
        return receive;
    }

    @Override
    public boolean drained() {
        return posted.isEmpty();
    }
}
