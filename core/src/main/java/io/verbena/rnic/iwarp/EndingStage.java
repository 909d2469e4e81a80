package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.iwarp.Ending;
import io.verbena.iwarp.IwarpStream;
import io.verbena.rnic.SoftConnection;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Figures;
import java.util.Set;

/**
 * The end of a connection in RDMA mode, from the moment in which its {@link Ending} is known until its stream is closed. Bytes are
 * still moved, by the methods of {@link RdmaStage}.
 *
 * <pre>
 *   state      until                                         meanwhile                          then
 *   WAITING    the peer has returned what was lent to it     the connection keeps its phase;    the end is reported, and
 *              and accesses no memory of this side           what is lent is withdrawn after    work is flushed
 *                                                            a time, or at once after an abort
 *   FLUSHING   all work is flushed                           completion queues are full;        -
 *                                                            the stream lingers as below
 *   LINGERING  both directions have ended, the stream is     a Terminate message is sent, and   the stream is closed
 *              broken, or the peer is late                   bytes of the peer are discarded
 * </pre>
 *
 * The stream may be closed in FLUSHING: the engine flushes the rest of the work without it.
 */
final class EndingStage extends Stage {

    private enum State {
        WAITING,
        FLUSHING,
        LINGERING
    }

    /** Time that a stream lingers after an error for the peer to close it too. */
    private static final long LINGER_NS = 1_000_000_000L;

    /**
     * A stream lingers longer, up to this time, until the TCP of the peer has acknowledged the Terminate message: closing it would
     * discard a message that TCP still repeats. Covers six losses of it in a row with the usual timeouts.
     */
    private static final long LONGEST_LINGER_NS = 15_000_000_000L;

    private static final long LINGER_CHECK_NS = 100_000_000L;

    /** Time for the peer to copy what was lent to it, before the work that is flushed. */
    private static final long RETURN_NS = 100_000_000L;

    private final RdmaStage traffic;
    private final SoftConnection connection;
    private final ConnectionStream channel;
    private final IwarpStream rdma;

    private State state = State.WAITING;
    private boolean aborted;
    private long returnByNs = Times.NEVER;
    private long checkAtNs = Times.NEVER;
    private long lingerByNs = Times.NEVER;

    EndingStage(RdmaStage traffic, SoftConnection connection) {
        super(traffic.queuePair());
        this.traffic = traffic;
        this.connection = connection;
        channel = traffic.channel();
        rdma = traffic.rdma();
    }

    @Override
    void service(long nowNs) {
        traffic.move(nowNs);
        conclude(nowNs);
    }

    /** Goes on to the next states as far as that is possible now. */
    void conclude(long nowNs) {
        traffic.settleStream(nowNs);
        Ending ending = rdma.ending().orElseThrow();
        boolean peerInside = state == State.WAITING && !endGrants();
        if (state == State.WAITING && endLoans(ending, nowNs) && !peerInside) {
            report(ending, nowNs);
        }
        queuePair().reportLimited(this);
        if (state == State.FLUSHING && queuePair().flushOrRetry()) {
            state = State.LINGERING;
        }
        queuePair().settle();
        if (state == State.WAITING) {
            long untilNs = Times.earlier(traffic.closeByNs(), returnByNs);
            traffic.await(nowNs, peerInside ? Times.earlier(untilNs, Times.after(nowNs, RdmaStage.RETRY_NS)) : untilNs);
            return;
        }
        queuePair().flushed();
        if (traffic.broken() || rdma.finished() && channel.drained() || lingered(nowNs)) {
            finish(ending);
            return;
        }
        traffic.await(nowNs, checkAtNs);
        if (channel.writable() && rdma.hasTransmitWork(nowNs)) {
            // A Terminate message is pending.
            ready();
        }
    }

    /**
     * Ends the loans. Returns whether work may be flushed: the peer has copied what was lent to it, or does not use it. A peer that
     * is to receive a Terminate message has some time to copy what precedes that message.
     */
    private boolean endLoans(Ending ending, long nowNs) {
        if (!rdma.lends()) {
            return true;
        }
        if (aborted
                || traffic.broken()
                || ending.kind() != Ending.Kind.TERMINATED_BY_US
                || Times.due(returnByNs, nowNs)) {
            channel.withdraw();
            rdma.onWithdrawn();
            return true;
        }
        if (returnByNs == Times.NEVER) {
            returnByNs = Times.after(nowNs, RETURN_NS);
        }
        return false;
    }

    /** Ends the grants. Returns whether work may be flushed: the peer accesses no memory of this side directly any more. */
    private boolean endGrants() {
        return traffic.direct().isEmpty() || traffic.direct().get().end();
    }

    private void report(Ending ending, long nowNs) {
        state = State.FLUSHING;
        ending.termination().ifPresent(connection::termination);
        queuePair().onEnding(ending, traffic.delivered());
        checkAtNs = Times.after(nowNs, LINGER_NS);
        lingerByNs = Times.after(nowNs, ending.abrupt() ? LINGER_NS : LONGEST_LINGER_NS);
        // Bytes of the peer are read and discarded, so that the last message sent to it is not lost to a reset.
        channel.wantReadable(true);
    }

    private boolean lingered(long nowNs) {
        if (!Times.due(checkAtNs, nowNs)) {
            return false;
        }
        if (Times.due(lingerByNs, nowNs) || channel.acknowledged()) {
            return true;
        }
        checkAtNs = Times.after(nowNs, LINGER_CHECK_NS);
        return false;
    }

    private void finish(Ending ending) {
        boolean orderly = rdma.finished() && !traffic.broken() && !ending.abrupt();
        queuePair().end(this);
        traffic.close(!orderly);
        queuePair().streamClosed(ending.failed() ? ending.sentence() : IwarpQueuePair.CLOSED);
    }

    @Override
    void onDeadline(long nowNs) {
        if (state == State.WAITING) {
            traffic.onDeadline(nowNs);
        } else {
            traffic.onStreamDeadline(nowNs);
        }
    }

    @Override
    boolean abort(String sentence, long nowNs) {
        aborted = true;
        rdma.abort(sentence);
        conclude(nowNs);
        return state != State.WAITING;
    }

    @Override
    void fence(String sentence) {
        throw new IllegalStateException("the connection ends already, and nothing continues it");
    }

    @Override
    void disconnect(long nowNs) {
        if (state == State.WAITING) {
            traffic.disconnect(nowNs);
        }
    }

    @Override
    boolean limitPeer(Set<AccessRight> rights) {
        return traffic.limitPeer(rights);
    }

    @Override
    boolean peerLeft() {
        return traffic.peerLeft();
    }

    @Override
    void onBug(String sentence, long nowNs) {
        traffic.onBug(this, sentence);
    }

    @Override
    void describePath(Figures.Builder figures) {
        traffic.describePath(figures);
    }

    @Override
    long stateDigest() {
        long digest = Digest.mix(traffic.streamDigest(), 2L * state.ordinal() + (aborted ? 1 : 0));
        digest = Digest.mix(digest, state == State.WAITING ? traffic.closeByNs() : checkAtNs);
        return Digest.mix(Digest.mix(digest, returnByNs), lingerByNs);
    }
}
