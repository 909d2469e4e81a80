package io.verbena.sim.model;

import io.verbena.sim.Link;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionState;
import java.util.Optional;

/**
 * One connection of the run, both sides of it, and what may be expected of it from now on. A Terminate message arrives even if
 * packets are lost, because its sender lingers until it is acknowledged.
 */
final class Conversation {

    private final World world;
    private final int id;
    private final Side initiator;
    private final Side responder;
    private Optional<String> rough = Optional.empty();
    private boolean gentle;
    private Optional<Side> mistaken = Optional.empty();
    private Optional<Mistake> mistake = Optional.empty();
    private final boolean oldDialect;
    private final boolean peerToPeer;
    private boolean settled;

    Conversation(World world, int id, Side initiator, Side responder, boolean oldDialect, boolean peerToPeer) {
        this.oldDialect = oldDialect;
        this.peerToPeer = peerToPeer;
        this.world = world;
        this.id = id;
        this.initiator = initiator;
        this.responder = responder;
    }

    Side initiator() {
        return initiator;
    }

    Side responder() {
        return responder;
    }

    int id() {
        return id;
    }

    /** Whether it is set up by MPA revision 1, without negotiation of Reads. */
    boolean oldDialect() {
        return oldDialect;
    }

    boolean peerToPeer() {
        return peerToPeer;
    }

    boolean hostile() {
        return world.weather().profile() == Profile.HOSTILE;
    }

    /** Something abrupt happens to the connection: from now on any work may fail. */
    void rough(String why) {
        if (rough.isEmpty()) {
            rough = Optional.of(why);
            world.log(() -> this + ": " + why);
        }
    }

    /** A side closes gracefully: work posted before completes, with the exceptions described at {@link Sends}. */
    void gentle(Side by) {
        world.log(() -> this + ": " + by + " closes");
        if (!gentle) {
            gentle = true;
            initiator.sends().closingBegins();
            responder.sends().closingBegins();
        }
        by.peer().sends().peerCloses();
    }

    boolean closing() {
        return gentle;
    }

    /** A side is about to make a mistake. */
    void mistake(Side by, Mistake committed) {
        mistaken = Optional.of(by);
        mistake = Optional.of(committed);
        world.log(() -> this + ": " + by + " makes a mistake: " + committed);
    }

    /** Why any work of it may fail; empty while none may. */
    Optional<String> excuse() {
        if (rough.isPresent()) {
            return rough;
        }
        if (mistake.isPresent()) {
            return Optional.of("a mistake was made");
        }
        if (overflowed()) {
            return Optional.of("a completion queue overflowed");
        }
        if (hostile()) {
            return Optional.of("garbage");
        }
        Optional<Link> link = link();
        if (link.isPresent()) {
            return link.get().fault();
        }
        return world.weather().profile() == Profile.KILLED ? Optional.of("perhaps it was refused") : Optional.empty();
    }

    private boolean overflowed() {
        return initiator.overflowed() || responder.overflowed();
    }

    /** Whether all work must succeed, except work that a graceful close may leave undone. */
    boolean strict() {
        return excuse().isEmpty();
    }

    private Optional<Link> link() {
        return initiator
                .connection()
                .flatMap(connection -> world.links().stream()
                        .filter(link -> link.initiatorAddress().equals(connection.localAddress()))
                        .findFirst());
    }

    /** The first send of a side that failed with a status other than FLUSHED. */
    void onError(Side side, Operation operation, CompletionStatus status) {
        if (rough.isPresent()
                || mistake.isEmpty()
                || gentle
                || overflowed()
                || link().flatMap(Link::fault).isPresent()) {
            return;
        }
        Mistake committed = mistake.get();
        if (side == mistaken.orElseThrow()) {
            if (status != committed.status()) {
                side.fail(
                        committed + " made " + operation + " complete " + status + " instead of " + committed.status());
            }
            if (committed.foundHere() && operation.mistake.isEmpty()) {
                side.fail(committed + " was blamed on " + operation);
            }
        } else {
            CompletionStatus expected =
                    committed.foundHere() ? CompletionStatus.REMOTE_OPERATION : CompletionStatus.PROTOCOL;
            if (status != expected) {
                side.fail(committed + " of the peer made " + operation + " complete " + status + " instead of "
                        + expected);
            }
        }
    }

    /** Whether there is nothing left to do but to close. */
    boolean quiet() {
        return initiator.quiet() && responder.quiet();
    }

    boolean over() {
        return initiator.over() && responder.over();
    }

    /** Both sides have ended: checks how, and the final state. */
    void settle() {
        if (settled) {
            return;
        }
        settled = true;
        checkEnd(initiator);
        checkEnd(responder);
        initiator.settle();
        responder.settle();
    }

    private void checkEnd(Side side) {
        if (side.program().dead() || side.connection().isEmpty()) {
            return;
        }
        ConnectionState state = side.connection().get().state();
        String reason = side.connection().get().reason();
        if (state.ended() && reason.isBlank()) {
            side.fail("it ended " + state + " without a reason");
        }
        if (reason.contains("internal error")) {
            side.fail("a bug: " + reason);
        }
        if (rough.isEmpty()
                && mistake.isEmpty()
                && strict()
                && state == ConnectionState.FAILED
                && !side.mayLoseReads()) {
            side.fail("it was closed gracefully and FAILED: " + reason);
        }
        if (mistake.isPresent()
                && rough.isEmpty()
                && !gentle
                && !overflowed()
                && link().flatMap(Link::fault).isEmpty()) {
            checkBlame(side, reason, mistake.get());
        }
    }

    private void checkBlame(Side side, String reason, Mistake committed) {
        boolean blamed = side == mistaken.orElseThrow();
        boolean finder = blamed == committed.foundHere();
        String begin = finder ? "We ended the connection" : "The peer ended the connection";
        if (!reason.startsWith(begin)
                || !finder && !reason.contains(committed.code().sentence())) {
            side.fail(committed + (blamed ? "" : " of the peer") + ": the reason is '" + reason + "'");
        }
    }

    @Override
    public String toString() {
        return "connection " + id;
    }
}
