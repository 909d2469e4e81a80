package io.verbena.messaging;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The other ranks of a job: where they are, the connections to them, who has left and who has died. Connections are made when they are
 * needed. A rank that ends in good order says farewell to all that it is connected to; a connection that ends without that has lost a
 * rank that died, and all others are told its number.
 */
final class Membership {

    // Kinds of elements.
    static final int FAREWELL = 8; // the sender ends in good order
    static final int DIED = 9; // word: a rank

    private static final int HELLO_BYTES = 24;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** When a rank is called again that had no time to answer. */
    private static final long RETRY_NS = 50_000_000;

    private final Transport transport;
    private final int rank;
    private final Peer[] peers;
    private final MessagingOptions options;
    private final LongSupplier clock;
    private final BitSet died = new BitSet();
    private final BitSet acknowledged = new BitSet();
    private List<SocketAddress> addresses = List.of();
    private long job;
    private int left; // other ranks that are not gone
    private boolean ending; // this rank: connections that end now end for that reason

    Membership(Transport transport, int rank, Peer[] peers, MessagingOptions options, LongSupplier clock) {
        this.transport = transport;
        this.rank = rank;
        this.peers = peers;
        this.options = options;
        this.clock = clock;
        left = peers.length - 1;
    }

    /** Where all ranks listen, and a number that only ranks of this job know. */
    void join(List<SocketAddress> everybody, long jobNumber) {
        addresses = List.copyOf(everybody);
        job = jobNumber;
    }

    // Who is there.

    /** Ranks that have died, lowest first. */
    List<Integer> died() {
        return died.stream().boxed().toList();
    }

    /** Operations that may need any rank do without those that have died until now. */
    void acknowledge() {
        acknowledged.or(died);
    }

    /** Why a receive in this context that may need any rank cannot begin or go on; empty if it can. */
    String obstacle(int context) {
        boolean barrier = context == Communicator.BARRIERS;
        BitSet news = (BitSet) died.clone();
        if (!barrier) {
            news.andNot(acknowledged);
        }
        if (news.isEmpty()) {
            return "";
        }
        return (news.cardinality() == 1 ? "Rank " : "Ranks ") + news.toString().replaceAll("[{}]", "") + " died: "
                + (barrier
                        ? "a barrier needs all ranks."
                        : "a receive from any rank might wait for it without end. Acknowledge the failure to receive from"
                                + " the others.");
    }

    /** Whether there is another rank from which something may come. */
    boolean anybodyLeft() {
        return left > 0;
    }

    // Connections.

    void connect(Peer peer) {
        peer.retries = false;
        Channel made = transport.endpoint().connect(addresses.get(peer.rank()), hello(peer.rank()));
        made.attach(peer);
        peer.channel = made;
    }

    /** Connects to all ranks, so that none can die unnoticed. */
    void connectAll() {
        for (Peer peer : peers) {
            if (peer.rank() != rank && peer.unconnected()) {
                connect(peer);
            }
        }
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
        Channel mine = peers[other].channel;
        // Both began at once: the lower rank's attempt stands.
        return peers[other].gone.isEmpty()
                && (mine == null || mine.state() == Channel.State.CONNECTING && other < rank);
    }

    /** Who accepts says how much it keeps for the other; who asked has said so in its hello. */
    byte[] answer(byte[] hello) {
        byte[] answer = new byte[Long.BYTES];
        MemorySegment.ofArray(answer).set(LONG, 0, peers[from(hello)].receiveCredit.windowBytes());
        return answer;
    }

    void accepted(Channel channel) {
        Peer peer = peers[from(channel.peerHello())];
        Channel mine = peer.channel;
        peer.sendCredit.window(MemorySegment.ofArray(channel.peerHello()).get(LONG, 16));
        channel.attach(peer);
        peer.channel = channel;
        peer.awaitsPeer = false;
        peer.retries = false;
        if (mine != null) {
            mine.attach(Peer.NOBODY);
        }
    }

    void opened(Channel channel) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            return;
        }
        byte[] said = channel.peerHello();
        if (said.length == Long.BYTES) { // our attempt: the answer has come
            peer.sendCredit.window(MemorySegment.ofArray(said).get(LONG, 0));
        }
        died.stream().forEach(peer.died::addLast);
        transport.wait(peer);
    }

    void ended(Channel channel, String reason) {
        Peer peer = (Peer) channel.attachment();
        if (peer.channel != channel) {
            return; // an attempt that the peer's own replaced
        }
        peer.disconnected();
        long nowNs = clock.getAsLong();
        if (channel.rejected() && peer.rank() < rank && !channel.unanswered()) {
            peer.awaitsPeer = true; // its own attempt is on its way
            peer.awaitsSinceNs = nowNs;
            transport.wait(peer);
        } else if (channel.unanswered()
                && peer.mayRetry(nowNs, options.timeout().toNanos())) {
            peer.retries = true; // it computes, and its RNIC turned us away meanwhile
            peer.retryNs = nowNs + RETRY_NS;
            transport.wait(peer);
        } else if (ending) {
            gone(peer, "The connection to rank " + peer.rank() + " is over: this rank has ended.");
        } else if (peer.saidFarewell) {
            gone(peer, "The connection to rank " + peer.rank() + " is over: the rank has ended in good order.");
        } else {
            lost(
                    peer,
                    "The connection to rank " + peer.rank() + " is over, and the rank died: "
                            + (channel.endedInOrder() ? "its connection ended without a farewell." : reason));
        }
    }

    private void gone(Peer peer, String sentence) {
        left--;
        peer.gone = sentence;
        transport.gone(peer, sentence, died());
    }

    private void lost(Peer peer, String sentence) {
        died.set(peer.rank());
        for (Peer other : peers) {
            if (other != peer && other.channel != null) {
                other.died.addLast(peer.rank());
                transport.wait(other);
            }
        }
        gone(peer, sentence);
        transport.failDependents(died());
    }

    // Words.

    /** This rank ends: all that it is connected to are to know. */
    void sayFarewell() {
        ending = true;
        for (Peer peer : peers) {
            if (peer.channel != null) {
                peer.farewell = true;
                transport.wait(peer);
            }
        }
    }

    /** Says what is to be said, as far as there is room. */
    void pump(Peer peer, Channel channel) {
        while (!peer.died.isEmpty() && say(channel, DIED, peer.died.getFirst())) {
            peer.died.removeFirst();
        }
        if (peer.farewell && peer.idleButFarewell() && say(channel, FAREWELL, 0)) {
            peer.farewell = false;
        }
    }

    private boolean say(Channel channel, int kind, int word) {
        return transport.say(channel, kind, 0, 0, word, MemorySegment.NULL, 0);
    }

    /** Looks after a peer to which there is no channel. */
    void pumpUnconnected(Peer peer) {
        long nowNs = clock.getAsLong();
        if (peer.awaitsPeer
                && nowNs - peer.awaitsSinceNs
                        > options.channel().connectTimeout().toNanos()) {
            lost(peer, "Rank " + peer.rank() + " did not connect in time.");
        } else if (peer.retries && nowNs - peer.retryNs >= 0) {
            connect(peer);
        }
    }

    void arrived(Peer peer, Channel channel, Element element) {
        if (element.kind() == FAREWELL) {
            peer.saidFarewell = true;
            return;
        }
        long dead = element.word();
        if (dead < 0 || dead >= peers.length) {
            channel.fail("Rank " + peer.rank() + " says that rank " + dead + " died, which there is not.");
            return;
        }
        Peer other = peers[(int) dead];
        // Who is connected to it finds out for itself.
        if (dead != rank && other.gone.isEmpty() && other.channel == null) {
            lost(other, "Rank " + dead + " died: rank " + peer.rank() + " has lost its connection to it.");
        }
    }
}
