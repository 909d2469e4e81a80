package io.verbena.files;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.ServerRefuses;
import io.verbena.files.failure.Stalled;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.FileMessage.Numbered;
import io.verbena.files.protocol.FileMessageCodec;
import io.verbena.files.protocol.Greeting;
import io.verbena.files.protocol.MessagePort;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A client's connection to a file server. It sends questions and receives the answers in order. For one thread. */
final class Link implements AutoCloseable {

    private static final long LONGEST_RELEASE_NS = 2_000_000_000L;

    private final Duration timeout;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final LinkCompletions completions;
    private final QueuePair queuePair;
    private final MessagePort port;
    private final Connection connection;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private Optional<Rnic> own = Optional.empty();
    private int asked;
    private int answered;
    private boolean storing;
    private boolean served;
    private boolean broken;

    /**
     * Connects to the server.
     *
     * @throws ConnectionException if the connection is not established
     * @throws FileServiceException if the peer is not a file server
     */
    Link(Rnic rnic, SocketAddress server, CopySettings settings, StopRequest stop)
            throws ConnectionException, FileServiceException {
        int reads = Math.clamp(settings.work().depth(), 1, rnic.query().maxOutboundReads());
        timeout = settings.patience().timeout();
        pd = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(2 * (MessagePort.SLOTS + settings.work().depth()) + MessagePort.SLOTS);
        completions = new LinkCompletions(cq, stop);
        queuePair = pd.createQueuePair(
                MessagePort.fit(QueuePairOptions.of(cq), settings.work().depth())
                        .withReads(1, reads));
        port = new MessagePort(pd, queuePair);
        connection = rnic.startConnect(queuePair, server, settings.connection().withPrivateData(Greeting.bytes()));
        try {
            connection.awaitEstablished(settings.connection().timeout());
            if (!Greeting.matches(connection.privateData())) {
                throw new FileServiceException(
                        "There is no file server at this address: " + Greeting.mismatch(connection.privateData()));
            }
        } catch (ConnectionException | FileServiceException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Makes the connection own an RNIC, which is closed with it. */
    Link owning(Rnic rnic) {
        own = Optional.of(rnic);
        return this;
    }

    /** Whether the server has answered a question: it had a place for this connection. */
    boolean served() {
        return served;
    }

    ProtectionDomain pd() {
        return pd;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Makes the connection own a region, which is closed with it. */
    MemoryRegion register(MemoryRegion region) {
        regions.add(region);
        return region;
    }

    /** Waits for the next completion. */
    CompletionCursor next(String what) throws FileServiceException {
        return next(what, timeout);
    }

    private CompletionCursor next(String what, Duration longest) throws FileServiceException {
        try {
            return completions.next(what, longest);
        } catch (ConnectionLost | Stalled e) {
            broken = true;
            throw e;
        }
    }

    /** Sends a question without waiting for its answer. At most {@link MessagePort#SLOTS} questions may be open. */
    void send(FileMessage question) throws FileServiceException {
        if (!port.send(new Numbered(asked, question))) {
            throw new FileServiceException("The send queue is full, so a request could not be sent");
        }
        storing |= question instanceof FileMessage.Open open && open.writing();
        asked = FileMessageCodec.next(asked);
    }

    /** The answer in a completed receive. */
    <M extends FileMessage> M answer(CompletionCursor completion, Class<M> kind) throws FileServiceException {
        Numbered answer = port.onReceived(completion);
        if (answer.number() != answered || answered == asked) {
            throw new FileServiceException("The server sent an answer to a question that was not asked");
        }
        answered = FileMessageCodec.next(answered);
        served = true;
        if (answer.message() instanceof FileMessage.Problem problem) {
            throw new ServerRefuses(problem.sentence());
        }
        if (!kind.isInstance(answer.message())) {
            throw new FileServiceException(
                    "The server answered with a " + answer.message().getClass().getSimpleName() + " where a "
                            + kind.getSimpleName() + " was expected");
        }
        return kind.cast(answer.message());
    }

    /** Sends a question and waits for the answer. No other work may be in flight. */
    <M extends FileMessage> M ask(FileMessage question, Class<M> kind, String what, Duration longest)
            throws FileServiceException {
        send(question);
        CompletionCursor completion = next(what, longest);
        if (completion.opcode() != CompletionOpcode.RECEIVE) {
            throw new FileServiceException("A completion arrived for work that was not posted");
        }
        M answer = answer(completion, kind);
        storing &= !(question instanceof FileMessage.Commit);
        return answer;
    }

    /**
     * Requests the release of a file that was opened for writing and waits for it, so that the next client can open the file.
     * Other answers may still arrive before. If the connection broke, its end releases the file.
     */
    private void release() {
        int closing = asked;
        long deadlineNs = System.nanoTime() + LONGEST_RELEASE_NS;
        try {
            send(new FileMessage.Close());
            for (long leftNs = LONGEST_RELEASE_NS; leftNs > 0; leftNs = deadlineNs - System.nanoTime()) {
                if (!completions.poll("the server to release the file")) {
                    completions.await(Duration.ofNanos(leftNs));
                } else if (completions.cursor().opcode() == CompletionOpcode.RECEIVE
                        && port.onReceived(completions.cursor()).number() == closing) {
                    return;
                }
            }
        } catch (FileServiceException e) {
            return; // the connection ended or the server violated the protocol: the end of the connection releases the
            // file
        }
    }

    @Override
    public void close() {
        if (storing && !broken) {
            release();
        }
        if (!completions.stalled()) {
            connection.close();
        }
        queuePair.close();
        regions.forEach(MemoryRegion::close);
        port.close();
        pd.close();
        cq.close();
        own.ifPresent(Rnic::close);
    }
}
