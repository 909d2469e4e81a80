package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.SoftConnection;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Figures;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Set;

/**
 * A connection that survives, while packets carry its messages. The stream by which it was set up stays open, and its
 * end tells the other side at once that this one has left the packets:
 *
 * <pre>
 *   on the stream        means
 *   the byte C           the sender closes the connection, and everything that it has posted is complete
 *   the byte N           the sender has the byte C of this side
 *   the end, a reset     the sender has left the packets, or its process has ended: something else continues
 *                        the connection
 *   another byte         the sender has ended the connection with an error, and nothing continues it
 * </pre>
 *
 * A graceful close is that of a stream (RFC 5041 section 6.2.1): when one side has closed, both complete what is
 * posted. Each side then says so, and the connection is closed for a side when both have, and the other one has noted
 * it. Packets can pass while the stream is silent: a side whose byte is not noted leaves both.
 */
final class PacketStage extends Stage {

    /** Any byte but {@link #COMPLETE} means that; this one is sent. */
    private static final byte ENDED = 'E';

    private static final byte COMPLETE = 'C';
    private static final byte NOTED = 'N';

    /** How long to wait until the peer has noted that this side is complete. */
    private static final long NOTED_NS = 500_000_000L;

    private static final int READ_BYTES = 64;

    /**
     * After the peer has ended the connection, how long to wait for the packet that tells which request was at fault.
     * The packet was sent before the byte on the stream.
     */
    private static final long REASON_NS = 100_000_000L;

    private final ConnectionStream channel;
    private final PacketCarriage carriage;
    private final Continuation survivor;
    private long reasonByNs = Times.NEVER;

    /** A side has closed the connection: what this side has posted is completed. */
    private boolean closing;

    /** Everything posted is complete: this side has said so, and the peer has. */
    private boolean complete;

    private boolean peerComplete;

    /** The peer has said that it is complete, and has not heard that this side knows. */
    private boolean owesNote;

    /** The peer has noted that this side is complete. */
    private boolean noted;

    /** When the stream is silent, because the peer has not. */
    private long silentAtNs = Times.NEVER;

    private boolean over;

    PacketStage(IwarpQueuePair queuePair, ConnectionStream channel, PacketCarriage carriage, Continuation survivor) {
        super(queuePair);
        this.channel = channel;
        this.carriage = carriage;
        this.survivor = survivor;
    }

    /**
     * Packets carry the messages from now on. Bytes {@code from} to {@code to} of a slab have followed the Reply.
     *
     * @param peer the offer of the peer
     */
    void start(
            Negotiated negotiated, PacketCarriage.Terms terms, byte[] peer, Slab slab, int from, int to, long nowNs) {
        queuePair().begin(this);
        boolean begun = carriage.begin(peer, terms);
        queuePair().establishedByPackets(carriage, negotiated);
        survivor.carried(false, nowNs);
        if (over) {
            return; // The application has closed the connection meanwhile.
        }
        if (!begun) {
            leave(false, "The peer offers packets that cannot be used.", nowNs);
            return;
        }
        onBytes(slab, from, to, nowNs);
        ready();
    }

    @Override
    void service(long nowNs) {
        receive(nowNs);
        if (over) {
            return;
        }
        carriage.service(nowNs);
        queuePair().settle();
        raiseEvents();
        conclude(nowNs);
    }

    private void receive(long nowNs) {
        if (peerEnded() || !channel.readable()) {
            return;
        }
        Slab slab = engine().receiveSlab();
        int count = channel.read(slab.range(0, READ_BYTES), slab.address());
        if (count == ByteStream.END) {
            leave(true, "The peer has left the packets, or its process has ended.", nowNs);
        } else if (count > 0) {
            onBytes(slab, 0, count, nowNs);
        } else if (!channel.fault().isEmpty()) {
            leave(true, "The stream that accompanies the packets has ended. " + channel.fault(), nowNs);
        }
    }

    private void onBytes(Slab slab, int from, int to, long nowNs) {
        for (int i = from; i < to; i++) {
            switch (slab.segment().get(ValueLayout.JAVA_BYTE, i)) {
                case COMPLETE -> {
                    peerComplete = true;
                    owesNote = true;
                    beginClose(ConnectionEvent.PEER_ENDED);
                }
                case NOTED -> {
                    noted = true;
                    silentAtNs = Times.NEVER;
                }
                default -> {
                    onEnded(nowNs);
                    return;
                }
            }
        }
    }

    private void beginClose(ConnectionEvent event) {
        if (!closing) {
            closing = true;
            queuePair().closeBegan(event);
            survivor.streamsOnly();
        }
    }

    private void onEnded(long nowNs) {
        reasonByNs = carriage.answersOwed() ? Times.after(nowNs, REASON_NS) : nowNs;
    }

    /** Whether the peer has ended the connection with an error. */
    private boolean peerEnded() {
        return reasonByNs != Times.NEVER;
    }

    private void raiseEvents() {
        for (Optional<AsyncEventType> each = carriage.pollEvent(); each.isPresent(); each = carriage.pollEvent()) {
            if (each.get() == AsyncEventType.PSN_SCAN) {
                queuePair().report(each.get(), "Many packets had a PSN that no correct peer sends.");
            }
        }
    }

    private void conclude(long nowNs) {
        Optional<PacketCarriage.End> end = carriage.ended();
        if (queuePair().queues().overflowed()) {
            queuePair().reportOverflow();
            fail("A completion queue of this queue pair overflowed.", Optional.empty());
        } else if (end.isPresent() && !end.get().ofTransport()) {
            fail(end.get().sentence(), end.get().event());
        } else if (Times.due(reasonByNs, nowNs)) {
            fail("The peer has ended the connection with an error.", Optional.empty());
        } else if (end.isPresent() && !peerEnded()) {
            leave(false, end.get().sentence(), nowNs);
        } else if (Times.due(silentAtNs, nowNs) && !peerEnded()) {
            leave(false, "The stream that accompanies the packets is silent.", nowNs);
        } else {
            if (closing && !peerEnded() && closesNow(nowNs)) {
                release(IwarpQueuePair.CLOSED, false);
                queuePair().closed();
                return;
            }
            deadline(Times.earlier(carriage.nextDeadlineNs(), Times.earlier(reasonByNs, silentAtNs)));
        }
    }

    /** Says what this side has heard, and that it is complete. Returns whether that is all, for both. */
    private boolean closesNow(long nowNs) {
        if (owesNote && channel.writable()) {
            say(NOTED);
            owesNote = false;
        }
        if (!complete && queuePair().queues().unsuccessfulSends() == 0 && channel.writable()) {
            say(COMPLETE);
            complete = true;
            silentAtNs = Times.after(nowNs, NOTED_NS);
        }
        return bothComplete() && noted && !owesNote && channel.drained();
    }

    private boolean bothComplete() {
        return complete && peerComplete;
    }

    private void say(byte what) {
        channel.newTail(1).segment().set(ValueLayout.JAVA_BYTE, 0, what);
        channel.sendTail(1);
    }

    /** Packets carry the connection no more: another carriage or a stream is to do so. */
    private void leave(boolean exited, String sentence, long nowNs) {
        survivor.packetsEnded(exited, CloseProgress.of(complete, bothComplete()), sentence, nowNs);
    }

    /** The connection ends, and nothing continues it. */
    private void fail(String sentence, Optional<AsyncEventType> event) {
        SoftConnection connection = queuePair().connection().orElseThrow();
        release(sentence, true);
        event.ifPresent(type -> {
            queuePair().report(type, sentence);
            queuePair().context().violations().ended(type, connection.remoteAddress(), engine().nowNs());
        });
        queuePair().packetsFailed(sentence);
    }

    private void release(String sentence, boolean failed) {
        over = true;
        carriage.end(sentence);
        if (failed && channel.writable()) {
            say(ENDED);
        }
        channel.close(false);
        queuePair().end(this);
    }

    @Override
    void onDeadline(long nowNs) {
        carriage.onDeadline(nowNs);
    }

    @Override
    boolean abort(String sentence, long nowNs) {
        fail(sentence, Optional.empty());
        return true;
    }

    @Override
    void disconnect(long nowNs) {
        beginClose(ConnectionEvent.DISCONNECT);
        ready();
    }

    @Override
    void fence(String sentence) {
        if (!over) {
            release(sentence, false);
            survivor.work().packetsEnded();
        }
    }

    @Override
    boolean limitPeer(Set<AccessRight> rights) {
        carriage.peerRights(rights);
        return true;
    }

    @Override
    void onBug(String sentence, long nowNs) {
        if (!over) {
            release(sentence, true);
        }
    }

    @Override
    void describePath(Figures.Builder figures) {
        carriage.describePath(figures);
    }

    @Override
    long stateDigest() {
        return Digest.mix(
                Digest.mix(carriage.stateDigest(), channel.stateDigest()),
                Digest.mix(reasonByNs, silentAtNs)
                        + Digest.flags(over, closing, complete, peerComplete, owesNote, noted));
    }
}
