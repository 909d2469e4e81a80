package io.verbena.tools.files;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.files.FileMessage.Numbered;
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

/** A client's connection to a file server: asks questions and gets the answers in their order. For one thread. */
final class Link implements AutoCloseable {

    private static final long LONGEST_RELEASE_NS = 2_000_000_000L;

    private final Duration timeout;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionWaiter completions;
    private final QueuePair queuePair;
    private final MessagePort port;
    private final Connection connection;
    private final List<MemoryRegion> regions = new ArrayList<>();
    private Optional<Rnic> own = Optional.empty();
    private int asked;
    private int answered;
    private boolean storing;
    private boolean broken;

    /**
     * Connects.
     *
     * @throws ConnectionException when there is no connection
     * @throws Failure when somebody else is there
     */
    Link(Rnic rnic, SocketAddress server, CopySettings settings, StopSignal stop) throws ConnectionException, Failure {
        int reads = Math.clamp(settings.depth(), 1, rnic.query().maxOutboundReads());
        timeout = settings.timeout();
        pd = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(2 * (MessagePort.SLOTS + settings.depth()) + MessagePort.SLOTS);
        completions = new CompletionWaiter(cq, settings.timeout(), Duration.ZERO, stop);
        queuePair = pd.createQueuePair(
                MessagePort.fit(QueuePairOptions.of(cq), settings.depth()).withReads(1, reads));
        port = new MessagePort(pd, queuePair);
        connection = rnic.startConnect(queuePair, server, settings.connection().withPrivateData(Greeting.bytes()));
        try {
            connection.awaitEstablished(settings.connection().timeout());
            if (!Greeting.matches(connection.privateData())) {
                throw new Failure(
                        "There is no file server at this address: " + Greeting.mismatch(connection.privateData()));
            }
        } catch (ConnectionException | Failure | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** This RNIC is closed with the connection. */
    Link owning(Rnic rnic) {
        own = Optional.of(rnic);
        return this;
    }

    ProtectionDomain pd() {
        return pd;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Memory that is given back with the connection. */
    MemoryRegion register(MemoryRegion region) {
        regions.add(region);
        return region;
    }

    /** The next completion of whatever is under way. */
    CompletionCursor next(String what) throws Failure {
        return next(what, timeout);
    }

    private CompletionCursor next(String what, Duration longest) throws Failure {
        try {
            return completions.next(what, longest);
        } catch (Failure e) {
            broken = true;
            throw e;
        }
    }

    /** Asks without waiting; at most {@link MessagePort#SLOTS} questions may be open. */
    void send(FileMessage question) throws Failure {
        if (!port.send(new Numbered(asked, question))) {
            throw new Failure("The send queue is full before a question could be asked");
        }
        storing |= question instanceof FileMessage.Open open && open.writing();
        asked = FileMessageCodec.next(asked);
    }

    /** The answer of a completed receive. */
    <M extends FileMessage> M answer(CompletionCursor completion, Class<M> kind) throws Failure {
        Numbered answer = port.onReceived(completion);
        if (answer.number() != answered || answered == asked) {
            throw new Failure("The server answered a question that it was not asked");
        }
        answered = FileMessageCodec.next(answered);
        if (answer.message() instanceof FileMessage.Problem problem) {
            throw new ServerRefuses(problem.sentence());
        }
        if (!kind.isInstance(answer.message())) {
            throw new Failure(
                    "The server answered with a " + answer.message().getClass().getSimpleName() + " where a "
                            + kind.getSimpleName() + " was expected");
        }
        return kind.cast(answer.message());
    }

    /** Asks and waits for the answer. Nothing else may be under way. */
    <M extends FileMessage> M ask(FileMessage question, Class<M> kind, String what, Duration longest) throws Failure {
        send(question);
        CompletionCursor completion = next(what, longest);
        if (completion.opcode() != CompletionOpcode.RECEIVE) {
            throw new Failure("Work completed that was not under way");
        }
        M answer = answer(completion, kind);
        storing &= !(question instanceof FileMessage.Commit);
        return answer;
    }

    /**
     * Asks the server to release a file that was opened for writing, and waits until it has: the next client can open it
     * then. Other answers may still be on their way. A connection that broke is released by its end.
     */
    private void release() {
        int closing = asked;
        long deadlineNs = System.nanoTime() + LONGEST_RELEASE_NS;
        try {
            send(new FileMessage.Close());
            for (long leftNs = LONGEST_RELEASE_NS; leftNs > 0; leftNs = deadlineNs - System.nanoTime()) {
                if (!completions.poll("the end of the store")) {
                    completions.ready(Duration.ofNanos(leftNs));
                } else if (completions.cursor().opcode() == CompletionOpcode.RECEIVE
                        && port.onReceived(completions.cursor()).number() == closing) {
                    return;
                }
            }
        } catch (Failure e) {
            return; // the connection ended, or the server broke the protocol: its end releases the file
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
