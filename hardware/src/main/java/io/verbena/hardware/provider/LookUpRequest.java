package io.verbena.hardware.provider;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;

/** A request of a peer for the address of a datagram service. Its id ends with the answer. */
final class LookUpRequest extends HardwareRequest {

    /** Private data of a SIDR_REP. */
    private static final int ANSWER_BYTES = 136;

    private final ConnectionManager manager;
    private final CmEvent event;

    LookUpRequest(ConnectionManager manager, CmEvent event) {
        super(manager, event);
        this.manager = manager;
        this.event = event;
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
    int maxRejectBytes() {
        return ANSWER_BYTES;
    }

    @Override
    public void acceptDatagrams(QueuePair queuePair, int qkey, byte[] privateData) {
        HardwareQueuePair hardwareQueuePair = HardwareQueuePair.of(queuePair, manager.rnic());
        check(hardwareQueuePair, qkey);
        if (privateData.length > ANSWER_BYTES) {
            throw new IllegalArgumentException(
                    "the answer holds at most " + ANSWER_BYTES + " bytes of private data, not " + privateData.length);
        }
        answer();
        try (Arena arena = Arena.ofConfined()) {
            manager.libraries()
                    .call(
                            NativeFunction.ACCEPT,
                            event.id(),
                            CmParameters.datagrams(arena, privateData, hardwareQueuePair.number()));
        } catch (CallFailedException e) {
            throw new VerbsException(
                    "The look-up of " + remoteAddress() + " was not answered: " + Errno.text(e.errno()) + ".", e);
        } finally {
            manager.destroy(event.id());
        }
    }

    private static void check(HardwareQueuePair queuePair, int qkey) {
        if (!queuePair.datagrams()) {
            throw new IllegalArgumentException("a queue pair with a datagram service is required, not "
                    + queuePair.options().service());
        }
        int own = queuePair
                .states()
                .qkey()
                .orElseThrow(() ->
                        new IllegalStateException("the queue pair has no Q_Key yet; move it to RTR before you answer"));
        if (own != qkey) {
            throw new IllegalArgumentException(
                    "the queue pair drops datagrams with the Q_Key 0x%08x, because its own is 0x%08x"
                            .formatted(qkey, own));
        }
        if (qkey != QueuePairStates.DEFAULT_QKEY) {
            throw new UnsupportedOperationException(
                    "librdmacm answers look-ups with the Q_Key 0x%08x only; give the queue pair this one, not 0x%08x."
                            .formatted(QueuePairStates.DEFAULT_QKEY, qkey));
        }
    }
}
