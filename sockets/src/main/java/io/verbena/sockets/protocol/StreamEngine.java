package io.verbena.sockets.protocol;

import io.verbena.base.Digest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One stream: a byte stream in each direction, over RDMA Writes into the buffers of the peer.
 *
 * <p>The owner of the queue pair calls {@link #onMessage} for each receive and {@link #onWorkDone} for each completion of
 * the send queue, and after each call, also of the application, posts what {@link #nextWork} returns until it returns
 * false. One thread at a time calls an engine.
 *
 * <p><b>Slots.</b> The engine counts the entries of the send queue, so that posting never fails for want of one. A message
 * after an RDMA Write needs one entry with immediate data, else two. Data leave {@link StreamSettings#CONTROL_MESSAGES}
 * entries to targets, credits and the end of the stream, which release the peer.
 *
 * <p>Over 500 lines: one state machine, of which a third documents the calls that its owner makes.
 */
public final class StreamEngine {

    private final StreamSettings settings;
    private final Inbound inbound;
    private final Outbound outbound;
    private final StreamMemory table;
    private final ShortMessages shorts;

    private StreamState state = StreamState.CONNECTING;
    private String reason = "";

    /** Agreed: a message after a Write is its immediate data. */
    private boolean immediate;

    /** Agreed: a side that closes states how many bytes it has left. */
    private boolean rests;

    private ByteOrder peerOrder = ByteOrder.LITTLE_ENDIAN;
    private long peerTable;
    private int peerTableKey;

    private OwnEnd reported = OwnEnd.UNREPORTED;
    private PeerEnd peer = PeerEnd.SENDS;
    private boolean inputShut;
    private boolean probeDue;

    /** Whether a reset is notified: the peer may be librdmacm, which does not notice it otherwise, and nothing was dropped. */
    private boolean notifies;

    /** Entries of the send queue: posted, completed, and posted up to the last one that is signalled. */
    private long slots;

    private long slotsDone;
    private long slotsSignalled;
    private long positionSignalled;

    /** For the work that ends at each entry: how far the data are sent when it completes. */
    private final long[] positions;

    /**
     * A stream that is not connected.
     *
     * @param table {@link Outbound#TABLE_BYTES} bytes that the peer can write
     */
    public StreamEngine(
            StreamSettings settings,
            StreamBuffers buffers,
            StreamMemory table,
            StreamMemory receiveBuffer,
            StreamMemory sendBuffer) {
        this.settings = settings;
        this.table = table;
        inbound = new Inbound(buffers, settings, receiveBuffer);
        shorts = new ShortMessages(buffers);
        outbound = new Outbound(buffers, settings, sendBuffer, table.bytes(), shorts);
        positions = new long[Integer.highestOneBit(settings.sendSlots() - 1) << 1];
    }

    /** Bytes of the memory for the peer's targets. */
    public static int tableBytes() {
        return Outbound.TABLE_BYTES;
    }

    // The connection.

    /** The private data of a request for a connection. */
    public byte[] request() {
        return describe(settings.immediate());
    }

    /** The private data of the reply, after {@link #onConnected}: it states what was agreed. */
    public byte[] reply() {
        return describe(immediate);
    }

    private byte[] describe(boolean withImmediate) {
        ConnectData data = ConnectData.create()
                .flags(ConnectData.HAS_MAP)
                .extensions(ConnectData.extensions(withImmediate && !settings.infiniband()))
                .table(table.address(), table.key(), Outbound.ENTRIES);
        inbound.describe(data);
        return data.toBytes();
    }

    /**
     * The peer has sent its private data. Returns false if it does not speak this protocol or this version of it; then the
     * connection is of no use.
     */
    public boolean onConnected(ConnectData from) {
        if (from.version() != ConnectData.VERSION
                || Integer.compareUnsigned(from.tableEntries(), Outbound.ENTRIES) < 0) {
            return false;
        }
        // What the peer agrees to counts only if it was offered.
        immediate = settings.infiniband() || settings.immediate() && (from.extensions() & ConnectData.IMMEDIATE) != 0;
        notifies = (from.extensions() & ConnectData.RESETS) == 0;
        rests = (from.extensions() & ConnectData.RESTS) != 0;
        if (immediate && !settings.infiniband() && (from.extensions() & ConnectData.SHORTS) != 0) {
            shorts.agree();
        }
        peerOrder = (from.flags() & ConnectData.BIG_ENDIAN) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        peerTable = from.tableAddress();
        peerTableKey = from.tableKey();
        outbound.onConnected(from);
        move(StreamState.Event.CONNECTED);
        return true;
    }

    /** Whether the peer sends a target as soon as it has the connection: a program over librdmacm does so when it reads or writes. */
    public boolean peerGreets() {
        return rests;
    }

    /** Whether the peer was notified that this side neither sends nor reads any more. */
    public boolean disconnected() {
        return reported == OwnEnd.DISCONNECTED;
    }

    /** Whether a message after a Write is its immediate data, and a message alone is that of a Write of 0 bytes. */
    public boolean immediate() {
        return immediate;
    }

    public StreamState state() {
        return state;
    }

    /** The end of the stream: docs/generated/stream-combinations.txt lists those that exist. */
    record Ends(StreamState state, OwnEnd reported, PeerEnd peer, boolean inputShut) {
        @Override
        public String toString() {
            return state + " " + reported + " " + peer + (inputShut ? ", input shut" : "");
        }
    }

    Ends ends() {
        return new Ends(state, reported, peer, inputShut);
    }

    /** Why the stream was lost; empty if it was not. */
    public String reason() {
        return reason;
    }

    private void move(StreamState.Event event) {
        state = StreamState.TABLE.next(state, event);
    }

    private void fail(String sentence) {
        boolean before = state.over();
        move(StreamState.Event.FAILED);
        if (!before && state == StreamState.LOST) {
            reason = sentence;
        }
    }

    /** The connection ended; {@code sentence} says why. */
    public void onConnectionEnded(String sentence) {
        boolean before = state.over();
        move(StreamState.Event.CONNECTION_ENDED);
        if (!before && state == StreamState.LOST) {
            reason = sentence;
        }
    }

    /**
     * The process of the peer has ended, in order as far as its system knows: it neither sends nor reads any more, as if it had closed
     * the socket.
     */
    public void onPeerExited(String sentence) {
        if (state == StreamState.CONNECTING) {
            onConnectionEnded(sentence);
        } else if (!state.over()) {
            onDisconnected();
        }
    }

    private void onDisconnected() {
        peer = peer.next(PeerEnd.Event.DISCONNECT);
        outbound.drop();
        move(StreamState.Event.PEER_DISCONNECTED);
    }

    // Messages of the peer, and completions.

    /** The peer sent a message. */
    public void onMessage(int message) {
        if (state.over()) {
            return;
        }
        if (state == StreamState.CONNECTING) {
            fail("The peer sent " + StreamMessage.describe(message) + " before the connection was established.");
            return;
        }
        int value = StreamMessage.value(message);
        switch (StreamMessage.type(message)) {
            case StreamMessage.DATA -> onData(value);
            case StreamMessage.SHORTS -> onShorts(value, message);
            case StreamMessage.CREDITS -> outbound.onCredits(value);
            case StreamMessage.CONTROL -> onControl(value);
            case StreamMessage.REST -> onRest(value, message);
            default -> failUnagreed(message);
        }
    }

    private void failUnagreed(int message) {
        fail("The peer sent a message that was not agreed on: " + StreamMessage.describe(message) + ".");
    }

    private void onRest(int bytes, int message) {
        if (!rests) {
            failUnagreed(message);
        } else if (peer == PeerEnd.SENDS) {
            inbound.onRest(bytes);
        }
    }

    private void onShorts(int messages, int message) {
        if (!shorts.onProvided(messages)) {
            failUnagreed(message);
        }
    }

    private void onData(int bytes) {
        if (peer != PeerEnd.SENDS) {
            failEnded();
        } else if (!inbound.onData(bytes)) {
            failUnpermitted(bytes);
        } else {
            shorts.onWritten(bytes);
        }
    }

    private void failEnded() {
        fail("The peer sent data after the end of its stream.");
    }

    private void failUnpermitted(int bytes) {
        fail("The peer sent " + bytes + " bytes without a target or a credit for them.");
    }

    /**
     * The peer sent data in a Send: they are at {@code index} of {@code from}, which this does not use after the
     * call.
     */
    public void onShort(ByteBuffer from, int index, int bytes) {
        if (state.over()) {
            return;
        }
        if (!shorts.expected()) {
            fail("The peer sent " + bytes + " bytes in a Send, which was not agreed on.");
        } else if (peer != PeerEnd.SENDS) {
            failEnded();
        } else if (!inbound.onShort(from, index, bytes)) {
            failUnpermitted(bytes);
        }
    }

    private void onControl(int value) {
        switch (value) {
            case StreamMessage.DISCONNECT -> onDisconnected();
            case StreamMessage.SHUTDOWN -> {
                peer = peer.next(PeerEnd.Event.SHUTDOWN);
                move(StreamState.Event.PEER_SHUT);
            }
            case StreamMessage.KEEP_ALIVE -> {}
            default -> fail("The peer sent the unknown control message " + value + ".");
        }
    }

    /** The work with this number, and all work before it, completed. */
    public void onWorkDone(long id) {
        slotsDone = id;
        outbound.onDone(positions[(int) id & positions.length - 1]);
        checkFlushed();
    }

    private void checkFlushed() {
        boolean allSent = switch (reported) {
            case UNREPORTED, SHUT, REST -> false;
            case RESETTING -> slots == 0 && !outbound.sendable();
            case CONFIRMING, DISCONNECTED -> true;
        };
        if (state == StreamState.CLOSING && (peer == PeerEnd.GONE || allSent && slotsDone == slots)) {
            move(StreamState.Event.FLUSHED);
        }
    }

    // The application.

    /** Takes bytes to send, as many as there is space for; 0 if there is none. */
    public int write(ByteBuffer source) {
        return state.sends() ? outbound.write(source) : 0;
    }

    /**
     * Space for bytes that the application puts there itself, from position to limit: what a write of {@code most} bytes would take, as far as
     * it lies in one piece. {@link #filled} follows, before other calls of the application.
     */
    public ByteBuffer space(int most) {
        return outbound.space(state.sends() ? most : 0);
    }

    /** The application has put bytes into {@link #space}; 0 changes nothing. */
    public void filled(int bytes) {
        outbound.onFilled(bytes);
    }

    /** The application may be able to copy bytes to the memory of the peer, because both sides share memory. */
    public void peerReachable() {
        outbound.reachable();
    }

    /**
     * Bytes of a write of this size that the application may copy itself to {@link #placeAddress}, instead of writing them; 0 if there
     * are none. {@link #placed} or {@link #notPlaced} follows, before other calls of the application.
     */
    public int placeable(int bytes) {
        return state.sends() && free() > StreamSettings.CONTROL_MESSAGES ? outbound.placeable(bytes) : 0;
    }

    /** Where {@link #placeable} bytes belong in the memory of the peer. */
    public long placeAddress() {
        return outbound.placeAddress();
    }

    /** The key of {@link #placeAddress}. */
    public int placeKey() {
        return outbound.placeKey();
    }

    /** Bytes are in the memory of the peer, as many as {@link #placeable} has returned. A message announces them. */
    public void placed(int bytes) {
        outbound.onPlaced(bytes);
    }

    /** The bytes cannot be placed now. A part of them may be in the memory of the peer, which does not look at it. */
    public void notPlaced() {
        outbound.onNotPlaced();
    }

    /** Whether large writes are placed: {@link #write} takes a part of one only if it can be sent at once. */
    public boolean places() {
        return outbound.places();
    }

    /** Whether the application can write: there is space for a quarter of the buffer, or the buffer may grow. */
    public boolean writable() {
        return state.sends() && outbound.writable();
    }

    /** Moves bytes that have arrived to the application; 0 if there are none. */
    public int read(ByteBuffer target) {
        return inbound.read(target);
    }

    /**
     * The next bytes that have arrived, from position to limit, as far as they lie in one piece; empty if there are none. {@link #taken}
     * follows, before other calls of the application.
     */
    public ByteBuffer arrived() {
        return inbound.arrived();
    }

    /** The application has taken bytes out of what has {@link #arrived}. */
    public void taken(int bytes) {
        inbound.onTaken(bytes);
    }

    /** Bytes that can be read. */
    public int available() {
        return inbound.available();
    }

    /** Whether all bytes were read and no more will come, because a side ended this direction. */
    public boolean inputEnded() {
        return inbound.available() == 0 && (inputShut || peer != PeerEnd.SENDS);
    }

    /** The application sends no more. What was written is sent; then the peer is notified of the end. */
    public void shutdownOutput() {
        move(StreamState.Event.SHUT_OUTPUT);
    }

    /** The application reads no more. */
    public void shutdownInput() {
        inputShut = true;
        inbound.discard();
    }

    /** The application closes the stream. What was written is sent; then the state is {@link StreamState#CLOSED}. */
    public void close() {
        inputShut = true;
        inbound.discard();
        move(StreamState.Event.CLOSE);
        checkFlushed();
    }

    /**
     * The application resets the stream. What the peer accepts at once is sent, as TCP has sent it when a program resets a connection, and
     * the rest is dropped; then the state is {@link StreamState#CLOSED}. The peer sees the end of the connection. It is notified
     * if it may be librdmacm and nothing was dropped.
     */
    public void reset() {
        reported = reported.next(OwnEnd.Event.RESET);
        close();
    }

    /** The peer is to be asked whether it is still there. */
    public void probe() {
        probeDue = true;
    }

    /** Whether bytes that were written wait for the peer, which accepts none now. */
    public boolean blocked() {
        return !state.over() && outbound.blocked();
    }

    /**
     * Whether bytes are lost if the process of this side ends now: those of the peer that the application has not read, or those of the application
     * that wait for the peer, except the last ones, which belong to an incomplete write.
     */
    public boolean wouldLose(long incomplete) {
        return inbound.available() > 0 || outbound.waiting() > incomplete;
    }

    /** Bytes that were written and have not yet arrived at the peer. */
    public int unfinished() {
        return outbound.unfinished();
    }

    /** The receives to post in all, before {@link #nextWork} grants credits for them. */
    public int receives() {
        return inbound.receives();
    }

    /** Size of the receive buffer now. */
    public int receiveBufferBytes() {
        return inbound.bufferBytes();
    }

    /** Size of the send buffer now. */
    public int sendBufferBytes() {
        return outbound.bufferBytes();
    }

    /** Data messages that may be sent before the peer grants more. */
    public int credits() {
        return outbound.credits();
    }

    /** What both sides of the stream were set to. */
    public StreamSettings settings() {
        return settings;
    }

    // Work.

    /** Fills in what to post next. Returns false if there is nothing. */
    public boolean nextWork(StreamWork work) {
        if (state == StreamState.CONNECTING || state.over() || peer == PeerEnd.GONE || disconnected()) {
            return false;
        }
        work.followed = false;
        if (reported.resets()) {
            return lastWork(work);
        }
        if (peerNeedsGrants() && grants(work)) {
            return true;
        }
        if (outbound.sendable() && free() >= messageSlots() + StreamSettings.CONTROL_MESSAGES) {
            if (peerNeedsGrants()
                    && inbound.creditsWithData()
                    && free() > messageSlots() + StreamSettings.CONTROL_MESSAGES) {
                work.message(StreamMessage.of(StreamMessage.CREDITS, inbound.grant()));
                work.followed = true;
                return post(work, 1);
            }
            outbound.next(work);
            return post(work, slots(work));
        }
        if (restDue() && free() >= 1) {
            reported = reported.next(OwnEnd.Event.REST);
            work.message(StreamMessage.of(StreamMessage.REST, outbound.waiting()));
            return post(work, 1);
        }
        if (endDue() && free() >= 1) {
            work.message(end());
            return post(work, 1);
        }
        if (probeDue && free() >= 1) {
            probeDue = false;
            work.probe();
            return post(work, 1);
        }
        return false;
    }

    /**
     * Whether to let the peer send more. It needs nothing after its end.
     *
     * <p>librdmacm closes its connection as soon as both directions have ended, while its last bytes may still wait in the TCP of its
     * system. If anything arrives there afterwards, Linux resets the connection and drops what waits. So nothing is sent to it after the
     * end of this direction until it cannot go on without.
     */
    private boolean peerNeedsGrants() {
        boolean mayClose = reported == OwnEnd.SHUT && notifies && !settings.infiniband();
        return peer == PeerEnd.SENDS && (!mayClose || inbound.peerWaits());
    }

    /** Lets the peer send more. */
    private boolean grants(StreamWork work) {
        if (inbound.targetDue() && free() >= messageSlots()) {
            work.entryBytes.order(peerOrder);
            int index = inbound.announce(work.entryBytes);
            work.target(inbound.grant());
            work.remote(peerTable + (long) index * TargetEntry.LENGTH, peerTableKey);
            return post(work, messageSlots());
        }
        if (inbound.creditsDue() && free() >= 1) {
            work.message(StreamMessage.of(StreamMessage.CREDITS, inbound.grant()));
            return post(work, 1);
        }
        if (shorts.due() && free() >= 1) {
            shorts.onStated();
            work.message(StreamMessage.of(StreamMessage.SHORTS, settings.receives()));
            return post(work, 1);
        }
        return false;
    }

    /**
     * Before a reset: data that the peer accepts, then a Read. On iWARP a Write completes when TCP has accepted it, and a reset of the connection
     * would overtake it there and in the memory of the peer. A peer that waits for space is granted some, though what it sends is dropped:
     * librdmacm notices the end of a connection only when it sends, so that the program would wait without end.
     */
    private boolean lastWork(StreamWork work) {
        if (outbound.sendable()) {
            if (free() < messageSlots()) {
                return false;
            }
            outbound.next(work);
            return post(work, slots(work));
        }
        notifies &= outbound.allSent();
        outbound.drop();
        if (grants(work)) {
            return true;
        }
        if (reported == OwnEnd.CONFIRMING || slots == 0 || free() < 1) {
            return false;
        }
        if (notifies) {
            // As librdmacm itself resets. Without it, its programs wait in their own close.
            reported = reported.next(OwnEnd.Event.DISCONNECT);
            work.message(StreamMessage.of(StreamMessage.CONTROL, StreamMessage.DISCONNECT));
            return post(work, 1);
        }
        reported = reported.next(OwnEnd.Event.CONFIRM);
        work.confirm();
        return post(work, 1);
    }

    private int free() {
        return settings.sendSlots() - (int) (slots - slotsDone);
    }

    private int messageSlots() {
        return immediate ? 1 : 2;
    }

    private int slots(StreamWork work) {
        return work.kind() == StreamWork.Kind.MESSAGE ? 1 : messageSlots();
    }

    /** Whether to state what is left: the socket is closed, and its end waits for the application of the peer. */
    private boolean restDue() {
        return rests && reported == OwnEnd.UNREPORTED && state == StreamState.CLOSING && outbound.blocked();
    }

    private boolean endDue() {
        return !state.sends() && outbound.allSent() && (reported != OwnEnd.SHUT || state == StreamState.CLOSING);
    }

    /** The last message. If the peer has ended its direction already, both sides are done. */
    private int end() {
        reported = reported.next(state == StreamState.OUTPUT_SHUT ? OwnEnd.Event.SHUTDOWN : OwnEnd.Event.DISCONNECT);
        return StreamMessage.of(
                StreamMessage.CONTROL, disconnected() ? StreamMessage.DISCONNECT : StreamMessage.SHUTDOWN);
    }

    /**
     * Counts the work. Signalled are a quarter of the queue or half of the send buffer at the latest, so that both are free
     * again in time; the last work before the peer must offer more, which no other follows soon; and the end, which {@link
     * #close} and {@link #reset} wait for.
     */
    private boolean post(StreamWork work, int entries) {
        slots += entries;
        if (work.kind() != StreamWork.Kind.PROBE && work.kind() != StreamWork.Kind.CONFIRM) {
            shorts.onSent();
        }
        long position = outbound.posted();
        work.id = slots;
        work.signalled = slots - slotsSignalled >= settings.sendSlots() / 4
                || position - positionSignalled >= outbound.bufferBytes() / 2
                || outbound.blocked()
                || reported.signals();
        positions[(int) slots & positions.length - 1] = position;
        if (work.signalled) {
            slotsSignalled = slots;
            positionSignalled = position;
        }
        return true;
    }

    /** Returns all memory of the stream. Call it when the queue pair accesses none of it any more, and nothing afterwards. */
    public void release() {
        inbound.release();
        outbound.release();
    }

    /** One line for people. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder().append(state).append(": ");
        inbound.describe(out).append("; ");
        outbound.describe(out);
        return out.append("; free entries of the send queue ").append(free()).toString();
    }

    /** A digest of everything that decides what happens next. */
    public long stateDigest() {
        long d = Digest.mix(inbound.stateDigest(state.ordinal()), slots - slotsDone);
        d = Digest.mix(Digest.mix(d, slots - slotsSignalled), outbound.posted() - positionSignalled);
        d = Digest.mix(
                d,
                (long) reported.ordinal() << 40
                        | (long) peer.ordinal() << 32
                        | Digest.flags(immediate, inputShut, probeDue, notifies, rests));
        return shorts.stateDigest(outbound.stateDigest(d));
    }
}
