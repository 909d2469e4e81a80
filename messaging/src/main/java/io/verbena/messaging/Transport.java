package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.protocol.Offer;
import io.verbena.verbs.Rnic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Messages between ranks over channels: eager or by {@link Rendezvous}, matched by source, tag and context. Connections are made when
 * they are needed.
 */
final class Transport implements ChannelListener {

    // Kinds of elements.
    static final int EAGER = 1; // word: bytes of the other direction that receives have taken; 2 to 6 are of Rendezvous
    static final int CREDIT = 7; // word: the same, where there is no message for it

    private static final int MOST_SPARE = 256;
    static final String NOBODY_LEFT = "All other ranks are gone: nothing can come any more.";

    /** Of the unexpected bytes, what each other rank may use at least. */
    private static final long LEAST_WINDOW_BYTES = 256 << 10;

    /** Larger payloads are not kept for the next message. */
    private static final int LARGEST_SPARE_BYTES = 64 << 10;

    private final int rank;
    private final MessagingOptions options;
    private final LongSupplier clock;
    private final Endpoint endpoint;
    private final Peer[] peers;
    private final Matching<Operation, Unexpected> matching = new Matching<>();
    private final List<Peer> waiting = new ArrayList<>();
    private final Rendezvous rendezvous;
    private final Membership members;
    private final Waiter waiter;
    private final ToSelf toSelf;
    private Guard guard = Guard.NONE;
    private int rendezvousThresholdBytes;
    private final Unexpected requested = new Unexpected();
    private final ArrayDeque<Operation> spareOperations = new ArrayDeque<>();
    private final ArrayDeque<Unexpected> spareMessages = new ArrayDeque<>();

    Transport(int rank, int size, Rnic rnic, MessagingOptions options, LongSupplier clock, RandomGenerator random) {
        this.rank = rank;
        this.options = options;
        this.clock = clock;
        rendezvous = new Rendezvous(this, options.rendezvous());
        endpoint = new Endpoint(rnic, options.channel(), this, clock, random);
        peers = new Peer[size];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Peer(i, windowBytes(options.maxUnexpectedBytes(), size));
        }
        members = new Membership(this, rank, peers, options, clock);
        waiter = new Waiter(this, rnic, options, clock);
        toSelf = new ToSelf(this, rank, matching);
        rendezvousThresholdBytes = options.rendezvousThresholdBytes();
    }

    private static long windowBytes(long all, int size) {
        return Math.max(all / Math.max(1, size - 1), Math.min(all, LEAST_WINDOW_BYTES));
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Membership members() {
        return members;
    }

    /** Who lets threads in; another one before a second thread comes. */
    Guard guard() {
        return guard;
    }

    void guard(Guard other) {
        guard = other;
    }

    int rendezvousThresholdBytes() {
        return rendezvousThresholdBytes;
    }

    /** Larger messages go from user memory to user memory, from the next one on. */
    void rendezvousThresholdBytes(int bytes) {
        rendezvousThresholdBytes = bytes;
    }

    Waiter waiter() {
        return waiter;
    }

    Peer peer(int other) {
        return peers[other];
    }

    // Operations.

    /** An operation that nobody else holds. */
    Operation spare() {
        Operation spare = spareOperations.pollLast();
        return spare == null ? new Operation(this) : spare;
    }

    void giveBack(Operation operation) {
        if (spareOperations.size() < MOST_SPARE) {
            operation.buffer = MemorySegment.NULL;
            spareOperations.addLast(operation);
        }
    }

    /** Sends at once if that can be: nothing is kept, and the buffer is free. */
    boolean sendNow(MemorySegment buffer, long offset, long length, int dest, int tag, int context) {
        if (dest == rank) {
            toSelf.send(buffer, offset, length, tag, context);
            return true;
        }
        Peer peer = peers[dest];
        Channel channel = peer.channel;
        if (channel == null || length > rendezvousThresholdBytes || !peer.sends.isEmpty()) {
            return false;
        }
        return eager(peer, channel, buffer, offset, (int) length, tag, context) == Offer.SEND;
    }

    /** TOO_LARGE says that the peer need not keep it: the message stays here until a receive wants it. */
    private Offer eager(
            Peer peer, Channel channel, MemorySegment buffer, long offset, int length, int tag, int context) {
        if (!peer.sendCredit.holds(length)) {
            return Offer.TOO_LARGE;
        }
        int flow = context % channel.virtualChannels();
        long taken = peer.receiveCredit.takenBytes();
        Offer offer = channel.offer(flow, buffer, offset, length, length, EAGER, tag, context, taken);
        if (offer == Offer.SEND) {
            channel.counters().eager++;
            peer.sendCredit.onSent(length);
            peer.receiveCredit.onTold();
        }
        return offer;
    }

    /** Begins a send that cannot go at once. */
    void send(Operation operation) {
        if (operation.peer == rank) {
            toSelf.start(operation);
            return;
        }
        Peer peer = peers[operation.peer];
        if (!peer.gone.isEmpty()) {
            operation.fail(peer.gone, members.died());
            return;
        }
        if (peer.unconnected()) {
            members.connect(peer);
        }
        peer.sends.addLast(operation);
        wait(peer);
    }

    /** Begins a receive. */
    void receive(Operation operation) {
        Unexpected found = matching.onReceive(operation.source(), operation.tag(), operation.context());
        if (found == null) {
            int source = operation.peer;
            String obstacle = source >= 0 ? peers[source].gone : "";
            if (obstacle.isEmpty() && operation.needsAnybody()) {
                obstacle = members.obstacle(operation.context());
            }
            if (obstacle.isEmpty()) {
                matching.post(operation);
            } else {
                operation.fail(obstacle, members.died());
            }
            return;
        }
        take(operation, found);
        if (spareMessages.size() < MOST_SPARE && found.payload.length <= LARGEST_SPARE_BYTES) {
            spareMessages.addLast(found);
        }
    }

    /** A receive takes a message that was kept. */
    private void take(Operation receive, Unexpected found) {
        Peer peer = peers[found.source()];
        Operation own = found.own;
        if (own != null) {
            found.own = null;
            toSelf.copy(own.buffer, own.offset, own.length, receive, found.tag());
            own.sent();
        } else if (found.kind != EAGER) {
            peer.receiveCredit.onRequestTaken();
            rendezvous.start(receive, peer, found.tag(), found);
            pump(peer);
        } else {
            int bytes = (int) Math.min(found.length, receive.length);
            MemorySegment.copy(found.payload, 0, receive.buffer, ValueLayout.JAVA_BYTE, receive.offset, bytes);
            receive.received(found.source(), found.tag(), found.length);
            peer.receiveCredit.onKeptTaken(found.length);
            tellIfDue(peer);
        }
    }

    private void tellIfDue(Peer peer) {
        if (peer.tellDue()) {
            wait(peer);
        }
    }

    void cancel(Operation operation) {
        matching.cancel(operation);
    }

    /** An operation that nothing is under way for fails. */
    void giveUp(Operation operation, String sentence, List<Integer> died) {
        matching.cancel(operation);
        if (operation.sends) {
            peers[operation.peer].sends.remove(operation);
            matching.discard(kept -> kept.own == operation);
        }
        operation.fail(sentence, died);
    }

    /** Whether a message that would be received is here. */
    boolean probe(int source, int tag, int context, Status status) {
        Unexpected found = matching.find(source, tag, context);
        if (found == null) {
            return false;
        }
        status.set(found.source(), found.tag(), found.length);
        return true;
    }

    /** Why nothing can come from a rank, or from any, any more; empty while it can. */
    String gone(int source) {
        if (source >= 0) {
            return peers[source].gone;
        }
        return anybodyLeft() ? members.obstacle(Communicator.MESSAGES) : NOBODY_LEFT;
    }

    /** A message without a receive, to be filled. */
    Unexpected keep(int source, int tag, int context, int length) {
        Unexpected kept = spareMessages.pollLast();
        if (kept == null) {
            kept = new Unexpected();
        }
        kept.match(source, tag, context);
        kept.kind = EAGER;
        kept.length = length;
        if (kept.payload.length < length) {
            kept.payload = new byte[Math.max(64, Integer.highestOneBit(Math.max(1, length - 1)) * 2)];
        }
        matching.keep(kept);
        return kept;
    }

    // Progress.

    /** Does what can be done now; returns a measure of work. */
    int progress() {
        boolean outermost = endpoint.startBatch();
        try {
            int work = endpoint.progress();
            for (int i = waiting.size() - 1; i >= 0; i--) {
                Peer peer = waiting.get(i);
                pump(peer);
                if (peer.idle()) {
                    peer.waits = false;
                    waiting.remove(i);
                }
            }
            return work;
        } finally {
            endpoint.endBatch(outermost);
        }
    }

    void wait(Peer peer) {
        if (!peer.waits) {
            peer.waits = true;
            waiting.add(peer);
        }
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
        if (peer.tellDue() && say(channel, CREDIT, 0, 0, peer.receiveCredit.takenBytes(), MemorySegment.NULL, 0)) {
            peer.receiveCredit.onTold();
        }
        members.pump(peer, channel);
        while (!peer.sends.isEmpty() && sent(peer, channel, peer.sends.getFirst())) {
            peer.sends.removeFirst();
        }
    }

    /** A control element: it never asks for larger buffers. */
    boolean say(Channel channel, int kind, int tag, int context, long word, MemorySegment payload, int length) {
        int flow = context % channel.virtualChannels();
        return channel.offer(flow, payload, 0, length, 0, kind, tag, context, word) == Offer.SEND;
    }

    private boolean sent(Peer peer, Channel channel, Operation send) {
        if (send.id < 0 && send.length <= rendezvousThresholdBytes) {
            Offer offer = eager(peer, channel, send.buffer, send.offset, (int) send.length, send.tag(), send.context());
            if (offer != Offer.TOO_LARGE) {
                if (offer == Offer.SEND) {
                    send.sent();
                }
                return offer == Offer.SEND;
            }
        }
        return rendezvous.requested(peer, channel, send);
    }

    // What comes.

    @Override
    public boolean arrived(Channel channel, Element element) {
        Peer peer = (Peer) channel.attachment();
        return switch (element.kind()) {
            case EAGER -> onCredit(peer, channel, element) && onEager(peer, channel, element);
            case CREDIT -> onCredit(peer, channel, element);
            case Rendezvous.REQUEST, Rendezvous.OFFER -> onRequest(peer, channel, element);
            case Rendezvous.READ_DONE, Rendezvous.GRANT, Rendezvous.WRITTEN -> {
                rendezvous.arrived(peer, channel, element);
                yield true;
            }
            case Membership.FAREWELL, Membership.DIED -> {
                members.arrived(peer, channel, element);
                yield true;
            }
            default -> {
                channel.fail("Rank " + peer.rank() + " sent an element of kind " + element.kind()
                        + ", which means nothing.");
                yield false;
            }
        };
    }

    private static boolean onCredit(Peer peer, Channel channel, Element element) {
        boolean possible = peer.sendCredit.onTaken(element.word());
        if (!possible) {
            channel.fail("Rank " + peer.rank() + " says that it has received more than it was sent.");
        }
        return possible;
    }

    private boolean onEager(Peer peer, Channel channel, Element element) {
        int tag = element.tag();
        int context = element.context();
        int length = element.length();
        Operation receive = matching.onMessage(peer.rank(), tag, context);
        if (receive != null) {
            element.copyTo(receive.buffer, receive.offset, (int) Math.min(length, receive.length));
            receive.received(peer.rank(), tag, length);
            peer.receiveCredit.onTaken(length);
            tellIfDue(peer);
        } else if (!peer.receiveCredit.onKept(length)) {
            channel.fail("Rank " + peer.rank() + " sent more than this rank has promised to keep.");
            return false;
        } else {
            Unexpected kept = keep(peer.rank(), tag, context, length);
            element.copyTo(MemorySegment.ofArray(kept.payload), 0, length);
        }
        countCopy(peer, length);
        return true;
    }

    private static void countCopy(Peer peer, int length) {
        Channel channel = peer.channel;
        if (channel != null && length > 0) {
            channel.counters().copied(length);
        }
    }

    private boolean onRequest(Peer peer, Channel channel, Element element) {
        if (!Rendezvous.wellFormed(element)) {
            channel.fail("Rank " + peer.rank() + " sent a malformed request.");
            return false;
        }
        Operation receive = matching.onMessage(peer.rank(), element.tag(), element.context());
        if (receive != null) {
            rendezvous.read(element, requested);
            rendezvous.start(receive, peer, element.tag(), requested);
            return true;
        }
        if (!peer.receiveCredit.onRequestKept()) {
            channel.fail("Rank " + peer.rank() + " asked for more receives than this rank has promised to remember.");
            return false;
        }
        rendezvous.read(element, keep(peer.rank(), element.tag(), element.context(), 0));
        return true;
    }

    @Override
    public void transferred(Channel channel, long id, boolean ok) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel == channel) {
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

    /** Nothing comes from there or goes there any more. */
    void gone(Peer peer, String sentence, List<Integer> died) {
        peer.awaitsPeer = false;
        peer.retries = false;
        for (Operation send : peer.sends) {
            send.fail(sentence, died);
        }
        peer.forgetAll();
        rendezvous.gone(peer, sentence, died);
        failReceives(receive -> receive.source() == peer.rank(), sentence, died);
    }

    /** Receives that may need a rank that died do not wait for it. */
    void failDependents(List<Integer> died) {
        for (int context : new int[] {Communicator.MESSAGES, Communicator.BARRIERS}) {
            failReceives(
                    receive -> receive.needsAnybody() && receive.context() == context, members.obstacle(context), died);
        }
    }

    private void failReceives(Predicate<Operation> which, String sentence, List<Integer> died) {
        for (Operation left = matching.take(which); left != null; left = matching.take(which)) {
            left.fail(sentence, died);
        }
    }

    /** Whether something can still come from another rank; true for a rank that is the only one of its job. */
    boolean anybodyLeft() {
        return peers.length == 1 || members.anybodyLeft();
    }

    /** Ends in good order: the others are told before their connections end. */
    void close() {
        members.sayFarewell();
        waiter.awaitSaid(waiting);
        endpoint.close();
    }
}
