package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One side of a conversation: a queue pair and its program. */
final class Side implements SharedReceives.User {

    private static final long SEND_ID = 1L << 60;

    private final Program program;
    private final Domain domain;
    private final SimRandom random;
    private final Cq sendCq;
    private final Cq receiveCq;
    private final Cq.Share sendRoom;
    private final Cq.Share receiveRoom;
    private final QueuePairOptions options;
    private final QueuePair queuePair;
    private final Plan plan;
    private final Sends sends;
    private final ReceiveSource receives;
    private final Task task;
    private final SetUp setUp;

    private @Nullable Side peer;
    private @Nullable Conversation conversation;
    private Optional<SwapWord> swapWord = Optional.empty();
    private Farewell farewell = Farewell.NONE;
    private boolean receivesBroken;
    private boolean finished;
    private boolean starvesReceiver;
    private boolean queuePairClosed;

    Side(Program program, Domain domain, Plan plan, Cq sendCq, Cq receiveCq, QueuePairOptions options) {
        this.program = program;
        this.domain = domain;
        this.plan = plan;
        this.random = program.random().fork(program.nextReceiveId());
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        this.options = options.withContext(this);
        sendRoom = sendCq.newShare();
        domain.use();
        queuePair = domain.verbs().createQueuePair(this.options);
        sends = new Sends(this);
        Optional<SharedReceives> shared = options.sharedReceiveQueue().isPresent() ? domain.shared() : Optional.empty();
        shared.ifPresent(source -> source.use(this));
        receiveRoom = shared.isPresent() ? shared.get().room() : receiveCq.newShare();
        receives = shared.isPresent() ? shared.get() : new OwnReceives(this);
        task = Task.draw(random, plan);
        setUp = new SetUp(this);
    }

    void meet(Conversation newConversation, Side newPeer) {
        conversation = newConversation;
        peer = newPeer;
        swapWord = newPeer.domain().takeSwapWord();
    }

    Side peer() {
        return java.util.Objects.requireNonNull(peer);
    }

    Conversation conversation() {
        return java.util.Objects.requireNonNull(conversation);
    }

    World world() {
        return program.world();
    }

    Program program() {
        return program;
    }

    Domain domain() {
        return domain;
    }

    Plan plan() {
        return plan;
    }

    SimRandom random() {
        return random;
    }

    /** Space for completions of sends. */
    Cq.Share sendRoom() {
        return sendRoom;
    }

    /** Space for completions of receives. */
    Cq.Share receiveRoom() {
        return receiveRoom;
    }

    QueuePairOptions options() {
        return options;
    }

    boolean queuePairClosed() {
        return queuePairClosed;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    Sends sends() {
        return sends;
    }

    ReceiveSource receives() {
        return receives;
    }

    Task task() {
        return task;
    }

    /** All of its task has been posted. */
    void finish() {
        finished = true;
    }

    boolean finished() {
        return finished;
    }

    /** The other side must run out of receives, because a message without a receive is the deliberate error. */
    void starveReceiver() {
        starvesReceiver = true;
    }

    boolean starvesReceiver() {
        return starvesReceiver;
    }

    SetUp setUp() {
        return setUp;
    }

    /** The word of the other side that only this side swaps. */
    Optional<SwapWord> swapWord() {
        return swapWord;
    }

    Optional<Connection> connection() {
        return setUp.connection();
    }

    void farewell(Farewell manner) {
        farewell = manner;
    }

    /** How it will end the connection. */
    Farewell farewell() {
        return farewell;
    }

    /** It ends the connection now, once. */
    Farewell takeFarewell() {
        Farewell manner = farewell;
        farewell = Farewell.NONE;
        return manner;
    }

    long sendId(long sequence) {
        return SEND_ID | (long) queuePair.number() << 32 | sequence;
    }

    void fail(String sentence) {
        world().fail(conversation() + ", " + this + ": " + sentence);
    }

    // State.

    boolean initiates() {
        return conversation().initiator() == this;
    }

    /** Whether it was connected and has ended, or will never be connected. */
    @Override
    public boolean over() {
        return program.dead() || setUp.over();
    }

    @Override
    public int messagesUnderWay() {
        return peer().sends().messagesUnderWay();
    }

    /** Whether nothing is left to do or to wait for, unless a side closes. */
    boolean quiet() {
        if (program.dead()) {
            return true;
        }
        if (over()) {
            return receives.drained() && sends.drained();
        }
        return setUp.open() && finished && sends.idle();
    }

    /** Whether it ended in an error. */
    boolean failed() {
        return connection().filter(c -> c.state() == ConnectionState.FAILED).isPresent();
    }

    /** Whether a receive has failed, so that all later ones fail too. */
    boolean receivesBroken() {
        return receivesBroken;
    }

    boolean overflowed() {
        return sendCq.verbs().overflowed() || receiveCq.verbs().overflowed();
    }

    /** Whether Reads were pending when the other side closed: then it may end in an error. */
    boolean mayLoseReads() {
        return sends.readsAtRisk() || peer().sends().readsAtRisk();
    }

    // Completions.

    void onCompletion(CompletionCursor cursor) {
        switch (cursor.opcode()) {
            case RECEIVE, RECEIVE_IMMEDIATE, RECEIVE_WRITE_IMMEDIATE -> onReceive(cursor);
            default -> sends.onCompletion(cursor);
        }
    }

    private void onReceive(CompletionCursor cursor) {
        receiveRoom.release();
        Receive receive = receives.take(cursor.wrId());
        if (cursor.ok()) {
            if (receivesBroken) {
                fail("a receive succeeded after one that failed");
            }
            if (conversation().hostile()) {
                domain.memory().wild(receive.pieces());
            } else {
                onArrival(receive, cursor);
            }
        } else {
            onFlush(receive, cursor);
        }
        for (Piece piece : receive.pieces()) {
            if (random.oneIn(2)) {
                domain.memory().scribble(piece);
            }
        }
        Zone.giveAll(receive.pieces());
    }

    private void onArrival(Receive receive, CompletionCursor cursor) {
        Message message = peer().sends().delivered();
        world().log(() -> this + " receives " + message);
        Operation sent = message.operation;
        byte[] placed = message.kind == Message.Kind.SEND ? sent.payload : new byte[0];
        domain.memory().landed(receive.pieces(), placed, this + ": " + message);
        // RFC 5040 section 5.5: messages after a Write are delivered when the Write is placed.
        peer().sends().confirm(sent.sequence);
        boolean immediate = message.kind != Message.Kind.SEND;
        check(message, "opcode " + cursor.opcode(), kindMatches(message.kind, cursor.opcode()));
        check(message, "immediate data", cursor.hasImmediate() == immediate);
        check(message, "the immediate value", !immediate || cursor.immediate() == message.immediate);
        check(message, "solicited", cursor.solicited() == message.solicited);
        boolean countsBytes = message.kind != Message.Kind.IMMEDIATE;
        check(message, "byte count " + cursor.byteCount(), !countsBytes || cursor.byteCount() == sent.payload.length);
        boolean invalidates = message.invalidated.isPresent();
        check(message, "an invalidated key", cursor.hasInvalidatedKey() == invalidates);
        if (invalidates) {
            check(message, "the invalidated key", cursor.invalidatedKey() == message.invalidatedKey);
            Zone zone = message.invalidated.get();
            check(message, "a key that is still valid", !zone.region().valid());
            domain.giveKey(zone);
        }
    }

    private void check(Message message, String what, boolean right) {
        if (!right) {
            fail(message + " was reported with a wrong attribute: " + what);
        }
    }

    private boolean kindMatches(Message.Kind kind, CompletionOpcode opcode) {
        return switch (kind) {
            case SEND -> opcode == CompletionOpcode.RECEIVE;
            // On the wire immediate data after a Write is the same, whether it was posted separately or not.
            // In InfiniBand immediate data alone is a Send without payload.
            case IMMEDIATE ->
                world().overRoce()
                        ? opcode == CompletionOpcode.RECEIVE
                        : opcode == CompletionOpcode.RECEIVE_IMMEDIATE
                                || opcode == CompletionOpcode.RECEIVE_WRITE_IMMEDIATE;
            case WRITE_IMMEDIATE -> opcode == CompletionOpcode.RECEIVE_WRITE_IMMEDIATE;
        };
    }

    private void onFlush(Receive receive, CompletionCursor cursor) {
        boolean first = !receivesBroken;
        receivesBroken = true;
        if (conversation().strict() && !conversation().closing()) {
            fail("receive " + receive.wrId() + " completed " + cursor.status() + ": " + cursor.reason());
        }
        if (cursor.reason().isBlank()) {
            fail("receive " + receive.wrId() + " completed " + cursor.status() + " without a reason");
        }
        if (conversation().hostile()) {
            domain.memory().wild(receive.pieces());
        } else {
            domain.memory()
                    .mayHaveLanded(
                            receive.pieces(), partlyArrived(first), this + ": flushed receive " + receive.wrId());
        }
    }

    /** Payloads of which bytes may be in a flushed receive. Messages after a hole may be placed, too. */
    private List<byte[]> partlyArrived(boolean first) {
        if (world().placesAfterHoles()) {
            return peer().sends().undeliveredPayloads();
        }
        return first ? peer().sends().nextPayload() : List.of();
    }

    // Its end.

    /** The program destroys its queue pair; pending work is reported. */
    void closeQueuePair() {
        queuePairClosed = true;
        queuePair.close();
        sendCq.drain();
        receiveCq.drain();
        if (!receives.drained() || !sends.allReported()) {
            fail("the queue pair was closed, and work never completed");
        }
    }

    void settle() {
        if (!program.dead() && !receives.drained()) {
            fail("receives were posted and never completed");
        }
        sends.settle();
    }

    List<Operation> pending() {
        return List.copyOf(sends.pending());
    }

    @Override
    public String toString() {
        return (peer != null && initiates() ? "initiator" : "responder") + " on " + program;
    }
}
