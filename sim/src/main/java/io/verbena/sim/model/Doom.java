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
        Operation made = new Operation(WorkOpcode.SEND);
        made.local = List.of(piece.get());
        made.payload = side.domain().memory().content(made.local);
        made.message = Optional.of(new Message(Message.Kind.SEND, made, false, 0, Optional.empty()));
        closeSoon(side, piece.get(), () -> {});
        return Optional.of(made);
    }

    /** Writes into a region of the peer that is closed. */
    private static Optional<Operation> write(Side side) {
        Optional<Piece> there = pieceOf(side, side.peer().domain());
        Optional<List<Piece>> source = there.flatMap(piece ->
                side.domain().source().takeList(piece.length(), side.options().maxGather()));
        if (there.isEmpty() || source.isEmpty()) {
            return Optional.empty();
        }
        Operation made = new Operation(WorkOpcode.WRITE);
        made.uses(source.get());
        made.payload = side.domain().memory().content(source.get());
        made.at(there.get());
        made.remote = Optional.empty();
        closeSoon(
                side.peer(),
                there.get(),
                () -> there.get()
                        .zone()
                        .memory()
                        .mayHaveLanded(List.of(there.get()), made.payload, made + ", its region is closed"));
        return Optional.of(made);
    }

    /** Reads into a region that is closed. */
    private static Optional<Operation> readHere(Side side) {
        Optional<Piece> sink = pieceOf(side, side.domain());
        Optional<Piece> there =
                sink.flatMap(piece -> side.peer().domain().remote().take(piece.length()));
        if (there.isEmpty()) {
            return Optional.empty();
        }
        Operation made = new Operation(WorkOpcode.READ);
        made.local = List.of(sink.get());
        made.at(there.get());
        made.heldThere.add(there.get());
        made.payload = side.peer().domain().memory().content(there.get());
        made.forsaken = true;
        closeSoon(
                side,
                sink.get(),
                () -> side.domain().memory().mayHaveLanded(made.local, made.payload, made + ", its region is closed"));
        return Optional.of(made);
    }

    /** Reads from a region of the peer that is closed: the old bytes may be returned, the later ones never. */
    private static Optional<Operation> readThere(Side side) {
        Optional<Piece> there = pieceOf(side, side.peer().domain());
        Optional<Piece> sink = there.flatMap(piece -> side.domain().local().take(piece.length()));
        if (there.isEmpty() || sink.isEmpty()) {
            return Optional.empty();
        }
        Operation made = new Operation(WorkOpcode.READ);
        made.uses(List.of(sink.get()));
        made.at(there.get());
        made.payload = side.peer().domain().memory().content(there.get());
        closeSoon(side.peer(), there.get(), () -> {});
        return Optional.of(made);
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
