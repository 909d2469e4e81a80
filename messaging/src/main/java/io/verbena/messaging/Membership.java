package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelConnection;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.channel.Endpoint;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Outbox;
import io.verbena.messaging.transfer.Peer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The other ranks of a job: their addresses, the connections to them, which have left and which have died. Connections are made on first
 * use. A rank that ends in the regular way sends a farewell on each of its connections. A connection that ends without a farewell has lost a
 * rank that died; its number is reported to all connected ranks.
 */
final class Membership {

    private static final int HELLO_BYTES = 28;
    private static final int ANSWER_BYTES = 12;

    /** The kinds of contexts whose messages a rank that closes its communicator does not start any more: barriers go on until all ranks close. */
    private static final int LEAVING = 1 << Contexts.MESSAGES | 1 << Contexts.COLLECTIVES | 1 << Contexts.SCHEDULES;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Pause before a connection is attempted again to a rank that did not respond in time. */
    private static final long RETRY_NS = 50_000_000;

    /**
     * A connection to a rank that is reported dead, on which nothing has ever arrived, ends after this time: as long as a peer has sent nothing,
     * its keep-alive is that of TCP.
     */
    private static final long DOUBT_NS = 100_000_000;

    /** Maximum number of connections that are made only to say farewell. */
    private static final int MAX_LAST_CONNECTIONS = 64;

    /** Notified when a peer is gone. */
    interface Listener {

        /** Nothing can be sent to or received from the peer any more. */
        void onGone(Peer peer, String sentence);

        /** The peer starts no more messages of a context. */
        void onLeaving(Peer peer, int context);

        /** A rank has died: operations that depend on it must not wait for it. */
        void onDeath();
    }

    private final int rank;
    private final Peer[] peers;
    private final MessagingOptions options;
    private final LongSupplier clock;
    private final Outbox outbox;
    private final Failures failures;
    private @Nullable Endpoint endpoint;
    private @Nullable Listener listener;
    private List<SocketAddress> addresses = List.of();
    private long job;
    private int left; // other ranks that are not gone
    private boolean leaving; // this rank: it starts no more messages
    private boolean ending; // this rank: connections that end now end for that reason

    Membership(int rank, Peer[] peers, MessagingOptions options, LongSupplier clock, Outbox outbox, Failures failures) {
        this.rank = rank;
        this.peers = peers;
        this.options = options;
        this.clock = clock;
        this.outbox = outbox;
        this.failures = failures;
        left = peers.length - 1;
    }

    void start(Endpoint over, Listener notified) {
        endpoint = over;
        listener = notified;
    }

    /** Sets the addresses of all ranks, and a number that only ranks of this job know. */
    void join(List<SocketAddress> everyRank, long jobNumber) {
        addresses = List.copyOf(everyRank);
        job = jobNumber;
    }

    /** Returns whether there is another rank that a message of the program can arrive from. */
    boolean anyLeft(@Nullable Group group) {
        if (left == 0) {
            return false;
        }
        for (Peer peer : peers) {
            if (concerns(group, peer) && peer.gone.isEmpty() && (peer.left & 1 << Contexts.MESSAGES) == 0) {
                return true;
            }
        }
        return false;
    }

    private boolean concerns(@Nullable Group group, Peer peer) {
        return peer.rank() != rank && (group == null || group.contains(peer.rank()));
    }

    // Connections.

    /** Connects to all ranks of a communicator. */
    void connectAll(Group group) {
        for (Peer peer : peers) {
            if (concerns(group, peer) && peer.unconnected()) {
                connect(peer);
            }
        }
    }

    void connect(Peer peer) {
        Endpoint over = endpoint;
        assert over != null : "connecting before the start";
        peer.retries = false;
        Channel channel = over.connect(addresses.get(peer.rank()), hello(peer));
        channel.attach(peer);
        peer.channel = channel;
    }

    /** Connects to the ranks that an operation depends on, so that none of them can die unnoticed. */
    void connectAll(Operation operation) {
        for (Peer peer : peers) {
            if (peer.rank() != rank && peer.unconnected() && operation.dependsOn(peer.rank(), peers.length)) {
                connect(peer);
            }
        }
    }

    private byte[] hello(Peer to) {
        byte[] hello = new byte[HELLO_BYTES];
        MemorySegment all = MemorySegment.ofArray(hello);
        all.set(LONG, 0, job);
        all.set(INT, 8, rank);
        all.set(INT, 12, to.rank());
        all.set(LONG, 16, to.receiveCredit.windowBytes());
        all.set(INT, 24, to.receiveCredit.maxRequests());
        return hello;
    }

    private static int from(byte[] hello) {
        return MemorySegment.ofArray(hello).get(INT, 8);
    }

    boolean admits(byte[] hello) {
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
        Channel currentChannel = peers[other].channel;
        // If both ranks connect at once, the attempt of the lower rank is used.
        return peers[other].gone.isEmpty()
                && (currentChannel == null || currentChannel.state() == Channel.State.CONNECTING && other < rank);
    }

    /** Credit that this rank grants to a peer that connects. The peer has granted its own in its hello. */
    byte[] answer(byte[] hello) {
        byte[] answer = new byte[ANSWER_BYTES];
        MemorySegment all = MemorySegment.ofArray(answer);
        Peer peer = peers[from(hello)];
        all.set(LONG, 0, peer.receiveCredit.windowBytes());
        all.set(INT, 8, peer.receiveCredit.maxRequests());
        return answer;
    }

    void accepted(Channel channel) {
        MemorySegment hello = MemorySegment.ofArray(channel.peerHello());
        Peer peer = peers[from(channel.peerHello())];
        Channel currentChannel = peer.channel;
        peer.sendCredit.limits(hello.get(LONG, 16), hello.get(INT, 24));
        channel.attach(peer);
        peer.channel = channel;
        peer.awaitsPeer = false;
        peer.retries = false;
        if (currentChannel != null) {
            currentChannel.attach(Peer.NONE);
        }
    }

    void opened(Channel channel) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            return;
        }
        byte[] answer = channel.peerHello();
        if (answer.length == ANSWER_BYTES) { // this rank has connected
            MemorySegment all = MemorySegment.ofArray(answer);
            peer.sendCredit.limits(all.get(LONG, 0), all.get(INT, 8));
        }
        failures.died().forEach(peer.died::addLast);
        if (leaving) {
            peer.leaving = LEAVING;
        }
        outbox.schedule(peer);
    }

    void ended(Channel channel, String reason) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            return; // the connection of the peer was used instead
        }
        peer.disconnected();
        long nowNs = clock.getAsLong();
        ChannelConnection connection = channel.connection();
        String over = "The connection to rank " + peer.rank() + " has ended";
        if (connection.rejected() && peer.rank() < rank && !connection.unanswered()) {
            peer.awaitsPeer = true; // the peer connects itself
            peer.awaitsSinceNs = nowNs;
            outbox.schedule(peer);
        } else if (connection.unanswered()
                && peer.mayRetry(nowNs, options.timeout().toNanos())) {
            peer.retries = true; // the peer computes, and its RNIC has rejected the connection meanwhile
            peer.retryNs = nowNs + RETRY_NS;
            outbox.schedule(peer);
        } else if (ending) {
            gone(peer, over + " because this rank has ended.");
        } else if (peer.saidFarewell) {
            gone(peer, over + " because that rank has closed its communicator.");
        } else {
            died(
                    peer,
                    over + " because the rank died: "
                            + (connection.closed() ? "the connection was closed without a farewell." : reason));
        }
    }

    private void gone(Peer peer, String sentence) {
        left--;
        peer.gone = sentence;
        Listener notified = listener;
        assert notified != null : "gone before the start";
        peer.awaitsPeer = false;
        peer.retries = false;
        notified.onGone(peer, sentence);
    }

    private void died(Peer peer, String sentence) {
        reportDeath(peer);
        failures.add(peer.rank());
        gone(peer, sentence);
        Listener notified = listener;
        assert notified != null : "a death before the start";
        notified.onDeath();
    }

    /** Notifies all connected ranks, unless they were notified before. */
    private void reportDeath(Peer dead) {
        if (!failures.report(dead.rank())) {
            return;
        }
        for (Peer other : peers) {
            if (other != dead && other.channel != null) {
                other.died.addLast(dead.rank());
                outbox.schedule(other);
            }
        }
    }

    // Notices.

    /**
     * This rank closes its communicator and waits until all ranks do so. It starts no more messages, so that no other rank must wait for
     * one meanwhile.
     */
    void leave() {
        leaving = true;
        for (Peer peer : peers) {
            if (peer.channel != null) {
                peer.leaving = LEAVING;
                outbox.schedule(peer);
            }
        }
    }

    /** Notices are sent in the order of the messages of their context, when no message is left that has not been announced. */
    private static void sayLeaving(Peer peer, Channel channel) {
        while (peer.leaving != 0 && peer.sends.isEmpty()) {
            int context = Integer.numberOfTrailingZeros(peer.leaving);
            if (!Outbox.sendControl(channel, ElementKind.LEAVING, 0, context, 0, MemorySegment.NULL, 0)) {
                return;
            }
            peer.leaving &= peer.leaving - 1;
        }
    }

    /**
     * This rank ends: all connected ranks must be notified. If a rank has died, this rank may end while others still connect to it. They
     * could not distinguish its end from a death, so they are notified as well, as far as their number is bounded.
     */
    void sayFarewell() {
        ending = true;
        int connected = 0;
        for (Peer peer : peers) {
            if (failures.any() && peer.rank() != rank && peer.unconnected() && connected < MAX_LAST_CONNECTIONS) {
                connected++;
                connectIfPossible(peer);
            }
            if (peer.channel != null || peer.awaitsPeer || peer.retries) {
                peer.farewell = true;
                outbox.schedule(peer);
            }
        }
    }

    private void connectIfPossible(Peer peer) {
        try {
            connect(peer);
        } catch (MessagingException e) {
            // No memory is left for a channel, and nothing depends on it but the peer's sentence about this rank.
        }
    }

    /** Sends the notices that wait for a peer, as far as there is space. */
    void pump(Peer peer, Channel channel) {
        while (!peer.died.isEmpty() && Outbox.sendControl(channel, ElementKind.DIED, peer.died.getFirst())) {
            peer.died.removeFirst();
        }
        sayLeaving(peer, channel);
        while (!peer.revoked.isEmpty() && Outbox.sendControl(channel, ElementKind.REVOKED, peer.revoked.getFirst())) {
            peer.revoked.removeFirst();
        }
        if (peer.doubtful && channel.counters().received > 0) {
            peer.doubtful = false;
        } else if (peer.doubtful && clock.getAsLong() - peer.doubtfulSinceNs > DOUBT_NS) {
            channel.fail("another rank has lost its connection to it, and nothing has arrived on this one.");
            return;
        }
        if (peer.farewell && peer.idleExceptFarewell() && Outbox.sendControl(channel, ElementKind.FAREWELL, 0)) {
            peer.farewell = false;
        }
    }

    /** Checks the deadlines of a peer to which there is no channel. */
    void pumpUnconnected(Peer peer) {
        long nowNs = clock.getAsLong();
        if (peer.awaitsPeer
                && nowNs - peer.awaitsSinceNs
                        > options.channel().connectTimeout().toNanos()) {
            died(
                    peer,
                    "Rank " + peer.rank() + " did not connect within "
                            + options.channel().connectTimeout().toMillis() + " ms.");
        } else if (peer.retries && nowNs - peer.retryNs >= 0) {
            connect(peer);
        }
    }

    private void onLeaving(Peer peer, Channel channel, int context) {
        if (context < 0 || context >= Integer.SIZE || (LEAVING & 1 << context) == 0) {
            channel.fail("Rank " + peer.rank() + " left the context " + context + ", which does not exist.");
            return;
        }
        peer.left |= 1 << context;
        Listener notified = listener;
        assert notified != null : "a notice before the start";
        notified.onLeaving(peer, context);
    }

    void arrived(Peer peer, Channel channel, Element element) {
        if (element.kind() == ElementKind.FAREWELL) {
            peer.saidFarewell = true;
            return;
        }
        if (element.kind() == ElementKind.LEAVING) {
            onLeaving(peer, channel, element.context());
            return;
        }
        long dead = element.word();
        if (dead < 0 || dead >= peers.length) {
            channel.fail("Rank " + peer.rank() + " reported the death of rank " + dead + ", which does not exist.");
            return;
        }
        Peer other = peers[(int) dead];
        if (dead == rank || !other.gone.isEmpty()) {
            return;
        }
        Channel toDead = other.channel;
        if (toDead == null) {
            died(other, "Rank " + dead + " died: rank " + peer.rank() + " has lost its connection to it.");
        } else if (toDead.state() == Channel.State.CONNECTING) { // nothing has arrived on it, and nothing will
            toDead.fail("rank " + peer.rank() + " has lost its connection to it.");
        } else {
            reportDeath(other); // what the dead rank has sent before arrives first, then its connection ends
            if (toDead.counters().received == 0) {
                other.doubtful = true;
                other.doubtfulSinceNs = clock.getAsLong();
                outbox.schedule(other);
            }
        }
    }
}
