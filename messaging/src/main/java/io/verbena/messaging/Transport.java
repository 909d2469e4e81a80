package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.protocol.Offer;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
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
    private static final int LARGEST_KEPT_BYTES = 1 << 30;
    private static final int SPINS_BETWEEN_LOOKS = 64;
    private static final long SPIN_NS = 30_000;
    private static final Duration IDLE = Duration.ofMillis(1);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int HELLO_BYTES = 24;

    /** Of the unexpected bytes, what each other rank may use at least. */
    private static final long LEAST_WINDOW_BYTES = 256 << 10;

    /** Larger payloads are not kept for the next message. */
    private static final int LARGEST_SPARE_BYTES = 64 << 10;

    private final int rank;
    private List<SocketAddress> addresses = List.of();
    private long job;
    private final MessagingOptions options;
    private final LongSupplier clock;
    private final Rnic rnic;
    private final Endpoint endpoint;
    private final Peer[] peers;
    private final Matching<Operation, Unexpected> matching = new Matching<>();
    private final List<Peer> waiting = new ArrayList<>();
    private final Rendezvous rendezvous;
    private final Unexpected requested = new Unexpected();
    private final ArrayDeque<Operation> spareOperations = new ArrayDeque<>();
    private final ArrayDeque<Unexpected> spareMessages = new ArrayDeque<>();

    Transport(int rank, int size, Rnic rnic, MessagingOptions options, LongSupplier clock, RandomGenerator random) {
        this.rank = rank;
        this.rnic = rnic;
        this.options = options;
        this.clock = clock;
        rendezvous = new Rendezvous(this, options.rendezvous());
        endpoint = new Endpoint(rnic, options.channel(), this, clock, random);
        peers = new Peer[size];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Peer(i, windowBytes(options.maxUnexpectedBytes(), size));
        }
    }

    private static long windowBytes(long all, int size) {
        return Math.max(all / Math.max(1, size - 1), Math.min(all, LEAST_WINDOW_BYTES));
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Where all ranks listen, and a number that only ranks of this job know. */
    void join(List<SocketAddress> everybody, long jobNumber) {
        addresses = List.copyOf(everybody);
        job = jobNumber;
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
            sendToSelf(buffer, offset, length, tag, context);
            return true;
        }
        Peer peer = peers[dest];
        Channel channel = peer.channel;
        if (channel == null || length > options.rendezvousThresholdBytes() || !peer.sends.isEmpty()) {
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
            startToSelf(operation);
            return;
        }
        Peer peer = peers[operation.peer];
        if (!peer.gone.isEmpty()) {
            operation.fail(peer.gone);
            return;
        }
        if (peer.channel == null && !peer.awaitsPeer) {
            connect(peer);
        }
        peer.sends.addLast(operation);
        wait(peer);
    }

    /** Begins a receive. */
    void receive(Operation operation) {
        Unexpected found = matching.onReceive(operation.source(), operation.tag(), operation.context());
        if (found == null) {
            int source = operation.peer;
            if (source >= 0 && !peers[source].gone.isEmpty()) {
                operation.fail(peers[source].gone);
                return;
            }
            matching.post(operation);
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
            copyToSelf(own.buffer, own.offset, own.length, receive, found.tag());
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

    /** Whether a message that would be received is here. */
    boolean probe(int source, int tag, int context, Status status) {
        Unexpected found = matching.find(source, tag, context);
        if (found == null) {
            return false;
        }
        status.set(found.source(), found.tag(), found.length);
        return true;
    }

    /** Why nothing can come from a rank any more; empty while it can. */
    String gone(int source) {
        return source < 0 ? "" : peers[source].gone;
    }

    private void sendToSelf(MemorySegment buffer, long offset, long length, int tag, int context) {
        Operation receive = matching.onMessage(rank, tag, context);
        if (receive != null) {
            copyToSelf(buffer, offset, length, receive, tag);
            return;
        }
        if (length > LARGEST_KEPT_BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + length + " bytes from this rank to itself has no receive,"
                            + " and is too large to be kept for one: start the receive first, or send it with isend");
        }
        Unexpected kept = keep(rank, tag, context, (int) length);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, kept.payload, 0, (int) length);
    }

    /** Begins a send of this rank to itself; a large one stays in its buffer until a receive wants it. */
    private void startToSelf(Operation send) {
        if (send.length <= options.rendezvousThresholdBytes()) {
            sendToSelf(send.buffer, send.offset, send.length, send.tag(), send.context());
            send.sent();
            return;
        }
        Operation receive = matching.onMessage(rank, send.tag(), send.context());
        if (receive != null) {
            copyToSelf(send.buffer, send.offset, send.length, receive, send.tag());
            send.sent();
            return;
        }
        Unexpected kept = keep(rank, send.tag(), send.context(), 0);
        kept.length = send.length;
        kept.own = send;
    }

    private void copyToSelf(MemorySegment from, long offset, long length, Operation receive, int tag) {
        MemorySegment.copy(from, offset, receive.buffer, receive.offset, Math.min(length, receive.length));
        receive.received(rank, tag, length);
    }

    private Unexpected keep(int source, int tag, int context, int length) {
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
            if (peer.awaitsPeer
                    && clock.getAsLong() - peer.awaitsSinceNs
                            > options.channel().connectTimeout().toNanos()) {
                gone(peer, "Rank " + peer.rank() + " did not connect in time.");
            }
            return;
        }
        if (!channel.open()) {
            return;
        }
        rendezvous.pump(peer, channel);
        if (peer.tellDue() && say(channel, CREDIT, 0, 0, peer.receiveCredit.takenBytes(), MemorySegment.NULL, 0)) {
            peer.receiveCredit.onTold();
        }
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
        if (send.id < 0 && send.length <= options.rendezvousThresholdBytes()) {
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

    private void connect(Peer peer) {
        Channel made = endpoint.connect(addresses.get(peer.rank()), hello(peer.rank()));
        made.attach(peer);
        peer.channel = made;
    }

    private byte[] hello(int to) {
        byte[] hello = new byte[HELLO_BYTES];
        MemorySegment all = MemorySegment.ofArray(hello);
        all.set(LONG, 0, job);
        all.set(INT, 8, rank);
        all.set(INT, 12, to);
        all.set(LONG, 16, peers[to].receiveCredit.windowBytes());
        return hello;
    }

    /** Who accepts says how much it keeps for the other; who asked has said so in its hello. */
    @Override
    public byte[] answer(byte[] hello) {
        byte[] answer = new byte[Long.BYTES];
        MemorySegment.ofArray(answer).set(LONG, 0, peers[from(hello)].receiveCredit.windowBytes());
        return answer;
    }

    @Override
    public void opened(Channel channel) {
        Peer peer = (Peer) channel.attachment();
        byte[] said = channel.peerHello();
        if (peer.channel == channel && said.length == Long.BYTES) { // ours: the answer has come
            peer.sendCredit.window(MemorySegment.ofArray(said).get(LONG, 0));
        }
    }

    private static int from(byte[] hello) {
        return MemorySegment.ofArray(hello).get(INT, 8);
    }

    @Override
    public boolean admits(byte[] hello) {
        if (hello.length < HELLO_BYTES) {
            return false;
        }
        MemorySegment all = MemorySegment.ofArray(hello);
        int other = from(hello);
        if (all.get(LONG, 0) != job
                || all.get(INT, 12) != rank
                || other < 0
                || other >= peers.length
                || other == rank) {
            return false;
        }
        Channel mine = peers[other].channel;
        // Both began at once: the lower rank's attempt stands.
        return peers[other].gone.isEmpty()
                && (mine == null || mine.state() == Channel.State.CONNECTING && other < rank);
    }

    @Override
    public void accepted(Channel channel) {
        Peer peer = peers[from(channel.peerHello())];
        Channel mine = peer.channel;
        peer.sendCredit.window(MemorySegment.ofArray(channel.peerHello()).get(LONG, 16));
        channel.attach(peer);
        peer.channel = channel;
        peer.awaitsPeer = false;
        if (mine != null) {
            mine.attach(Peer.NOBODY);
        }
    }

    @Override
    public void ended(Channel channel, String reason) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            return; // an attempt that the peer's own replaced
        }
        peer.disconnected();
        if (channel.rejected() && peer.rank() < rank && !peer.idle()) {
            peer.awaitsPeer = true; // its own attempt is on its way
            peer.awaitsSinceNs = clock.getAsLong();
            return;
        }
        gone(peer, "The connection to rank " + peer.rank() + " is over: " + reason);
    }

    private void gone(Peer peer, String sentence) {
        peer.gone = sentence;
        peer.awaitsPeer = false;
        for (Operation send : peer.sends) {
            send.fail(sentence);
        }
        peer.forgetAll();
        rendezvous.gone(peer, sentence);
        for (Operation left = matching.takeFor(peer.rank()); left != null; left = matching.takeFor(peer.rank())) {
            left.fail(sentence);
        }
    }

    // Waiting.

    /** Makes progress until an operation is done; after the options' time it fails. */
    void await(Operation operation) {
        if (operation.done()) {
            return;
        }
        long startNs = clock.getAsLong();
        long idleSinceNs = startNs;
        int looks = 0;
        while (!operation.done()) {
            if (progress() > 0) {
                looks = 0;
                continue;
            }
            if (operation.done()) {
                return;
            }
            if (looks++ == 0) {
                idleSinceNs = clock.getAsLong();
            } else if (looks % SPINS_BETWEEN_LOOKS == 0) {
                idle(idleSinceNs);
                if (clock.getAsLong() - startNs > options.timeout().toNanos()) {
                    giveUp(operation);
                }
            }
        }
    }

    private void giveUp(Operation operation) {
        String sentence = "Nothing happened within " + options.timeout().toMillis() + " ms: the "
                + (operation.sends ? "message to rank " : "receive from rank ")
                + (operation.peer < 0 ? "any" : String.valueOf(operation.peer)) + " was given up.";
        Channel channel = operation.source.channel;
        if (operation.id >= 0 && channel != null) {
            channel.fail(sentence); // its memory may be in use until the connection is over
            progress();
            return;
        }
        matching.cancel(operation);
        if (operation.sends) {
            peers[operation.peer].sends.remove(operation);
            matching.discard(kept -> kept.own == operation);
        }
        operation.fail(sentence);
    }

    /** Looks again at once for a moment, then lets the system wait. */
    void idle(long sinceNs) {
        if (clock.getAsLong() - sinceNs < SPIN_NS) {
            Thread.onSpinWait();
        } else if (options.rnic().progress() == io.verbena.verbs.Progress.INLINE) {
            try {
                rnic.progress(IDLE);
            } catch (WaitInterruptedException e) {
                throw new MessagingException("The wait was interrupted.", e);
            }
        } else {
            LockSupport.parkNanos(50_000);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new MessagingException("The wait was interrupted.");
        }
    }

    void close() {
        endpoint.close();
    }
}
