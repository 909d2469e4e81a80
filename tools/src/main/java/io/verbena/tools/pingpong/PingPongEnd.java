package io.verbena.tools.pingpong;

import io.verbena.tools.exchange.HandMadePath;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.util.Set;

/** A queue pair of a ping-pong, which the program moves from INIT to RTS itself. */
final class PingPongEnd {

    /** A received datagram begins with a global routing header. */
    static final int HEADER_BYTES = 40;

    /** Q_Key of ibv_ud_pingpong. */
    private static final int QKEY = 0x11111111;

    private final QueuePair queuePair;
    private final PingPongSettings settings;
    private final MemoryRegion messages;
    private final WorkRequest message;
    private boolean sending;
    private boolean receiving = true;

    PingPongEnd(QueuePair queuePair, PingPongSettings settings, MemoryRegion messages) {
        this.queuePair = queuePair;
        this.settings = settings;
        this.messages = messages;
        message = queuePair.newWorkRequest();
    }

    QueuePair queuePair() {
        return queuePair;
    }

    private boolean datagram() {
        return settings.service() == PingPongService.UD;
    }

    void initialize() {
        HandMadePath.initialize(queuePair, Set.of());
    }

    void connect(PingPongAddress local, PingPongAddress theirs) {
        HandMadePath path = new HandMadePath(
                theirs.number(),
                theirs.address(),
                settings.path().serviceLevel(),
                settings.path().mtuBytes(),
                new HandMadePath.Psns(local.psn(), theirs.psn()),
                new HandMadePath.Reads(1, 1));
        if (datagram()) {
            message.send().to(path.connectDatagrams(queuePair, QKEY), theirs.number(), QKEY);
        } else {
            path.connect(queuePair);
            message.send();
        }
        message.flags(WrFlags.SIGNALLED)
                .gather(messages, HEADER_BYTES, settings.messages().bytes());
    }

    boolean postReceive() {
        return datagram()
                ? queuePair.postReceive(
                        0, messages, 0, HEADER_BYTES + settings.messages().bytes())
                : queuePair.postReceive(
                        0, messages, HEADER_BYTES, settings.messages().bytes());
    }

    void send() {
        sending = true;
        receiving = true;
        if (!queuePair.post(message)) {
            throw new AssertionError("the send queue holds one message");
        }
    }

    void onSent() {
        sending = false;
    }

    void onReceived() {
        receiving = false;
    }

    /** Whether the last message has been sent and one has been received since. */
    boolean idle() {
        return !sending && !receiving;
    }
}
