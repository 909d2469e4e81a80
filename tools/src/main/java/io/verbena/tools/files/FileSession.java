package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.files.FileMessage.Numbered;
import io.verbena.tools.text.Addresses;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.Termination;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One connection of a client, in a thread of its own: answers its questions one after the other. Reading a file for a
 * checksum keeps nobody waiting but this client; the Reads and Writes themselves are the RNIC's alone.
 */
final class FileSession {

    private static final Duration SLICE = Duration.ofMillis(200);

    /** The RNIC ends a connection within a second or two, even if the peer does not answer. */
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private static final int CQ_ENTRIES = 4 * MessagePort.SLOTS;

    private final FileServer server;
    private final ServeSettings settings;
    private final StopSignal stop;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final MessagePort port;
    private final Connection connection;
    private final Sums sums = new Sums();
    private final Origin origin;
    private final String who;
    private Optional<OpenFile> file = Optional.empty();
    private volatile boolean greeted;
    private volatile boolean givenUp;

    /** Makes everything that the connection needs, of its own, and starts to accept. */
    FileSession(Rnic rnic, ConnectionRequest request, FileServer server, StopSignal stop) {
        this.server = server;
        this.settings = server.settings();
        this.stop = stop;
        origin = Origin.of(request.remoteAddress());
        who = Addresses.text(request.remoteAddress());
        pd = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(CQ_ENTRIES);
        cursor = cq.cursor();
        int reads = Math.clamp(request.outboundReads(), 1, rnic.query().maxInboundReads());
        queuePair =
                pd.createQueuePair(MessagePort.fit(QueuePairOptions.of(cq), 0).withReads(reads, 1));
        port = new MessagePort(pd, queuePair);
        try {
            connection = request.startAccept(queuePair, settings.connection().withPrivateData(Greeting.bytes()));
        } catch (RuntimeException e) {
            closeAll(queuePair::close, port::close, pd::close, cq::close);
            throw e;
        }
    }

    /** Serves until the client leaves, does nothing for too long or breaks the protocol, or the server ends. */
    void run() {
        String failure = "";
        try {
            serve();
        } catch (Failure e) {
            failure = String.valueOf(e.getMessage());
        } catch (StopSignal.Stopped e) {
            failure = "";
        } catch (RuntimeException | OutOfMemoryError e) {
            failure = "this should not happen: " + e.getClass().getSimpleName() + ": " + e.getMessage();
        } finally {
            close();
        }
        if (!failure.isEmpty() && !givenUp) {
            server.onFailure(origin, "Client " + who + ": " + failure);
        }
    }

    /** Where the client is, as far as shares go. */
    Origin origin() {
        return origin;
    }

    /** The client's address. */
    String who() {
        return who;
    }

    /** Whether the client has not asked anything yet; its connection may not be established either. */
    boolean isPending() {
        return !greeted;
    }

    /** Ends the connection in favour of another client. Any thread; without a graceful end, which would hold memory for seconds. */
    void giveUp() {
        givenUp = true;
        queuePair.close();
    }

    private void serve() throws Failure {
        awaitEstablished();
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

    /** A set-up that fails leaves nothing on the completion queue, and has to give its place back at once. */
    private void awaitEstablished() throws Failure {
        long deadlineNs = System.nanoTime() + settings.setUp().toNanos();
        while (true) {
            checkWanted();
            try {
                connection.awaitEstablished(SLICE);
                return;
            } catch (ConnectionException e) {
                if (connection.state().ended() || System.nanoTime() - deadlineNs >= 0) {
                    throw new Failure("the connection was not established: " + e.getMessage(), e);
                }
            }
        }
    }

    /** Whether there is a reason to go on. */
    private void checkWanted() throws Failure {
        stop.check();
        if (givenUp) {
            throw new Failure("its place was given to another client");
        }
    }

    private void await(Duration longest) throws Failure {
        long deadlineNs = System.nanoTime() + longest.toNanos();
        while (!cursor.next()) {
            checkWanted();
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                throw new Failure("it did nothing for " + Figures.seconds(longest)
                        + (greeted ? " (--idle)" : " after it had connected (--timeout)"));
            }
            cq.await(Duration.ofNanos(Math.min(leftNs, SLICE.toNanos())));
        }
    }

    /** A client leaves by closing the connection; everything else is worth a line. */
    private void checkEnd() throws Failure {
        connection.awaitClosed(LONGEST_END);
        if (connection.state() == ConnectionState.FAILED) {
            throw new Failure(connection.reason());
        }
        if (file.filter(OpenFile::lost).isPresent()) {
            throw new Failure("the memory of '" + file.get().export().name() + "' could not be reached");
        }
        if (cursor.status() != CompletionStatus.FLUSHED) {
            throw new Failure(cursor.reason());
        }
    }

    /** A client that does not take its answers is given up. */
    private void send(Numbered answer) throws Failure {
        long deadlineNs = System.nanoTime() + settings.setUp().toNanos();
        while (!port.send(answer)) {
            checkWanted();
            if (System.nanoTime() - deadlineNs >= 0) {
                throw new Failure("it asks, but does not take the answers");
            }
            connection.awaitClosed(Duration.ofMillis(1));
        }
    }

    private FileMessage answer(FileMessage question) throws Failure {
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
        } catch (Failure e) {
            server.onProblem(origin, "Client " + who + ": " + e.getMessage());
            return new FileMessage.Problem(String.valueOf(e.getMessage()));
        } catch (VerbsException | IllegalStateException | OutOfMemoryError e) {
            server.onProblem(origin, "Client " + who + ": " + e.getMessage());
            return new FileMessage.Problem("The server cannot do it right now: " + e.getMessage());
        }
    }

    private FileMessage names(int first) throws Failure {
        List<Export> exports = server.exports();
        if (first < 0) {
            throw new Failure("There is no name number " + first);
        }
        List<FileMessage.Entry> rest = exports.subList(Math.min(first, exports.size()), exports.size()).stream()
                .limit(64) // more never fit
                .map(Export::entry)
                .toList();
        return new FileMessage.Names(exports.size(), FileMessageCodec.fitting(rest));
    }

    private FileMessage open(FileMessage.Open question) throws Failure {
        if (file.isPresent()) {
            throw new Failure("The connection has a file open already");
        }
        Export export = server.export(question.name());
        OpenFile opened = export.open(pd, question);
        file = Optional.of(opened);
        server.onOpened(question);
        return new FileMessage.Opened(export.attributes(), server.instance(), opened.remote());
    }

    /** The answer says that the file is released, so it goes out afterwards. */
    private FileMessage commit(FileMessage.Commit commit) throws Failure {
        OpenFile store = current();
        FileAttributes attributes = store.commit(commit);
        closeFile();
        server.onCommitted(origin, store.export(), attributes.size());
        return new FileMessage.Status(attributes);
    }

    private void closeFile() throws Failure {
        OpenFile open = current();
        file = Optional.empty();
        open.close();
    }

    private OpenFile current() throws Failure {
        return file.orElseThrow(() -> new Failure("The connection has no file open"));
    }

    private void close() {
        Runnable goodBye = givenUp ? () -> {} : connection::close;
        closeAll(goodBye, queuePair::close, this::closeRest, port::close, pd::close, cq::close);
    }

    private void closeRest() {
        boolean brokenOff = connection.termination().filter(Termination::byUs).isPresent();
        file.ifPresent(open -> open.close(brokenOff));
    }

    /** A part that cannot be closed does not keep the others open. */
    private void closeAll(Runnable... parts) {
        for (Runnable part : parts) {
            try {
                part.run();
            } catch (RuntimeException e) {
                server.onFailure(
                        origin, "A connection of " + who + " could not be closed completely: " + e.getMessage());
            }
        }
    }

    /** What no client of ours would send. */
    private static final class ProtocolBroken extends Failure {

        private static final long serialVersionUID = 1L;

        ProtocolBroken(FileMessage message) {
            super("it sent a " + message.getClass().getSimpleName() + ", which is for servers to send");
        }
    }
}
