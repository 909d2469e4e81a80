package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Log;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.startup.InitiatorStartUp;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.iwarp.startup.StartUpOutcome;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamLoop;
import java.util.Optional;

/**
 * Knows whether another address of the peer works, so that a silent stream can be left at once. Each question is a
 * connection of its own, with PROBE as its Request and ALIVE in the rejecting Reply: the peer keeps nothing of it.
 *
 * <pre>
 *             pause is over, or the stream is silent
 *   WAITING -----------------------------------------> CONNECTING ---> ASKING
 *      ^  ^     no connection, no answer within 1 s        |             |
 *      |  +------------------------------------------------+-------------+
 *      |                    ALIVE                                        |
 *      +-----------------------------------------------------------------+
 *      |        the stream is still silent               ALIVE, and the stream is silent
 *   LEAVING &lt;------------------------------------------------------------+
 * </pre>
 *
 * In LEAVING an answer that is under way on the silent stream has some more time: a peer that was stopped for a moment
 * answers on all addresses. The engine of the queue pair calls every method.
 */
final class Standby extends Endpoint implements StreamLoop.ConnectEvents {

    /** What has the connection. */
    interface Owner {

        /** The address to ask at; negative if none is to be asked now. */
        int addressToAsk();

        /** Begins to connect to an address. */
        void connect(int address, StreamLoop.ConnectEvents events);

        /** The bytes of a PROBE with this number. */
        byte[] probe(long number);

        /** Whether these are the bytes of the ALIVE that answers it. */
        boolean answers(byte[] reply, long number);

        /** Whether the peer is silent on the current stream. */
        boolean silent();

        /** The connection is to continue at this address. */
        void leaveFor(int address, long nowNs);
    }

    private enum State {
        WAITING,
        CONNECTING,
        ASKING,
        LEAVING,
        ENDED
    }

    /** From an answer to the next question while nothing is silent. */
    private static final long PERIOD_NS = 5_000_000_000L;

    /** After a question without an answer, doubled up to this many times. */
    private static final int MOST_DOUBLINGS = 4;

    /** The same while the current stream is silent. */
    private static final long URGENT_PERIOD_NS = 10_000_000L;

    private static final int MOST_URGENT_DOUBLINGS = 7;

    private static final long ANSWER_NS = 1_000_000_000L;
    private static final long GRACE_NS = 20_000_000L;

    /** Larger than a rejecting Reply. */
    private static final int READ_BYTES = 2048;

    private final Owner owner;
    private final RnicEngine engine;
    private final StartUpOptions options;

    private State state = State.WAITING;
    private Optional<Question> question = Optional.empty();
    private int address;
    private long number;
    private int failures;

    /** Whether the address is asked because the current stream is silent. */
    private boolean urgent;

    private long byNs;

    /** The connection of a question. */
    private record Question(ConnectionStream channel, InitiatorStartUp startUp) {}

    private Standby(Owner owner, RnicEngine engine, StartUpOptions options) {
        this.owner = owner;
        this.engine = engine;
        this.options = options.withTimeoutNs(ANSWER_NS);
    }

    /** Asks from now on. */
    static Standby begin(Owner owner, RnicEngine engine, StartUpOptions options) {
        Standby standby = new Standby(owner, engine, options);
        engine.join(standby);
        standby.await(engine.nowNs());
        return standby;
    }

    /** Asks nothing more. */
    void end() {
        if (state != State.ENDED) {
            drop(true);
            state = State.ENDED;
            engine.leave(this);
        }
    }

    /** The current stream is silent. Called again and again while it is. */
    void onSilence(long nowNs) {
        if (urgent || state == State.ENDED) {
            return;
        }
        urgent = true;
        failures = 0;
        if (state == State.WAITING) {
            ask(nowNs);
        }
    }

    private void ask(long nowNs) {
        if (!owner.silent()) {
            urgent = false;
        }
        address = owner.addressToAsk();
        if (address < 0) {
            pause(nowNs);
            return;
        }
        state = State.CONNECTING;
        number = engine.random().nextLong() >>> 1;
        await(Times.after(nowNs, ANSWER_NS));
        try {
            owner.connect(address, this);
        } catch (RuntimeException e) {
            failed(); // the address is not usable
        }
    }

    private void await(long untilNs) {
        byNs = untilNs;
        engine.deadline(this, untilNs);
    }

    private void pause(long nowNs) {
        state = State.WAITING;
        long pauseNs = urgent
                ? URGENT_PERIOD_NS << Math.min(failures, MOST_URGENT_DOUBLINGS)
                : PERIOD_NS << Math.min(failures, MOST_DOUBLINGS);
        await(Times.after(nowNs, pauseNs));
    }

    @Override
    public void onConnected(ByteStream stream) {
        if (state != State.CONNECTING) {
            stream.close(true);
            return;
        }
        try {
            InitiatorStartUp startUp =
                    new InitiatorStartUp(options.withPrivateData(PrivateData.of(owner.probe(number))));
            question = Optional.of(new Question(new ConnectionStream(engine, stream, this), startUp));
            startUp.start(engine.nowNs());
            state = State.ASKING;
            engine.ready(this);
        } catch (Throwable e) {
            Log.bug("asking another address of the peer", e);
            stream.close(true);
            failed();
        }
    }

    @Override
    public void onConnectFailed(boolean refused, String sentence) {
        failed();
    }

    @Override
    protected void service(long nowNs) {
        if (question.isEmpty()) {
            return;
        }
        ConnectionStream channel = question.get().channel();
        InitiatorStartUp startUp = question.get().startUp();
        channel.send(startUp);
        while (startUp.outcome() instanceof StartUpOutcome.Pending && channel.drained() && channel.readable()) {
            Slab slab = engine.receiveSlab();
            int count = channel.read(slab.range(0, READ_BYTES), slab.address());
            if (count == ByteStream.END) {
                startUp.onEndOfStream();
            } else if (count > 0) {
                startUp.onBytes(slab.segment(), 0, count, nowNs);
            }
        }
        if (startUp.outcome() instanceof StartUpOutcome.Rejected(var reply, var _)) {
            answered(owner.answers(reply.toArray(), number), nowNs);
        } else if (!(startUp.outcome() instanceof StartUpOutcome.Pending)
                || !channel.fault().isEmpty()) {
            failed();
        }
    }

    private void answered(boolean alive, long nowNs) {
        if (!alive) {
            failed();
            return;
        }
        drop(false);
        failures = 0;
        if (urgent && owner.silent()) {
            state = State.LEAVING;
            await(Times.after(nowNs, GRACE_NS));
        } else {
            urgent = false;
            pause(nowNs);
        }
    }

    private void failed() {
        if (state == State.CONNECTING || state == State.ASKING) {
            drop(true);
            pause(engine.nowNs());
            failures++;
        }
    }

    private void drop(boolean abortive) {
        if (state == State.CONNECTING) {
            engine.streams().giveUpConnecting(this);
        }
        question.ifPresent(it -> it.channel().close(abortive));
        question = Optional.empty();
    }

    @Override
    protected void onDeadline(long nowNs) {
        if (!Times.due(byNs, nowNs)) {
            return;
        }
        switch (state) {
            case WAITING -> ask(nowNs);
            case CONNECTING, ASKING -> failed();
            case LEAVING -> {
                boolean leaves = owner.silent();
                urgent = false;
                pause(nowNs);
                if (leaves) {
                    owner.leaveFor(address, nowNs);
                }
            }
            case ENDED -> {}
        }
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        end();
    }

    @Override
    protected long stateDigest() {
        long digest = Digest.mix(Digest.mix(state.ordinal(), address), failures * 2L + (urgent ? 1 : 0));
        digest = Digest.mix(Digest.mix(digest, number), Times.leftNs(byNs, engine.nowNs()));
        return question.isEmpty()
                ? digest
                : Digest.mix(
                        Digest.mix(digest, question.get().channel().stateDigest()),
                        question.get().startUp().stateDigest());
    }
}
