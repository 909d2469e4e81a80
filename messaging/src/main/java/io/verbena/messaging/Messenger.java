package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelListener;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.channel.Endpoint;
import io.verbena.messaging.channel.RankHost;
import io.verbena.messaging.protocol.AbandonedCollectives;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Offer;
import io.verbena.messaging.ring.PostingBatch;
import io.verbena.messaging.transfer.Awaited;
import io.verbena.messaging.transfer.Eager;
import io.verbena.messaging.transfer.Guard;
import io.verbena.messaging.transfer.Mailbox;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Outbox;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.RemoteAccesses;
import io.verbena.messaging.transfer.Rendezvous;
import io.verbena.messaging.transfer.ToSelf;
import io.verbena.messaging.transfer.Unexpected;
import io.verbena.verbs.Rnic;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

// Over 500 lines: the calls of a program, the elements of channels and the events of connections meet here, and each is
// handed to the class
// that does the work.
/**
 * Messages between ranks over channels, {@link Eager} or by {@link Rendezvous}, matched by source, tag and context. Connections are made on
 * first use.
 */
final class Messenger implements ChannelListener, CollectiveHost, Membership.Listener {

    static final String ALL_GONE =
            "All other ranks are gone, or close their communicators: no message can arrive any more.";

    private static final int MAX_SPARE_OPERATIONS = 256;

    /** Minimum share of each other rank of the bytes kept for unexpected messages. */
    private static final long MIN_WINDOW_BYTES = 256 << 10;

    private final int rank;
    private final Endpoint endpoint;
    private final Peer[] peers;
    private final Outbox outbox = new Outbox();
    private final Failures failures;
    private final Mailbox mailbox = new Mailbox();
    private final Eager eager = new Eager(mailbox, outbox);
    private final Rendezvous rendezvous;
    private final RemoteAccesses accesses = new RemoteAccesses(outbox);
    private final Membership members;
    private final Waiter waiter;
    private final ToSelf toSelf;
    private final CollectiveEngines engines;
    private final AbandonedCollectives abandoned = new AbandonedCollectives();
    private final Unexpected announced = new Unexpected();
    private final ArrayDeque<MessageRequest> spareOperations = new ArrayDeque<>();
    private final Consumer<Peer> pump =
            this::pump; // one object: a method reference in progress() would be one for each round
    private boolean copiesLeft; // messages whose turn to be copied for their peers comes in the next round
    private Guard guard = Guard.NONE;
    private int rendezvousThresholdBytes;

    Messenger(int rank, int size, Rnic rnic, MessagingOptions options, LongSupplier clock, RandomGenerator random) {
        this.rank = rank;
        failures = new Failures(size);
        rendezvous = new Rendezvous(options.rendezvous() == RendezvousMode.READ, outbox, failures::died);
        endpoint = new Endpoint(rnic, options.channel(), this, clock, random);
        if (options.rnic().iwarp().direct()) {
            endpoint.allowDirect();
        }
        peers = new Peer[size];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Peer(i, windowBytes(options.maxUnexpectedBytes(), size), options.maxUnexpectedRequests());
        }
        members = new Membership(rank, peers, options, clock, outbox, failures);
        members.start(endpoint, this);
        waiter = new Waiter(this, rnic, options, clock);
        toSelf = new ToSelf(rank, mailbox);
        engines = new CollectiveEngines(this, members, failures, outbox);
        rendezvousThresholdBytes = options.rendezvousThresholdBytes();
    }

    private static long windowBytes(long all, int size) {
        return Math.max(all / Math.max(1, size - 1), Math.min(all, MIN_WINDOW_BYTES));
    }

    /** Waits are pauses of this host from now on. */
    void host(RankHost host) {
        waiter.host(host);
        endpoint.host(host);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Membership members() {
        return members;
    }

    Failures failures() {
        return failures;
    }

    @Override
    public Guard guard() {
        return guard;
    }

    /** Sets the guard; before a second thread enters. */
    void guard(Guard value) {
        guard = value;
    }

    int rendezvousThresholdBytes() {
        return rendezvousThresholdBytes;
    }

    /** Longer messages are transferred from user memory to user memory, from the next message on. */
    void rendezvousThresholdBytes(int bytes) {
        rendezvousThresholdBytes = bytes;
    }

    RemoteAccesses accesses() {
        return accesses;
    }

    CollectiveEngines engines() {
        return engines;
    }

    @Override
    public @Nullable Unexpected first(Predicate<Unexpected> which) {
        return mailbox.first(which);
    }

    @Override
    public Waiter waiter() {
        return waiter;
    }

    @Override
    public Peer peer(int other) {
        return peers[other];
    }

    // Operations.

    @Override
    public MessageRequest operation() {
        MessageRequest spare = spareOperations.pollLast();
        return spare == null ? new MessageRequest(this) : spare;
    }

    @Override
    public void recycle(MessageRequest operation) {
        if (spareOperations.size() < MAX_SPARE_OPERATIONS) {
            operation.buffer = MemorySegment.NULL;
            spareOperations.addLast(operation);
        }
    }

    @Override
    public boolean sendNow(MemorySegment buffer, long offset, long length, int dest, int tag, int context) {
        if (dest == rank) {
            toSelf.send(buffer, offset, length, tag, context);
            return true;
        }
        Peer peer = peers[dest];
        Channel channel = peer.channel;
        if (channel == null || length > rendezvousThresholdBytes || !peer.sends.isEmpty()) {
            return false;
        }
        return Eager.send(peer, channel, buffer, offset, (int) length, tag, context) == Offer.SEND;
    }

    @Override
    public void send(Operation operation) {
        if (operation.peer == rank) {
            toSelf.start(operation, operation.synchronous() ? ToSelf.NO_COPY : rendezvousThresholdBytes);
            return;
        }
        Peer peer = peers[operation.peer];
        String obstacle = obstacle(operation);
        if (!obstacle.isEmpty()) {
            operation.fail(obstacle, failures.died());
            return;
        }
        if (peer.unconnected()) {
            members.connect(peer);
        }
        peer.sends.addLast(operation);
        Channel channel = peer.channel;
        if (channel != null && channel.direct() && peer.sends.size() == 1) {
            pump(peer); // the peer can begin before this rank makes progress
        }
        outbox.schedule(peer);
    }

    @Override
    public void receive(Operation operation) {
        Unexpected found = mailbox.messageFor(operation);
        if (found != null) {
            receive(operation, found);
            return;
        }
        String obstacle = obstacle(operation);
        if (obstacle.isEmpty()) {
            mailbox.post(operation);
        } else {
            operation.fail(obstacle, failures.died());
        }
    }

    /** A receive takes a message that is not in the mailbox any more. */
    void receive(Operation operation, Unexpected found) {
        take(operation, found);
        mailbox.recycle(found);
    }

    /** Removes and returns the oldest message that would be received; null if there is none. */
    @Nullable
    Unexpected remove(int source, int tag, int context) {
        return mailbox.remove(source, tag, context);
    }

    private String obstacle(Operation operation) {
        String gone = operation.peer >= 0 ? peers[operation.peer].gone : "";
        if (gone.isEmpty() && !operation.sends && operation.peer >= 0) {
            gone = leaving(peers[operation.peer], operation.context());
        }
        return gone.isEmpty() ? failures.obstacle(operation) : gone;
    }

    private static String leaving(Peer peer, int context) {
        return (peer.left & 1 << Contexts.kind(context)) == 0
                ? ""
                : "Rank " + peer.rank() + " closes its communicator: no message can arrive from it any more.";
    }

    /** A receive takes a message that arrived before. */
    private void take(Operation receive, Unexpected found) {
        Peer peer = peers[found.source()];
        Operation own = found.own;
        if (own != null && own.isDone()) { // given up after a probe had taken the message
            receive.fail("This rank has given up the send of the message to itself.", failures.died());
        } else if (own != null) {
            toSelf.receive(receive, found, own);
        } else if (found.kind == ElementKind.EAGER) {
            eager.receive(receive, found, peer);
        } else {
            peer.receiveCredit.onRequestTaken();
            rendezvous.start(receive, peer, found.tag(), found);
            pump(peer);
        }
    }

    void cancel(Operation receive) {
        mailbox.cancel(receive);
    }

    @Override
    public void giveUp(Operation operation, String sentence, List<Integer> died) {
        mailbox.cancel(operation);
        if (operation.sends) {
            peers[operation.peer].sends.remove(operation);
            mailbox.discard(kept -> kept.own == operation);
        }
        operation.fail(sentence, died);
    }

    @Override
    public void abandon(Operation operation) {
        if (operation.sends && operation.wasCopied()) {
            operation.detach();
        } else if (operation.awaitsPeer() && rendezvous.reads()) {
            engines.reportFailure(operation.source, operation.context());
            operation.source.abandoned.addLast(operation);
            outbox.schedule(operation.source);
        } else if (!operation.sends) {
            rendezvous.abandon(operation);
        } else if (operation.source.sends.remove(operation)) {
            rendezvous.withdraw(operation);
        }
    }

    /** Reports the oldest message that would be received; returns false if there is none. */
    boolean probe(int source, int tag, int context, Status status) {
        Unexpected found = mailbox.find(source, tag, context);
        if (found == null) {
            return false;
        }
        status.set(found.source(), found.tag(), found.length);
        return true;
    }

    /** Why no message can arrive from a rank, or from any rank, any more; empty while one can. */
    String gone(int source) {
        return gone(source, null);
    }

    /** The same in a communicator of some ranks. */
    String gone(int source, @Nullable Group group) {
        if (source >= 0) {
            String gone = peers[source].gone;
            return gone.isEmpty() ? leaving(peers[source], Contexts.MESSAGES) : gone;
        }
        return anyLeft(group) ? failures.anySource(group) : ALL_GONE;
    }

    /** Returns whether a message can still arrive from another rank; true if this rank is the only one of its communicator. */
    boolean anyLeft(@Nullable Group group) {
        return peers.length == 1 || group != null && group.size() == 1 || members.anyLeft(group);
    }

    /** This rank takes no message of a collective operation with this tag, or an earlier one, any more. */
    void abandonCollective(int tag) {
        abandoned.add(tag);
        discard(kept -> kept.context() == Contexts.COLLECTIVES && abandoned.contains(kept.tag()));
    }

    @Override
    public void discard(Predicate<Unexpected> which) {
        mailbox.discard(kept -> {
            if (!which.test(kept)) {
                return false;
            }
            Peer peer = peers[kept.source()];
            if (kept.source() == rank) {
                return true; // copied, or still at its sender, which is this rank
            }
            if (kept.kind == ElementKind.EAGER) {
                eager.forget(kept, peer);
            } else {
                peer.receiveCredit.onRequestTaken();
                rendezvous.decline(peer, kept.id);
            }
            return true;
        });
    }

    @Override
    public void revoke(int communicator, String sentence) {
        mailbox.revoke(receive -> Contexts.isRevocable(receive.context(), communicator), sentence);
        for (Peer peer : peers) {
            peer.sends.removeIf(send -> {
                boolean revocable = Contexts.isRevocable(send.context(), communicator);
                if (revocable) {
                    send.revoke(sentence);
                }
                return revocable;
            });
        }
        discard(kept -> {
            boolean revocable = Contexts.isRevocable(kept.context(), communicator);
            Operation own = kept.own;
            if (revocable && own != null) {
                own.revoke(sentence);
            }
            return revocable;
        });
    }

    // Progress.

    @Override
    public int progress() {
        PostingBatch batch = endpoint.rings().batch();
        boolean started = batch.start();
        try {
            int work = endpoint.progress(copiesLeft);
            work += engines.advance();
            copiesLeft = false;
            outbox.drain(pump);
            return work;
        } finally {
            batch.end(started);
        }
    }

    /** Returns whether a peer has written something that {@link #progress} takes and no event of the RNIC shows. */
    boolean seen() {
        return endpoint.seen() || outbox.seen();
    }

    @Override
    public void await(Awaited awaited) {
        waiter.await(awaited);
    }

    @Override
    public void failIfHopeless(Operation operation) {
        waiter.failIfHopeless(operation);
    }

    private void pump(Peer peer) {
        Channel channel = peer.channel;
        if (channel == null) {
            members.pumpUnconnected(peer);
            return;
        }
        if (!channel.open()) {
            return;
        }
        rendezvous.pump(peer, channel);
        accesses.pump(peer, channel);
        Eager.sendCredit(peer, channel);
        members.pump(peer, channel);
        Rendezvous.pumpFence(peer, channel);
        while (!peer.sends.isEmpty() && sent(peer, channel, peer.sends.getFirst())) {
            boolean copied = peer.sends.removeFirst().wasCopied();
            if (copied && !peer.sends.isEmpty()) {
                copiesLeft = true;
                return; // the peer reads the copy while the next round makes the next one
            }
        }
    }

    private boolean sent(Peer peer, Channel channel, Operation send) {
        if (send.id < 0 && !send.synchronous() && send.length <= rendezvousThresholdBytes) {
            Offer offer =
                    Eager.send(peer, channel, send.buffer, send.offset, (int) send.length, send.tag(), send.context());
            if (offer != Offer.TOO_LARGE) {
                if (offer == Offer.SEND) {
                    send.sent();
                }
                return offer == Offer.SEND;
            }
        }
        return rendezvous.announce(peer, channel, send);
    }

    // Arriving elements.

    @Override
    public boolean arrived(Channel channel, Element element) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            channel.fail("The connection was replaced by one that the peer has started.");
            return false;
        }
        return switch (element.kind()) {
            case ElementKind.EAGER -> Eager.onCredit(peer, channel, element) && onEager(peer, channel, element);
            case ElementKind.CREDIT -> Eager.onCredit(peer, channel, element);
            case ElementKind.REQUEST, ElementKind.OFFER -> onAnnouncement(peer, channel, element);
            case ElementKind.READ_DONE, ElementKind.GRANT, ElementKind.WRITTEN, ElementKind.DECLINED -> {
                rendezvous.arrived(peer, channel, element);
                yield true;
            }
            case ElementKind.REVOKED -> {
                engines.onRevoked(peer, channel, element.word());
                yield true;
            }
            case ElementKind.LEAVING, ElementKind.FAREWELL, ElementKind.DIED -> {
                members.arrived(peer, channel, element);
                yield true;
            }
            default -> {
                channel.fail("Rank " + peer.rank() + " sent an element of the unknown kind " + element.kind() + ".");
                yield false;
            }
        };
    }

    /** Returns whether a message has no receive because its collective operation has failed here, or fails because of the message. */
    private boolean ofAbandoned(Peer peer, Element element) {
        if (engines.isRevoked(element.context())) {
            return true;
        }
        if (Contexts.kind(element.context()) == Contexts.SCHEDULES) {
            return !mailbox.awaits(peer.rank(), element.tag(), element.context())
                    && !engines.admits(peer.rank(), element.tag(), element.context());
        }
        return element.context() == Contexts.COLLECTIVES && abandoned.contains(element.tag());
    }

    private boolean onEager(Peer peer, Channel channel, Element element) {
        if (Contexts.isAgreement(element.context())) {
            int length = element.length();
            engines.arrival(peer.rank(), element.context(), length, peers.length)
                    .ifPresent(message -> {
                        element.copyTo(message.buffer, 0, length);
                        message.received(peer.rank(), 0, length);
                    });
            eager.drop(peer, length);
            return true;
        }
        if (ofAbandoned(peer, element)) {
            eager.drop(peer, element.length());
            return true;
        }
        return eager.arrived(peer, channel, element);
    }

    private boolean onAnnouncement(Peer peer, Channel channel, Element element) {
        if (!Rendezvous.wellFormed(element)) {
            channel.fail("Rank " + peer.rank() + " sent a malformed announcement of a message.");
            return false;
        }
        if (ofAbandoned(peer, element)) {
            rendezvous.read(element, announced);
            rendezvous.decline(peer, announced.id);
            return true;
        }
        Operation receive = Contexts.isAgreement(element.context())
                ? engines.arrival(peer.rank(), element.context(), element.word(), peers.length)
                        .orElse(null)
                : mailbox.receiveFor(peer.rank(), element.tag(), element.context());
        if (receive != null) {
            rendezvous.read(element, announced);
            rendezvous.start(receive, peer, element.tag(), announced);
            return true;
        }
        if (!peer.receiveCredit.onRequestKept()) {
            channel.fail("Rank " + peer.rank() + " announced more unexpected messages than the "
                    + peer.receiveCredit.maxRequests() + " that this rank has promised to keep.");
            return false;
        }
        rendezvous.read(element, mailbox.keep(peer.rank(), element.tag(), element.context(), 0));
        return true;
    }

    @Override
    public void transferred(Channel channel, long id, boolean ok) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel == channel && id == Rendezvous.FENCE) {
            if (ok) {
                Rendezvous.fencePassed(peer);
            }
        } else if (peer.channel == channel && RemoteAccesses.owns(id)) {
            accesses.transferred(peer, id, ok);
        } else if (peer.channel == channel) {
            rendezvous.transferred(peer, id, ok);
        }
    }

    // Connections.

    @Override
    public boolean admits(byte[] hello) {
        return members.admits(hello);
    }

    @Override
    public byte[] answer(byte[] hello) {
        return members.answer(hello);
    }

    @Override
    public void accepted(Channel channel) {
        members.accepted(channel);
    }

    @Override
    public void opened(Channel channel) {
        members.opened(channel);
    }

    @Override
    public void ended(Channel channel, String reason) {
        members.ended(channel, reason);
    }

    @Override
    public void onGone(Peer peer, String sentence) {
        List<Integer> died = failures.died();
        for (Operation send : peer.sends) {
            send.fail(sentence, died);
        }
        peer.clear();
        rendezvous.gone(peer, sentence, died);
        accesses.gone(peer, sentence, died);
        mailbox.fail(receive -> receive.source() == peer.rank(), receive -> sentence, died);
    }

    @Override
    public void onLeaving(Peer peer, int context) {
        mailbox.fail(
                receive -> receive.source() == peer.rank() && Contexts.kind(receive.context()) == context,
                receive -> leaving(peer, context),
                failures.died());
    }

    @Override
    public void onDeath() {
        List<Integer> died = failures.died();
        mailbox.fail(
                receive ->
                        receive.dependsOnOthers() && !failures.obstacle(receive).isEmpty(),
                failures::obstacle,
                died);
        for (Peer peer : peers) {
            peer.sends.removeIf(send -> failed(send, died)); // a peer that takes none must not delay the failure
        }
        engines.onDeath();
    }

    @Override
    public void emitFigures() {
        engines.emitFigures();
    }

    private boolean failed(Operation send, List<Integer> died) {
        boolean fails = Contexts.kind(send.context()) == Contexts.BARRIERS;
        if (fails) {
            send.fail(failures.obstacle(send), died);
        }
        return fails;
    }

    /** Ends in the regular way: notifies the other ranks before their connections end. */
    void close() {
        members.sayFarewell();
        waiter.awaitSent(outbox);
        endpoint.close();
    }
}
