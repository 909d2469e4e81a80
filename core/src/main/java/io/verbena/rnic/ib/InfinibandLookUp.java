package io.verbena.rnic.ib;

import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.TransportService;
import java.net.InetSocketAddress;

/** The SIDR_REQ of a peer as seen by the application: a request for the address of a datagram service. */
final class InfinibandLookUp extends UndecidedRequest {

    /** Private data in a SIDR_REP. */
    static final int ANSWER_BYTES = 136;

    private static final int DONE = 0;
    private static final int REJECTED = 2;

    private final int number;

    InfinibandLookUp(InfinibandListener listener, int number, InetSocketAddress remote, byte[] field, long deadlineNs) {
        super(listener, remote, field, deadlineNs);
        this.number = number;
    }

    @Override
    public boolean forDatagrams() {
        return true;
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        throw new UnsupportedOperationException(
                "The peer requests the address of a datagram service, not a connection; call acceptDatagrams.");
    }

    @Override
    public void acceptDatagrams(QueuePair queuePair, int qkey, byte[] privateData) {
        SoftQueuePair softQueuePair = SoftQueuePair.of(queuePair, listener().context());
        TransportService service = softQueuePair.options().service();
        if (service != TransportService.UNRELIABLE_DATAGRAM && service != TransportService.RELIABLE_DATAGRAM) {
            throw new IllegalArgumentException("a queue pair with a datagram service is required, not " + service);
        }
        QueuePairLink ready = InfinibandQueuePair.of(softQueuePair)
                .link()
                .orElseThrow(() ->
                        new IllegalStateException("the queue pair has no Q_Key yet; move it to RTR before you answer"));
        if (ready.qKey() != qkey) {
            throw new IllegalArgumentException(
                    "the queue pair drops datagrams with the Q_Key 0x%08x, because its own is 0x%08x"
                            .formatted(qkey, ready.qKey()));
        }
        answer(DONE, softQueuePair.number(), qkey, privateData);
    }

    @Override
    public void reject(byte[] privateData) {
        answer(REJECTED, 0, 0, privateData);
    }

    private void answer(int status, int queuePair, int qkey, byte[] privateData) {
        if (privateData.length > ANSWER_BYTES) {
            throw new IllegalArgumentException(
                    "the answer holds at most " + ANSWER_BYTES + " bytes of private data, not " + privateData.length);
        }
        byte[] field = PaddedData.pad(privateData, ANSWER_BYTES, PaddedData.NONE);
        listener().checkCaller();
        decide();
        decided(() -> send(status, queuePair, qkey, field));
    }

    @Override
    protected void refuse(String reason) {
        listener().forget(this);
        send(REJECTED, 0, 0, text(reason, ANSWER_BYTES));
    }

    private void send(int status, int queuePair, int qkey, byte[] field) {
        listener().port().management().answer(number, status, queuePair, qkey, field);
    }
}
