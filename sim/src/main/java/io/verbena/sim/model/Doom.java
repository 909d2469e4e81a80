package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.WorkOpcode;
import java.util.List;
import java.util.Optional;

/**
 * A program closes a memory region during work with it. Whatever the result of the work: when the region is closed,
 * nothing accesses the memory any more, and bytes that the program writes there afterwards are not sent.
 */
final class Doom {

    private static final long MOST_NS = 300_000;

    private Doom() {}

    /** Work with a region that will soon be closed, here or at the peer; empty if it cannot be created now. */
    static Optional<Operation> make(Side side) {
        SimRandom random = side.random();
        boolean mayRead = side.queuePair().query().outboundReads() > 0;
        return switch (random.nextInt(4)) {
            case 0 -> send(side);
            case 1 -> write(side);
            case 2 -> mayRead ? readHere(side) : Optional.empty();
            default -> mayRead ? readThere(side) : Optional.empty();
        };
    }

    private static Optional<Piece> pieceOf(Side side, Domain domain) {
        Optional<Zone> zone = domain.doomed();
        return zone.flatMap(doomed -> doomed.take(side.random().size(doomed.length() - 32)));
    }

    /** Sends from a region that is closed. */
    private static Optional<Operation> send(Side side) {
        int capacity = side.peer().receives().nextCapacity();
        Optional<Piece> piece = capacity < 0 ? Optional.empty() : pieceOf(side, side.domain());
        if (piece.isEmpty() || piece.get().length() > capacity) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.SEND);
        operation.local = List.of(piece.get());
        operation.payload = side.domain().memory().content(operation.local);
        operation.message = Optional.of(new Message(Message.Kind.SEND, operation, false, 0, Optional.empty()));
        closeSoon(side, piece.get(), () -> {});
        return Optional.of(operation);
    }

    /** Writes into a region of the peer that is closed. */
    private static Optional<Operation> write(Side side) {
        Optional<Piece> there = pieceOf(side, side.peer().domain());
        Optional<List<Piece>> source = there.flatMap(piece ->
                side.domain().source().takeList(piece.length(), side.options().maxGather()));
        if (there.isEmpty() || source.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.WRITE);
        operation.uses(source.get());
        operation.payload = side.domain().memory().content(source.get());
        operation.at(there.get());
        operation.remote = Optional.empty();
        closeSoon(
                side.peer(),
                there.get(),
                () -> there.get()
                        .zone()
                        .memory()
                        .mayHaveLanded(List.of(there.get()), operation.payload, operation + ", its region is closed"));
        return Optional.of(operation);
    }

    /** Reads into a region that is closed. */
    private static Optional<Operation> readHere(Side side) {
        Optional<Piece> sink = pieceOf(side, side.domain());
        Optional<Piece> there =
                sink.flatMap(piece -> side.peer().domain().remote().take(piece.length()));
        if (there.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.READ);
        operation.local = List.of(sink.get());
        operation.at(there.get());
        operation.heldThere.add(there.get());
        operation.payload = side.peer().domain().memory().content(there.get());
        operation.forsaken = true;
        closeSoon(
                side,
                sink.get(),
                () -> side.domain()
                        .memory()
                        .mayHaveLanded(operation.local, operation.payload, operation + ", its region is closed"));
        return Optional.of(operation);
    }

    /** Reads from a region of the peer that is closed: the old bytes may be returned, the later ones never. */
    private static Optional<Operation> readThere(Side side) {
        Optional<Piece> there = pieceOf(side, side.peer().domain());
        Optional<Piece> sink = there.flatMap(piece -> side.domain().local().take(piece.length()));
        if (there.isEmpty() || sink.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.READ);
        operation.uses(List.of(sink.get()));
        operation.at(there.get());
        operation.payload = side.peer().domain().memory().content(there.get());
        closeSoon(side.peer(), there.get(), () -> {});
        return Optional.of(operation);
    }

    private static void closeSoon(Side owner, Piece piece, Runnable before) {
        Zone zone = piece.zone();
        owner.conversation().rough("a region is closed under way");
        owner.world().after(owner.random().sizeNs(MOST_NS), () -> {
            if (owner.program().dead()) {
                return;
            }
            zone.region().close();
            owner.world().log(() -> zone + " is closed");
            before.run();
            zone.memory().scribble(new Piece(zone, 0, zone.length()));
        });
    }
}
