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
final class Side {

    private static final long SEND_ID = 1L << 60;

    private final Node node;
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
    private final Workload workload;
    private final SetUp setUp;
    private final Optional<SwapWord> swapWord;

    private @Nullable Side peer;
    private @Nullable Conversation conversation;
    private Farewell farewell = Farewell.NONE;
    private boolean receivesBroken;
    private boolean lateWorkDone;
    private boolean queuePairClosed;

    Side(Node node, Domain domain, Plan plan, Cq sendCq, Cq receiveCq, QueuePairOptions options, Domain peerDomain) {
        this.node = node;
        this.domain = domain;
        this.plan = plan;
        this.random = node.random().fork(node.nextReceiveId());
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
        workload = new Workload(this);
        setUp = new SetUp(this);
        swapWord = peerDomain.takeSwapWord();
        node.add(this);
    }

    void meet(Conversation newConversation, Side newPeer) {
        conversation = newConversation;
        peer = newPeer;
    }

    Side peer() {
        return java.util.Objects.requireNonNull(peer);
    }

    Conversation conversation() {
        return java.util.Objects.requireNonNull(conversation);
    }

    World world() {
        return node.world();
    }

    Node node() {
        return node;
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

    Workload workload() {
        return workload;
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

    void farewell(Farewell how) {
        farewell = how;
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
    boolean over() {
        return node.dead() || setUp.over();
    }

    /** Whether nothing is left to do or to wait for, unless a side closes. */
    boolean quiet() {
        if (node.dead()) {
            return true;
        }
        if (over()) {
            return sends.drained() && receives.drained();
        }
        return setUp.open() && workload.finished() && sends.idle();
    }

    /** Whether it ended in an error. */
    boolean failed() {
        return connection().filter(c -> c.state() == ConnectionState.FAILED).isPresent();
    }

    boolean overflowed() {
        return sendCq.verbs().overflowed() || receiveCq.verbs().overflowed();
    }

    /** Whether Reads were pending when the other side closed: then it may end in an error. */
    boolean mayLoseReads() {
        return sends.readsAtRisk() || peer().sends().readsAtRisk();
    }

    // What the program does.

    /** The program works on this connection. */
    void act() {
        if (queuePairClosed) {
            return;
        }
        setUp.act();
        if (over()) {
            if (!lateWorkDone && setUp.stood()) {
                lateWorkDone = true;
                workload.postLate();
            }
            return;
        }
        if (receivesBroken || sends.broken()) {
            // Its work is being flushed: more of it would be, too, and a little more is enough.
            if (random.oneIn(50)) {
                workload.act();
            }
            return;
        }
        if (!random.oneIn(4)) {
            fillReceives();
        }
        if (setUp.open()) {
            if (farewell.due(this)) {
                Farewell how = farewell;
                farewell = Farewell.NONE;
                how.say(this);
            } else {
                workload.act();
            }
        }
    }

    void fillReceives() {
        if (!peer().workload().starvesReceiver()) {
            receives.fill();
        } else if (receives instanceof OwnReceives own
                && own.everPosted() < 2
                && conversation().strict()) {
            own.post();
        }
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

    private static boolean kindMatches(Message.Kind kind, CompletionOpcode opcode) {
        return switch (kind) {
            case SEND -> opcode == CompletionOpcode.RECEIVE;
            // On the wire immediate data after a Write is the same, whether it was posted separately or not.
            case IMMEDIATE ->
                opcode == CompletionOpcode.RECEIVE_IMMEDIATE || opcode == CompletionOpcode.RECEIVE_WRITE_IMMEDIATE;
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
            byte[] partly = first ? peer().sends().nextPayload() : new byte[0];
            domain.memory().mayHaveLanded(receive.pieces(), partly, this + ": flushed receive " + receive.wrId());
        }
    }

    // Its end.

    /** The program destroys its queue pair; pending work is reported. */
    void closeQueuePair() {
        lateWorkDone = true;
        queuePairClosed = true;
        queuePair.close();
        sendCq.drain();
        receiveCq.drain();
        if (!receives.drained() || !sends.told()) {
            fail("the queue pair was closed, and work never completed");
        }
    }

    void settle() {
        if (!node.dead() && !receives.drained()) {
            fail("receives were posted and never completed");
        }
        sends.settle();
    }

    List<Operation> pending() {
        return List.copyOf(sends.pending());
    }

    @Override
    public String toString() {
        return (peer != null && initiates() ? "initiator" : "responder") + " on " + node;
    }
}
