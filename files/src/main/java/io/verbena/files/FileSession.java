package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.Stalled;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.failure.Stopped;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.FileMessage.Numbered;
import io.verbena.files.protocol.FileMessageCodec;
import io.verbena.files.protocol.Greeting;
import io.verbena.files.protocol.MessagePort;
import io.verbena.files.protocol.Sums;
import io.verbena.files.store.Export;
import io.verbena.files.store.OpenFile;
import io.verbena.text.AddressText;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.Termination;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * One connection of a client, in a thread of its own, which answers the questions in order. Reading a file for a checksum
 * delays only this client. The RNIC alone executes the client's Reads and Writes.
 */
final class FileSession {

    private static final Duration PLACE_SLICE = Duration.ofMillis(20);

    /** Maximum time to wait for the end of a connection; the RNIC needs a second or two even if the peer does not answer. */
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private static final int CQ_ENTRIES = 4 * MessagePort.SLOTS;

    private final FileServer server;
    private final ServeSettings settings;
    private final StopRequest stop;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final MessagePort port;
    private final Connection connection;
    private final Sums sums = new Sums();
    private final PeerNetwork origin;
    private final String who;
    private Optional<OpenFile> file = Optional.empty();
    private volatile boolean greeted;
    private volatile boolean givenUp;

    /** Creates the resources of the connection and starts to accept it. */
    FileSession(Rnic rnic, ConnectionRequest request, FileServer server, StopRequest stop) {
        this.server = server;
        this.settings = server.settings();
        this.stop = stop;
        origin = PeerNetwork.of(request.remoteAddress());
        who = AddressText.ofIp(request.remoteAddress());
        ArrayDeque<Runnable> undo = new ArrayDeque<>();
        try {
            cq = rnic.createCompletionQueue(CQ_ENTRIES);
            undo.push(cq::close);
            pd = rnic.allocateProtectionDomain();
            undo.push(pd::close);
            cursor = cq.cursor();
            int reads = Math.clamp(request.outboundReads(), 1, rnic.query().maxInboundReads());
            queuePair = pd.createQueuePair(
                    MessagePort.fit(QueuePairOptions.of(cq), 0).withReads(reads, 1));
            undo.push(queuePair::close);
            port = new MessagePort(pd, queuePair);
            // The queue pair, whose receives use the memory of the port, is closed before the port.
            undo.pop();
            undo.push(port::close);
            undo.push(queuePair::close);
            connection = request.startAccept(queuePair, settings.connection().withPrivateData(Greeting.bytes()));
        } catch (RuntimeException | Error e) {
            closeAll(undo.toArray(Runnable[]::new));
            throw e;
        }
    }

    /** Serves until the client disconnects, is idle for too long or violates the protocol, or the server ends. */
    void run() {
        String failure = "";
        try {
            serve();
        } catch (Stopped e) {
            failure = "";
        } catch (FileServiceException e) {
            failure = String.valueOf(e.getMessage());
        } catch (RuntimeException | Error e) {
            failure = "unexpected error: " + e.getClass().getSimpleName() + ": " + e.getMessage();
        } finally {
            close();
        }
        if (!failure.isEmpty() && !givenUp) {
            server.onFailure(origin, "Client " + who + ": " + failure);
        }
    }

    /** The origin that the connection counts against. */
    PeerNetwork origin() {
        return origin;
    }

    /** The client's address. */
    String who() {
        return who;
    }

    /** Whether the client has not sent a request yet; its connection may not be established either. */
    boolean isPending() {
        return !greeted;
    }

    /** Whether the connection is established. */
    boolean isEstablished() {
        return connection.state() == ConnectionState.ESTABLISHED;
    }

    /** Ends the connection in favour of another client. Any thread may call it. There is no graceful end, which would hold memory for seconds. */
    void giveUp() {
        givenUp = true;
        queuePair.close();
    }

    private void serve() throws FileServiceException {
        awaitEstablished();
        server.onEstablished(this);
        while (true) {
            await(greeted ? settings.idle() : settings.setUp());
            if (!cursor.ok()) {
                checkEnd();
                return;
            }
            if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                Numbered question = port.onReceived(cursor);
                greeted = true;
                send(new Numbered(question.number(), answer(question.message())));
            }
        }
    }

    /** Waits on the connection, because a set-up that fails leaves no completion, and must free its place at once. */
    private void awaitEstablished() throws FileServiceException {
        Patience patience = new Patience(settings.setUp().toNanos(), System.nanoTime());
        while (true) {
            checkWanted();
            try {
                connection.awaitEstablished(Patience.SLICE);
                return;
            } catch (ConnectionException e) {
                if (connection.state().ended()) {
                    throw new FileServiceException("the connection was not established: " + e.getMessage(), e);
                }
                if (patience.leftNs(System.nanoTime()) <= 0) {
                    throw new FileServiceException(
                            "the connection was not established within "
                                    + settings.setUp().toMillis() + " ms (--timeout)",
                            e);
                }
            }
        }
    }

    /** Waits a moment in the line for a place. Fails if the session must end. */
    void awaitPlace() throws FileServiceException {
        checkWanted();
        if (connection.awaitClosed(PLACE_SLICE)) {
            throw new FileServiceException("the client left before it got a place (--max-connections)");
        }
    }

    /** Fails if the server ends or the connection was given up. */
    private void checkWanted() throws FileServiceException {
        stop.check();
        if (givenUp) {
            throw new FileServiceException("it was closed in favour of another client");
        }
    }

    private void await(Duration longest) throws FileServiceException {
        Patience patience = new Patience(longest.toNanos(), System.nanoTime());
        while (!cursor.next()) {
            checkWanted();
            long leftNs = patience.leftNs(System.nanoTime());
            if (leftNs <= 0) {
                throw new Stalled(
                        "it", longest, greeted ? "(--idle)" : "after the connection was established (--timeout)");
            }
            cq.await(Duration.ofNanos(Math.min(leftNs, Patience.SLICE.toNanos())));
        }
    }

    /** Fails unless the client ended the connection by closing it. */
    private void checkEnd() throws FileServiceException {
        connection.awaitClosed(LONGEST_END);
        if (connection.state() == ConnectionState.FAILED) {
            throw new FileServiceException(connection.reason());
        }
        if (file.filter(OpenFile::lost).isPresent()) {
            throw new FileServiceException(
                    "the memory of '" + file.get().export().name() + "' could not be accessed");
        }
        if (cursor.status() != CompletionStatus.FLUSHED) {
            throw new FileServiceException(cursor.reason());
        }
    }

    /** Sends an answer. Fails if the client takes no answers for too long. */
    private void send(Numbered answer) throws FileServiceException {
        Patience patience = new Patience(settings.setUp().toNanos(), System.nanoTime());
        while (!port.send(answer)) {
            checkWanted();
            if (patience.leftNs(System.nanoTime()) <= 0) {
                throw new FileServiceException("it sends requests but does not receive the answers");
            }
            connection.awaitClosed(Duration.ofMillis(1));
        }
    }

    private FileMessage answer(FileMessage question) throws FileServiceException {
        try {
            return switch (question) {
                case FileMessage.ListFrom list -> names(list.first());
                case FileMessage.Open open -> open(open);
                case FileMessage.Sum sum -> current().sum(sum, sums);
                case FileMessage.Stat stat ->
                    new FileMessage.Status(current().export().attributes());
                case FileMessage.Commit commit -> commit(commit);
                case FileMessage.Close close -> {
                    closeFile();
                    yield new FileMessage.Closed();
                }
                default -> throw new ProtocolBroken(question);
            };
        } catch (ProtocolBroken e) {
            throw e;
        } catch (FileServiceException e) {
            server.onProblem(origin, "Client " + who + ": " + e.getMessage());
            return new FileMessage.Problem(String.valueOf(e.getMessage()));
        } catch (VerbsException | IllegalStateException | OutOfMemoryError e) {
            server.onProblem(origin, "Client " + who + ": " + e.getMessage());
            return new FileMessage.Problem("The server cannot do this now: " + e.getMessage());
        }
    }

    private FileMessage names(int first) throws FileServiceException {
        List<Export> exports = server.exports();
        if (first < 0) {
            throw new FileServiceException("There is no file with index " + first);
        }
        List<FileMessage.Entry> rest = exports.subList(Math.min(first, exports.size()), exports.size()).stream()
                .limit(64) // more never fit one message
                .map(Export::entry)
                .toList();
        return new FileMessage.Names(exports.size(), FileMessageCodec.fitting(rest));
    }

    private FileMessage open(FileMessage.Open question) throws FileServiceException {
        if (file.isPresent()) {
            throw new FileServiceException("The connection already has an open file");
        }
        Export export = server.export(question.name());
        OpenFile opened = export.open(pd, question);
        file = Optional.of(opened);
        server.onOpened(question);
        return new FileMessage.Opened(export.attributes(), server.instance(), opened.remote());
    }

    /** Releases the file before it returns the answer, which tells the client that the file is released. */
    private FileMessage commit(FileMessage.Commit commit) throws FileServiceException {
        OpenFile store = current();
        FileAttributes attributes = store.commit(commit);
        closeFile();
        server.onCommitted(origin, store.export(), attributes.size());
        return new FileMessage.Status(attributes);
    }

    private void closeFile() throws FileServiceException {
        OpenFile open = current();
        file = Optional.empty();
        open.close();
    }

    private OpenFile current() throws FileServiceException {
        return file.orElseThrow(() -> new FileServiceException("The connection has no open file"));
    }

    void close() {
        Runnable goodBye = givenUp ? () -> {} : connection::close;
        closeAll(goodBye, queuePair::close, this::closeRest, port::close, pd::close, cq::close);
    }

    private void closeRest() {
        boolean brokenOff = connection.termination().filter(Termination::byUs).isPresent();
        file.ifPresent(open -> open.close(brokenOff));
    }

    /** Closes all parts, also if one of them cannot be closed. */
    private void closeAll(Runnable... parts) {
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException | Error e) {
                server.onFailure(
                        origin, "A connection of " + who + " could not be closed completely: " + e.getMessage());
            }
        }
    }

    /** The client sent a message that only servers send. */
    private static final class ProtocolBroken extends FileServiceException {

        private static final long serialVersionUID = 1L;

        ProtocolBroken(FileMessage message) {
            super("it sent a " + message.getClass().getSimpleName() + ", which only servers send");
        }
    }
}
