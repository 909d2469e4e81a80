package io.verbena.tools.demo;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.TransportType;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** The client's connection to the server process, and what the stages share: one domain, one CQ, one waiter. */
final class DemoLink {

    private static final int CQ_ENTRIES = 65_536;

    private final Rnic rnic;
    private final SocketAddress server;
    private final DemoSettings settings;
    private final ConnectionOptions connection;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionWaiter completions;
    private final ControlChannel channel;

    DemoLink(Rnic rnic, SocketAddress server, byte[] token, DemoSettings settings, StopSignal stop)
            throws ConnectionException {
        this.rnic = rnic;
        this.server = server;
        this.settings = settings;
        this.connection = settings.connection().withPrivateData(token);
        this.pd = rnic.allocateProtectionDomain();
        this.cq = rnic.createCompletionQueue(Math.min(CQ_ENTRIES, rnic.query().maxCompletionEntries()));
        this.completions = new CompletionWaiter(cq, settings.timeout(), Duration.ZERO, stop);
        QueuePair queuePair = newQueuePair(settings.transfer().depth());
        this.channel = new ControlChannel(pd, queuePair);
        connect(queuePair);
    }

    private QueuePair newQueuePair(int depth) {
        int reads = Math.clamp(depth, 1, rnic.query().maxOutboundReads());
        return pd.createQueuePair(QueuePairOptions.of(cq)
                .withDepths(depth + ControlChannel.SLOTS, ControlChannel.SLOTS)
                .withElements(1, 1)
                .withReads(1, reads));
    }

    private void connect(QueuePair queuePair) throws ConnectionException {
        rnic.connect(queuePair, server, connection);
    }

    /** One more connection, for work of the given depth. */
    QueuePair connectAnother(int depth) throws ConnectionException {
        QueuePair queuePair = newQueuePair(depth);
        connect(queuePair);
        return queuePair;
    }

    ProtectionDomain pd() {
        return pd;
    }

    /** What carries the connection. */
    TransportType transport() {
        return queuePair().connection().orElseThrow().transport();
    }

    QueuePair queuePair() {
        return channel.queuePair();
    }

    CompletionWaiter completions() {
        return completions;
    }

    DemoSettings settings() {
        return settings;
    }

    /** Sends a message and waits for the answer. */
    <M extends ControlMessage> M ask(ControlMessage question, Class<M> answer, String what, Duration longest)
            throws Failure {
        ask(question);
        return answer(answer, what, longest);
    }

    /** Sends a message; {@link #answer} takes the answer. */
    void ask(ControlMessage question) throws Failure {
        if (!channel.send(question)) {
            throw new Failure("The send queue is full, so a request could not be sent");
        }
    }

    /**
     * Waits for the answer to the last question, and for the completion of the question. Over InfiniBand the answer can
     * arrive before the acknowledgement of the question. No other work may be in flight.
     */
    <M extends ControlMessage> M answer(Class<M> answer, String what, Duration longest) throws Failure {
        Optional<ControlMessage> message = Optional.empty();
        while (message.isEmpty() || channel.sending()) {
            CompletionCursor completion = completions.next(what, longest);
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                message = Optional.of(channel.onReceived(completion));
            } else {
                channel.onSent();
            }
        }
        ControlMessage received = message.get();
        if (answer.isInstance(received)) {
            return answer.cast(received);
        }
        throw received instanceof ControlMessage.Problem problem
                ? new Failure(problem.sentence())
                : new Failure(
                        "The server answered with a " + received.getClass().getSimpleName() + " instead of " + what);
    }

    /** Waits until the server confirms that all earlier work has arrived. */
    void sync(long number, String what) throws Failure {
        ControlMessage.Echoed echoed =
                ask(new ControlMessage.Echo(number), ControlMessage.Echoed.class, what, settings.timeout());
        if (echoed.number() != number) {
            throw new Failure("The server returned the number " + echoed.number() + " instead of " + number);
        }
    }
}
