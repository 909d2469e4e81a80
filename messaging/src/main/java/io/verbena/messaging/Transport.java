package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.protocol.Offer;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import java.lang.foreign.Arena;
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
import org.jspecify.annotations.Nullable;

/**
 * Messages between ranks over channels: eager or by rendezvous, matched by source, tag and context. Connections are made when
 * they are needed.
 */
// Longer than 500 lines: one protocol, whose two sides read best beside each other.
final class Transport implements ChannelListener {

    // Kinds of elements.
    private static final int EAGER = 1;
    private static final int REQUEST =
            2; // word: length; payload: address and key of the message, and the send's number
    private static final int READ_DONE = 3; // word: the send's number

    private static final int REQUEST_BYTES = RemoteRegion.ENCODED_BYTES + 4;
    private static final int MOST_SPARE = 256;
    private static final int LARGEST_KEPT_BYTES = 1 << 30;
    private static final int SPINS_BETWEEN_LOOKS = 64;
    private static final long SPIN_NS = 30_000;
    private static final Duration IDLE = Duration.ofMillis(1);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

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
    private final List<@Nullable Operation> numbered = new ArrayList<>(); // rendezvous under way, by number
    private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
    private final ArrayDeque<Operation> spareOperations = new ArrayDeque<>();
    private final ArrayDeque<Unexpected> spareMessages = new ArrayDeque<>();
    private final MemorySegment request = Arena.ofAuto().allocate(REQUEST_BYTES, 8);
    private long unexpectedBytes;

    Transport(int rank, int size, Rnic rnic, MessagingOptions options, LongSupplier clock, RandomGenerator random) {
        this.rank = rank;
        this.rnic = rnic;
        this.options = options;
        this.clock = clock;
        endpoint = new Endpoint(rnic, options.channel(), this, clock, random);
        peers = new Peer[size];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = new Peer(i);
        }
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
        return eager(channel, buffer, offset, (int) length, tag, context) == Offer.SEND;
    }

    private Offer eager(Channel channel, MemorySegment buffer, long offset, int length, int tag, int context) {
        int flow = context % channel.virtualChannels();
        Offer offer = channel.offer(flow, buffer, offset, length, length, EAGER, tag, context, 0, clock.getAsLong());
        if (offer == Offer.SEND) {
            channel.counters().eager++;
        }
        return offer;
    }

    /** Begins a send that cannot go at once. */
    void send(Operation operation) {
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
        unexpectedBytes -= found.heldBytes();
        int source = found.source();
        if (found.rendezvous) {
            read(operation, peers[source], found.tag(), found.length, found.address, found.rkey, found.id);
        } else {
            int bytes = (int) Math.min(found.length, operation.length);
            MemorySegment.copy(found.payload, 0, operation.buffer, ValueLayout.JAVA_BYTE, operation.offset, bytes);
            operation.received(source, found.tag(), found.length);
        }
        if (spareMessages.size() < MOST_SPARE) {
            spareMessages.addLast(found);
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
            MemorySegment.copy(buffer, offset, receive.buffer, receive.offset, Math.min(length, receive.length));
            receive.received(rank, tag, length);
            return;
        }
        if (length > LARGEST_KEPT_BYTES) {
            throw new IllegalArgumentException("a message of " + length
                    + " bytes from this rank to itself has no receive, and is too large to be kept for one");
        }
        Unexpected kept = keep(rank, tag, context, (int) length);
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, kept.payload, 0, (int) length);
    }

    private Unexpected keep(int source, int tag, int context, int length) {
        Unexpected kept = spareMessages.pollLast();
        if (kept == null) {
            kept = new Unexpected();
        }
        kept.match(source, tag, context);
        kept.rendezvous = false;
        kept.length = length;
        if (kept.payload.length < length) {
            kept.payload = new byte[Math.max(64, Integer.highestOneBit(Math.max(1, length - 1)) * 2)];
        }
        unexpectedBytes += kept.heldBytes();
        matching.keep(kept);
        return kept;
    }

    // Progress.

    /** Does what can be done now; returns a measure of work. */
    int progress() {
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
    }

    private void wait(Peer peer) {
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
        while (!peer.readDone.isEmpty() && say(channel, READ_DONE, 0, 0, peer.readDone.getFirst(), 0)) {
            peer.readDone.removeFirst();
        }
        while (!peer.reading.isEmpty() && peer.reading.getFirst().postReads(channel)) {
            peer.reading.removeFirst();
        }
        while (!peer.sends.isEmpty() && sent(peer, channel, peer.sends.getFirst())) {
            peer.sends.removeFirst();
        }
    }

    /** A control element: it never asks for larger buffers. */
    private boolean say(Channel channel, int kind, int tag, int context, long word, int length) {
        int flow = context % channel.virtualChannels();
        return channel.offer(flow, request, 0, length, 0, kind, tag, context, word, clock.getAsLong()) == Offer.SEND;
    }

    private boolean sent(Peer peer, Channel channel, Operation send) {
        if (send.length <= options.rendezvousThresholdBytes()) {
            Offer offer = eager(channel, send.buffer, send.offset, (int) send.length, send.tag(), send.context());
            if (offer != Offer.TOO_LARGE) {
                if (offer == Offer.SEND) {
                    send.sent();
                }
                return offer == Offer.SEND;
            }
        }
        return requested(peer, channel, send);
    }

    /** The peer is told where it can read the message. */
    private boolean requested(Peer peer, Channel channel, Operation send) {
        Registrations.Registration registration = send.registration;
        if (registration == null) {
            registration = peer.registrations().forSending(send.buffer, send.offset, send.length);
            send.registration = registration;
        }
        if (send.id < 0) {
            send.id = number(send);
            send.source = peer;
        }
        boolean copied = registration.bounce() != null;
        registration.region().remote(copied ? 0 : send.offset, send.length).write(request, 0);
        request.set(INT, RemoteRegion.ENCODED_BYTES, send.id);
        if (!say(channel, REQUEST, send.tag(), send.context(), send.length, REQUEST_BYTES)) {
            return false;
        }
        channel.counters().rendezvous++;
        return true;
    }

    private int number(Operation operation) {
        Integer free = freeNumbers.pollFirst();
        if (free == null) {
            numbered.add(operation);
            return numbered.size() - 1;
        }
        numbered.set(free, operation);
        return free;
    }

    private @Nullable Operation byNumber(long id) {
        return id < 0 || id >= numbered.size() ? null : numbered.get((int) id);
    }

    private void forget(int id) {
        numbered.set(id, null);
        freeNumbers.addLast(id);
    }

    // What comes.

    @Override
    public boolean arrived(Channel channel, Element element) {
        Peer peer = (Peer) channel.attachment();
        return switch (element.kind()) {
            case EAGER -> onEager(peer, element);
            case REQUEST -> onRequest(peer, channel, element);
            case READ_DONE -> onReadDone(peer, channel, element.word());
            default -> {
                channel.fail("Rank " + peer.rank() + " sent an element of kind " + element.kind()
                        + ", which means nothing.");
                yield false;
            }
        };
    }

    private boolean onEager(Peer peer, Element element) {
        int tag = element.tag();
        int context = element.context();
        int length = element.length();
        Operation receive = matching.onMessage(peer.rank(), tag, context);
        if (receive != null) {
            element.copyTo(receive.buffer, receive.offset, (int) Math.min(length, receive.length));
            receive.received(peer.rank(), tag, length);
        } else if (unexpectedBytes + length > options.maxUnexpectedBytes() && !isOver(peer)) {
            return false; // it waits in its slot
        } else {
            Unexpected kept = keep(peer.rank(), tag, context, length);
            element.copyTo(MemorySegment.ofArray(kept.payload), 0, length);
        }
        countCopy(peer, length);
        return true;
    }

    /** What a connection that is over has left in its slots is kept whatever the bound: no more than the slots can come. */
    private static boolean isOver(Peer peer) {
        Channel channel = peer.channel;
        return channel == null || !channel.open();
    }

    private static void countCopy(Peer peer, int length) {
        Channel channel = peer.channel;
        if (channel != null && length > 0) {
            channel.counters().copied(length);
        }
    }

    private boolean onRequest(Peer peer, Channel channel, Element element) {
        if (element.length() != REQUEST_BYTES || element.word() < 0) {
            channel.fail("Rank " + peer.rank() + " sent a malformed request.");
            return false;
        }
        element.copyTo(request, 0, REQUEST_BYTES);
        long address = RemoteRegion.read(request, 0).address();
        int rkey = RemoteRegion.read(request, 0).rkey();
        int id = request.get(INT, RemoteRegion.ENCODED_BYTES);
        Operation receive = matching.onMessage(peer.rank(), element.tag(), element.context());
        if (receive != null) {
            read(receive, peer, element.tag(), element.word(), address, rkey, id);
            return true;
        }
        if (unexpectedBytes > options.maxUnexpectedBytes() && !isOver(peer)) {
            return false; // it waits in its slot
        }
        Unexpected kept = keep(peer.rank(), element.tag(), element.context(), 0);
        kept.rendezvous = true;
        kept.length = element.word();
        kept.address = address;
        kept.rkey = rkey;
        kept.id = id;
        return true;
    }

    private void read(Operation receive, Peer peer, int tag, long length, long address, int rkey, int id) {
        Channel channel = peer.channel;
        if (channel == null || !channel.open()) {
            receive.fail(peer.gone.isEmpty() ? "Rank " + peer.rank() + " has gone." : peer.gone);
            return;
        }
        receive.startReading(peer, tag, length, address, rkey, id);
        receive.id = number(receive);
        if (receive.allRead()) {
            finish(receive);
        } else if (!peer.reading.isEmpty() || !receive.postReads(channel)) {
            peer.reading.addLast(receive);
            wait(peer);
        }
    }

    @Override
    public void readDone(Channel channel, long id, boolean ok) {
        Operation receive = byNumber(id);
        if (receive == null || receive.sends || receive.source.channel != channel) {
            return; // given up
        }
        receive.source.readEnded();
        if (ok && receive.onReadDone()) {
            finish(receive);
        }
    }

    private void finish(Operation receive) {
        forget(receive.id);
        Peer peer = receive.source;
        Channel channel = peer.channel;
        int theirs = receive.finishReading();
        if (channel == null || !peer.readDone.isEmpty() || !say(channel, READ_DONE, 0, 0, theirs, 0)) {
            peer.readDone.addLast(theirs);
            wait(peer);
        }
    }

    private boolean onReadDone(Peer peer, Channel channel, long id) {
        Operation send = byNumber(id);
        if (send == null || !send.sends || send.source != peer) {
            channel.fail("Rank " + peer.rank() + " says that it read a message that it was not sent.");
            return false;
        }
        forget(send.id);
        Registrations.Registration registration = send.registration;
        send.registration = null;
        if (registration != null) {
            registration.release();
        }
        send.sent();
        return true;
    }

    // Connections.

    private void connect(Peer peer) {
        Channel made = endpoint.connect(addresses.get(peer.rank()), hello(peer.rank()));
        made.attach(peer);
        peer.channel = made;
    }

    private byte[] hello(int to) {
        byte[] hello = new byte[16];
        MemorySegment all = MemorySegment.ofArray(hello);
        all.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, job);
        all.set(INT, 8, rank);
        all.set(INT, 12, to);
        return hello;
    }

    private static int from(byte[] hello) {
        return MemorySegment.ofArray(hello).get(INT, 8);
    }

    @Override
    public boolean admits(byte[] hello) {
        if (hello.length < 16) {
            return false;
        }
        MemorySegment all = MemorySegment.ofArray(hello);
        int other = from(hello);
        if (all.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) != job
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
        peer.sends.clear();
        peer.readDone.clear();
        peer.reading.clear();
        for (int id = 0; id < numbered.size(); id++) {
            Operation at = numbered.get(id);
            if (at != null && at.source == peer) {
                forget(id);
                at.registration = null; // closed with the peer's registrations
                at.fail(sentence);
            }
        }
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
        }
        operation.fail(sentence);
    }

    /** Looks again at once for a moment, then lets the system wait. */
    void idle(long sinceNs) {
        if (clock.getAsLong() - sinceNs < SPIN_NS) {
            Thread.onSpinWait();
        } else if (options.rnic().progress() == io.verbena.verbs.Progress.INLINE) {
            rnic.progress(IDLE);
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
