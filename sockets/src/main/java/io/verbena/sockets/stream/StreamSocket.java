package io.verbena.sockets.stream;

import io.verbena.sockets.protocol.ConnectData;
import io.verbena.sockets.protocol.SocketEnd;
import io.verbena.sockets.protocol.SocketStart;
import io.verbena.sockets.protocol.StreamEngine;
import io.verbena.sockets.protocol.StreamSettings;
import io.verbena.sockets.protocol.StreamState;
import io.verbena.sockets.protocol.StreamWork;
import io.verbena.text.AddressText;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * A stream socket: bytes in both directions, each of which can be ended by itself. Reads and writes do not block; {@link
 * #awaitReady} does. Any thread may call any method.
 *
 * <p><b>Who works.</b> The engine, the queue pair and the buffers belong to the thread that has the lock. A thread of the RNIC that
 * finds completions puts them into the {@link Inbox} and processes it if the lock is free; else the thread that has the lock
 * does so after it has released the lock. So no thread of the RNIC waits for a program that copies, and no completion stays
 * in the inbox:
 *
 * <pre>
 *    thread of the RNIC              thread of the program
 *    puts a completion (volatile)    releases the lock (volatile)
 *    tries the lock                  looks at the inbox
 * </pre>
 *
 * <p>Over 500 lines: everything here happens under the one lock of the socket.
 */
public final class StreamSocket implements AutoCloseable {

    /** Ready: bytes, the end of the stream, or an error can be read. */
    public static final int READABLE = 1;

    /** Ready: there is space for bytes, or writing fails at once. */
    public static final int WRITABLE = 2;

    /** Ready: the connection was established, or has failed. */
    public static final int CONNECTED = 4;

    static final int CREDITS = 24;
    static final int SEND_SLOTS = 32;
    static final int RECEIVES = CREDITS + StreamSettings.CONTROL_MESSAGES;

    /** The longest time that a reset waits for bytes that are being sent. */
    private static final Duration RESET_TIMEOUT = Duration.ofSeconds(1);

    private final StreamNetwork network;
    private final SocketResources resources;
    private final SocketMemory memory;
    private final SocketQueuePair queues;
    private final StreamEngine engine;
    private final SocketOutput output;
    private final Inbox inbox = new Inbox(RECEIVES + SEND_SLOTS);
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether it is in the list of the lane; of the thread that distributes completions. */
    private boolean touched;

    private final Readiness readiness;
    private volatile @Nullable Connection connection;
    private final Polling reads = new Polling();
    private final Polling writes = new Polling();

    /** Changes with the lock. */
    private volatile SocketEnd end = SocketEnd.OPEN;

    private volatile String failure = "";

    /** Whether completions are processed: the reply of the peer is known, or the stream is over. */
    private volatile boolean processes;

    /** Changes with the lock, and before the connection is begun. */
    private volatile SocketStart start = SocketStart.ASKING;

    // Guarded by the lock.
    private boolean outputShut;

    /** What was stated of the end if this process is killed, and whether it is to be stated again. */
    private boolean resetsIfKilled;

    private boolean killedEndDue;
    private final Runnable killedEnd = this::stateKilledEnd;
    private long incomplete;

    /** Whether the program has written since the peer takes nothing any more. */
    private boolean wroteInVain;

    private Optional<Future<?>> patience = Optional.empty();
    private @Nullable IOException connectFailure;
    private final StreamFigures.Counters counters = new StreamFigures.Counters();

    StreamSocket(StreamNetwork network, CompletionLane lane) {
        this.network = network;
        readiness = new Readiness(network.driver());
        resources = SocketResources.open(network, lane, this);
        memory = resources.memory();
        queues = resources.queues();
        engine = new StreamEngine(
                network.settings(CREDITS, SEND_SLOTS), memory, memory.table, memory.receiveBuffer, memory.sendBuffer);
        output = new SocketOutput(queues, engine, new StreamWork(memory.sendBuffer), counters, this::settle);
    }

    SocketQueuePair queues() {
        return queues;
    }

    // Establishment.

    /** The private data of a request for a connection. */
    byte[] request() {
        return engine.request();
    }

    void startConversion(SocketChannel stream, boolean offersMemory, List<SocketAddress> others) {
        ConnectionOptions options = network.dialOptions();
        convert(
                stream,
                StreamConversion.asInitiator().withMemoryOffer(offersMemory),
                options.survival()
                        .map(it -> options.withSurvival(it.withAddresses(others)))
                        .orElse(options),
                network.options().connectTimeout());
    }

    /** The reply says what the request says, because each side uses only what the other offers as well. */
    void answerConversion(SocketChannel stream, byte[] alreadyRead) {
        start = start.next(SocketStart.Event.REQUESTED);
        convert(
                stream,
                StreamConversion.asResponder()
                        .withAlreadyRead(alreadyRead)
                        .withRejection(data -> answers(data) ? Optional.empty() : Optional.of(new byte[0])),
                network.dialOptions(),
                network.options().answerTimeout());
    }

    private void convert(
            SocketChannel stream, StreamConversion conversion, ConnectionOptions options, Duration timeout) {
        ConnectionOptions own = options.withPrivateData(engine.request()).withTimeout(timeout);
        begun(network.rnic().takeOver(queues.queuePair(), stream, conversion.withOptions(own)));
    }

    private boolean answers(byte[] data) {
        lock.lock();
        try {
            return ConnectData.fits(data.length)
                    && engine.state() == StreamState.CONNECTING
                    && engine.onConnected(ConnectData.at(MemorySegment.ofArray(data), 0));
        } finally {
            unlock();
        }
    }

    /** The peer's request; returns the private data of the reply, or nothing if the peer speaks another protocol. */
    Optional<byte[]> onRequest(ConnectData request) {
        start = start.next(SocketStart.Event.REQUESTED);
        return engine.onConnected(request) ? Optional.of(engine.reply()) : Optional.empty();
    }

    void begun(Connection opened) {
        connection = opened;
        opened.onStateChange((_, state) -> onState(opened, state));
        if (opened.state() != ConnectionState.CONNECTING) {
            onState(opened, opened.state());
        }
    }

    private void onState(Connection opened, ConnectionState state) {
        lock.lock();
        try {
            if (state == ConnectionState.ESTABLISHED && !start.established()) {
                onEstablished(opened);
            } else if (state.ended()) {
                connectFailure =
                        start.established() || connectFailure != null ? connectFailure : ConnectFailure.of(opened);
                processArrived(); // the peer has sent it before the end
                onEnded(opened.reason());
            }
            settle();
            if (state.ended()) {
                move(SocketEnd.Event.CONNECTION_ENDED);
            }
        } finally {
            unlock();
        }
    }

    /** The connection has ended, or ends and its work was flushed. */
    private void onEnded(String sentence) {
        Connection opened = connection;
        if (start.established() && opened != null && opened.peerExited()) {
            engine.onPeerExited(sentence);
        } else {
            engine.onConnectionEnded(sentence);
        }
    }

    private void onEstablished(Connection opened) {
        start = start.next(SocketStart.Event.ESTABLISHED);
        network.killedEnds().ifPresent(ends -> ends.begin(opened));
        if (opened.transport() == TransportType.SHARED_MEMORY) {
            engine.peerReachable();
        }
        if (engine.state() != StreamState.CONNECTING) {
            return; // the accepting side knows its peer already, or the program has closed the socket
        }
        byte[] reply = opened.privateData();
        if (!ConnectData.fits(reply.length) || !engine.onConnected(ConnectData.at(MemorySegment.ofArray(reply), 0))) {
            start = start.next(SocketStart.Event.OTHER_PROTOCOL);
            connectFailure = ConnectFailure.otherProtocol(opened);
            engine.onConnectionEnded("not a stream socket");
        }
    }

    /** Whether the connection was reset and nothing is left to be read. */
    public boolean wasReset() {
        lock.lock();
        try {
            return engine.state() == StreamState.LOST && engine.available() == 0;
        } finally {
            unlock();
        }
    }

    /** Whether the connection is established. */
    public boolean connected() {
        return start.established() && start != SocketStart.REFUSED;
    }

    /**
     * Holds an attempt to connect: until {@link #resume} it is not finished, and sends nothing. So it can be given up at any moment, and a peer
     * that is a Verbena has not shown it to its program.
     *
     * @return false if the connection is established already: the program of the peer may have it
     */
    public boolean hold() {
        lock.lock();
        try {
            start = start.next(SocketStart.Event.HOLD);
            return !start.established();
        } finally {
            unlock();
        }
    }

    /** The connection is wanted. */
    public void resume() {
        lock.lock();
        try {
            start = start.next(SocketStart.Event.RESUME);
            settle();
        } finally {
            unlock();
        }
    }

    /**
     * Finishes establishment: returns false while it is in progress.
     *
     * @throws IOException if it failed
     */
    public boolean finishConnect() throws IOException {
        lock.lock();
        try {
            if (connectFailure != null) {
                throw connectFailure;
            }
            return confirmed();
        } finally {
            unlock();
        }
    }

    // Completions.

    /** A completion of this socket was found. Returns whether the socket has not been in the lane's list yet. */
    boolean onCompletion(CompletionCursor cursor) {
        boolean receive = cursor.opcode().ordinal() >= CompletionOpcode.RECEIVE.ordinal();
        if (!cursor.ok()) {
            if (failure.isEmpty()) {
                failure = cursor.reason();
            }
            inbox.offer(Inbox.FAILED);
        } else if (receive) {
            int index = (int) cursor.wrId();
            inbox.offer(
                    cursor.hasImmediate()
                            ? Inbox.received(index, (int) cursor.immediate())
                            : Inbox.receivedSend(index, (int) cursor.byteCount()));
        } else {
            inbox.offer(cursor.wrId());
        }
        boolean first = !touched;
        touched = true;
        return first;
    }

    /** Processes what {@link #onCompletion} has put, now or when the lock is released. */
    void processInbox() {
        touched = false;
        drain();
    }

    private void unlock() {
        lock.unlock();
        drain();
    }

    /**
     * Posting may drive the engine, which then finds completions in the thread that has the lock, between the posts of one message.
     * They stay in the inbox until that thread has released the lock: the work to post is in one object.
     */
    private void drain() {
        if (lock.isHeldByCurrentThread()) {
            return;
        }
        readiness.deliver();
        while (processes && !inbox.isEmpty() && lock.tryLock()) {
            try {
                settle();
            } finally {
                lock.unlock();
                readiness.deliver();
            }
        }
    }

    /** Processes completions, posts what the engine wants, and states what is ready. With the lock. */
    private void settle() {
        // Until the reply of the peer is known, its messages wait.
        processes = engine.state() != StreamState.CONNECTING;
        processArrived();
        if (outputShut && !end.closed() && engine.state() != StreamState.CONNECTING) {
            engine.shutdownOutput(); // the program may have ended the direction before the connection was established
        }
        if (start.sends() && !end.begun()) {
            output.post();
        }
        publish();
        if (engine.state().over() && !end.begun()) {
            move(over());
        }
    }

    private void processArrived() {
        while (processes && !inbox.isEmpty()) {
            process(inbox.take());
        }
    }

    private void process(long entry) {
        if (entry == Inbox.FAILED) {
            onEnded(failure);
        } else if (Inbox.isReceive(entry)) {
            counters.onMessage();
            int receive = Inbox.receive(entry);
            if (!Inbox.isSend(entry)) {
                engine.onMessage(Inbox.message(entry));
            } else if (engine.immediate()) {
                SocketMemory.Receives receives = memory.receives();
                engine.onShort(receives.bytes(), receives.index(receive), Inbox.message(entry));
                counters.onShort(Inbox.message(entry));
            } else {
                engine.onMessage(memory.message(receive));
            }
            if (!engine.state().over() && !end.begun()) { // the queue pair is being closed
                queues.receive(receive);
            }
        } else {
            engine.onWorkDone(entry);
        }
    }

    private void publish() {
        StreamState state = engine.state();
        boolean failed = state == StreamState.LOST || connectFailure != null;
        boolean over = failed || end.closed();
        int now = 0;
        if (over || engine.available() > 0 || engine.inputEnded()) {
            now |= READABLE;
        }
        if (over || outputShut || state == StreamState.PEER_GONE || engine.writable()) {
            now |= WRITABLE;
        }
        if (over || confirmed()) {
            now |= CONNECTED;
        }
        noteKilledEnd();
        if (counters.stalled() && (now & WRITABLE) != 0) {
            long stalledNs = counters.onSpace(System.nanoTime());
            if (FlightRecorder.isInitialized()) { // else the JVM would make the classes of events anew for it
                StallEvent.emit(this, stalledNs, engine.sendBufferBytes(), engine.credits());
            }
        }
        readiness.publish(now);
    }

    private void noteKilledEnd() {
        if (start.established() && !killedEndDue && resetsIfKilled != engine.wouldLose(incomplete)) {
            network.killedEnds().ifPresent(ends -> {
                killedEndDue = true;
                ends.due(killedEnd, resetsIfKilled);
            });
        }
    }

    /** States how the connection ends if this process is killed. One thread calls it; see {@link KilledEnds}. */
    private void stateKilledEnd() {
        boolean resets;
        Connection opened = connection;
        lock.lock();
        try {
            killedEndDue = false;
            resets = engine.wouldLose(incomplete);
            if (resets == resetsIfKilled) {
                return;
            }
            resetsIfKilled = resets;
        } finally {
            unlock();
        }
        if (opened != null) {
            opened.resetIfKilled(resets);
        }
    }

    /**
     * A write that waits has given this many bytes to the socket, or 0: it has returned. If this process is killed meanwhile, the program was
     * not told that they were taken.
     */
    public void incomplete(long bytes) {
        lock.lock();
        try {
            incomplete = bytes;
            noteKilledEnd();
        } finally {
            unlock();
        }
    }

    /** Whether both sides have the connection. With the lock. */
    boolean confirmed() {
        return start.sends() && (start != SocketStart.ANSWERED || !engine.peerGreets() || counters.heard());
    }

    /** What is ready: {@link #READABLE}, {@link #WRITABLE}, {@link #CONNECTED}. */
    public int ready() {
        return readiness.bits();
    }

    /**
     * Sets the action to run when something becomes ready that was not. It runs in a thread of the RNIC or in that of a caller,
     * without the lock of the socket, perhaps after that has ended again, and must return at once.
     */
    public void onReady(Runnable action) {
        readiness.action(action);
    }

    /**
     * Waits until one of these bits is ready. At most one thread waits to read and one to write or connect.
     *
     * @return false if the timeout expired or the thread was interrupted
     */
    public boolean awaitReady(int bits, long timeoutNs) {
        ((bits & READABLE) != 0 ? reads : writes).waits();
        return readiness.await(bits, timeoutNs);
    }

    /** An attempt to read or to write was in vain. */
    private void polled(Polling attempts) {
        if (attempts.failed()) {
            network.driver().poll();
        }
    }

    // Data.

    /**
     * Reads what has arrived.
     *
     * @return the number of bytes; 0 if there are none or the buffer has no space; -1 at the end of the stream
     * @throws IOException if the connection was lost and everything that had arrived was read
     */
    public int read(ByteBuffer target) throws IOException {
        int bytes = readNow(target);
        if (bytes != 0) {
            reads.succeeded();
        } else {
            polled(reads);
        }
        return bytes;
    }

    private int readNow(ByteBuffer target) throws IOException {
        lock.lock();
        try {
            if (end.closed()) {
                throw new ClosedChannelException();
            }
            boolean space = target.hasRemaining();
            int bytes = engine.read(target);
            if (bytes > 0) {
                counters.onRead(bytes);
                settle();
                return bytes;
            }
            if (engine.inputEnded()) {
                return -1;
            }
            if (engine.state() == StreamState.LOST && space) {
                throw lost();
            }
            return 0;
        } finally {
            unlock();
        }
    }

    /**
     * Reads what has arrived to a channel, straight from the receive buffer, at most as much as lies in one piece there. What the channel
     * does not take can be read again.
     *
     * @param target must not block, keeps nothing of the buffer that is written to it, and is no channel of a stream socket: it is written with
     *     the lock of this socket
     * @return the number of bytes; 0 if there are none, and then the target was not written, or if the target took none; -1 at the end of the
     *     stream
     * @throws IOException if the connection was lost and everything that had arrived was read, or the target has thrown it
     */
    public int readTo(WritableByteChannel target) throws IOException {
        lock.lock();
        try {
            if (end.closed()) {
                throw new ClosedChannelException();
            }
            if (engine.available() > 0) {
                int bytes = target.write(engine.arrived());
                if (bytes > 0) {
                    engine.taken(bytes);
                    counters.onTaken(bytes);
                    settle();
                }
                return bytes;
            }
            if (!engine.inputEnded() && engine.state() == StreamState.LOST) {
                throw lost();
            }
            return engine.inputEnded() ? -1 : 0;
        } finally {
            unlock();
        }
    }

    /** Bytes that can be read at once. */
    public int available() {
        lock.lock();
        try {
            return end.closed() ? 0 : engine.available();
        } finally {
            unlock();
        }
    }

    /**
     * Takes bytes to send, as many as there is space for.
     *
     * @return the number of bytes; 0 if there is no space
     * @throws IOException if the connection was lost, or the peer has closed the socket
     */
    public int write(ByteBuffer source) throws IOException {
        int bytes = writeNow(source);
        if (bytes != 0) {
            writes.succeeded();
        } else {
            polled(writes);
        }
        return bytes;
    }

    /**
     * Takes bytes to send from several buffers, in their order, as many as there is space for. Small ones are sent together, in one message.
     *
     * @return the number of bytes; 0 if there is no space or all buffers are empty
     * @throws IOException if the connection was lost, or the peer has closed the socket
     */
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        int end = offset + length;
        int first = offset;
        while (first < end && !sources[first].hasRemaining()) {
            first++;
        }
        if (first == end) {
            return 0;
        }
        long bytes = gatherNow(sources, first, end);
        if (bytes != 0) {
            writes.succeeded();
        } else {
            polled(writes);
        }
        return bytes;
    }

    /**
     * Takes bytes to send from a channel, which reads them once, straight into the memory of the peer or the send buffer. So bytes pass
     * from one connection to another without a buffer of the program.
     *
     * @param source must not block, and is no channel of a stream socket: it is read with the lock of this socket
     * @param most bytes to take at most
     * @return the number of bytes; 0 if there is no space, and then the source was not read, or if the source has none; -1 if the source has
     *     ended
     * @throws IOException if the connection was lost, the peer has closed the socket, or the source has thrown it
     */
    public int writeFrom(ByteSource source, int most) throws IOException {
        lock.lock();
        try {
            wroteInVain |= takesInVain(); // nothing is read from a source in vain
            requireWritable();
            int bytes = output.takeFrom(source, most);
            settle();
            return bytes;
        } finally {
            unlock();
        }
    }

    private int writeNow(ByteBuffer source) throws IOException {
        lock.lock();
        try {
            requireWritable();
            int bytes = takesInVain() ? takeInVain(source) : output.takeAll(source);
            settle();
            return bytes;
        } finally {
            unlock();
        }
    }

    private long gatherNow(ByteBuffer[] sources, int first, int end) throws IOException {
        lock.lock();
        try {
            requireWritable();
            long bytes = takesInVain() ? takeInVain(sources[first]) : output.takeAll(sources, first, end);
            settle();
            return bytes;
        } finally {
            unlock();
        }
    }

    private void requireWritable() throws IOException {
        if (end.closed()) {
            throw new ClosedChannelException();
        }
        StreamState state = engine.state();
        if (state == StreamState.LOST) {
            throw new IOException("Connection reset by peer", lost()); // the type and text that TCP has for writing
        }
        if (outputShut || state == StreamState.PEER_GONE && wroteInVain) {
            throw new IOException("Broken pipe");
        }
    }

    /** As with TCP, the first write after the end of the peer succeeds: only then does the system of the peer answer with a reset. */
    private boolean takesInVain() {
        return engine.state() == StreamState.PEER_GONE;
    }

    private int takeInVain(ByteBuffer source) {
        int bytes = Math.min(source.remaining(), network.options().mostBufferBytes());
        source.position(source.position() + bytes);
        wroteInVain |= bytes > 0;
        return bytes;
    }

    private IOException lost() {
        SocketException lost = new SocketException("Connection reset");
        if (!engine.reason().isEmpty()) {
            lost.initCause(new IOException(engine.reason()));
        }
        return lost;
    }

    /** Sends no more. The peer reads what was written, then the end of the stream. */
    public void shutdownOutput() throws IOException {
        change(() -> outputShut = true);
    }

    /** Reads no more: what has arrived and will arrive is dropped. */
    public void shutdownInput() throws IOException {
        change(engine::shutdownInput);
    }

    private void change(Runnable change) throws IOException {
        lock.lock();
        try {
            if (end.closed()) {
                throw new ClosedChannelException();
            }
            change.run();
            settle();
        } finally {
            unlock();
        }
    }

    // The end.

    /**
     * Closes the socket and returns at once. What was written is sent, however long the peer does not read it: the connection ends when the
     * peer has it, or is gone.
     */
    @Override
    public void close() {
        close(SocketEnd.Event.CLOSE);
    }

    /**
     * Closes the socket. What the peer accepts at once is sent, the rest is dropped, and the peer reads "Connection reset" after what it
     * has got.
     */
    public void abort() {
        close(SocketEnd.Event.RESET);
    }

    /** Closes the socket as {@link #abort} does, and sends nothing. */
    public void discard() {
        close(SocketEnd.Event.DISCARD);
    }

    /**
     * Closes the socket as the system closes that of a program that ends: what was written is sent. The peer then reads the end of the stream,
     * or a reset if bytes are left here that the program has not read.
     */
    void closeAtExit() {
        if (available() > 0) {
            abort();
        } else {
            close();
        }
    }

    /** What waits for a peer that accepts nothing now: makes the connection notice whether the peer is still there. */
    void probe() {
        lock.lock();
        try {
            if (engine.blocked()) {
                engine.probe();
                settle();
            }
        } finally {
            unlock();
        }
    }

    private void close(SocketEnd.Event way) {
        lock.lock();
        try {
            if (end.closed()) {
                return;
            }
            if (way == SocketEnd.Event.RESET) {
                engine.reset();
            } else {
                engine.close();
            }
            move(way);
            settle();
            if (end == SocketEnd.RESETTING && start.established()) {
                patience = Optional.of(network.after(RESET_TIMEOUT, this::giveUp));
            } else if (end == SocketEnd.RESETTING) {
                move(SocketEnd.Event.GIVE_UP);
            }
        } finally {
            unlock();
        }
    }

    public boolean closed() {
        return end.closed();
    }

    /** The peer did not take what was written in time. */
    private void giveUp() {
        lock.lock();
        try {
            move(SocketEnd.Event.GIVE_UP);
        } finally {
            unlock();
        }
    }

    /** How the stream is over: whether the peer knows it, and the connection can end in order. With the lock. */
    private SocketEnd.Event over() {
        if (!end.closed()) {
            return SocketEnd.Event.STREAM_LOST;
        }
        Connection opened = connection;
        boolean peerInformed = end != SocketEnd.RESETTING || engine.disconnected();
        return peerInformed && opened != null && !opened.state().ended()
                ? SocketEnd.Event.STREAM_FINISHED
                : SocketEnd.Event.STREAM_OVER;
    }

    /**
     * Goes on with the end, in the background: closing waits, and this may be a thread of the RNIC. No thread waits for
     * a peer that ends its side later. With the lock.
     */
    private void move(SocketEnd.Event event) {
        SocketEnd before = end;
        end = before.next(event);
        if (end.begun() && !before.begun()) {
            output.end();
            patience.ifPresent(timer -> timer.cancel(false));
        }
        switch (before.effect(end)) {
            case NONE -> {}
            case DISCONNECT -> network.background(Objects.requireNonNull(connection)::disconnect);
            case TEAR_DOWN -> network.background(this::tearDown);
            case FREE -> network.end(this::free);
        }
    }

    private void tearDown() {
        resources.disconnect();
        lock.lock();
        try {
            engine.onConnectionEnded("The connection was closed.");
            publish();
            move(SocketEnd.Event.TORN_DOWN);
        } finally {
            lock.unlock();
            readiness.deliver();
        }
    }

    private void free() {
        lock.lock();
        try {
            engine.release();
            resources.free();
        } finally {
            lock.unlock();
        }
        network.remove(this);
    }

    // What it is.

    public Optional<SocketAddress> localAddress() {
        return Optional.ofNullable(connection).map(Connection::localAddress);
    }

    public Optional<SocketAddress> remoteAddress() {
        return Optional.ofNullable(connection).map(Connection::remoteAddress);
    }

    /** The connection that carries the bytes, if it was begun. */
    public Optional<Connection> connection() {
        return Optional.ofNullable(connection);
    }

    /** Bytes, messages, copies and stalls until now. */
    public StreamFigures figures() {
        lock.lock();
        try {
            return counters.figures(engine);
        } finally {
            unlock();
        }
    }

    /** Its part of the totals of the network; the numbers may be of different moments. */
    Optional<StreamTotals> totals() {
        Connection opened = connection;
        return opened == null || !connected()
                ? Optional.empty()
                : Optional.of(new StreamTotals(opened.transport(), 1, counters.read(), counters.written()));
    }

    /** One line for people; the numbers may be of different moments. */
    @Override
    public String toString() {
        return localAddress().map(AddressText::of).orElse("unbound") + " to "
                + remoteAddress().map(AddressText::of).orElse("no peer") + ", " + engine;
    }
}
