package io.verbena.rnic.ib;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.ib.Psn;
import io.verbena.ib.RcOption;
import io.verbena.ib.RcSettings;
import io.verbena.ib.SettingsBuilder;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmOffer;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.TransportService;
import java.util.OptionalInt;

/**
 * What one side contributes to a connection, and what the two sides agree on. Each side proposes the first PSN and the
 * retries after "receiver not ready" of the other side, and grants its Reads and atomics.
 */
final class ConnectionTerms {

    /** Maximum private data of a reply. */
    static final int MOST_REPLY_BYTES = 196;

    /** Transport services in a REQ. */
    private static final int RELIABLE = 0;

    private static final int UNRELIABLE = 1;

    private static final int MOST_RETRIES = 7;

    private final PortLimits limits;
    private final QueuePairOptions queuePair;
    private final ConnectionOptions requested;
    private final int number;
    private final int firstReceivePsn;

    /**
     * The terms of one side.
     *
     * @throws IllegalArgumentException with a sentence, if an option is out of range
     */
    ConnectionTerms(SoftQueuePair queuePair, ConnectionOptions requested, PortLimits limits, int mostPrivateBytes) {
        this.limits = limits;
        this.queuePair = queuePair.options();
        this.requested = requested;
        number = queuePair.number();
        RandomSource random = queuePair.rnicContext().environment().random();
        firstReceivePsn = random.nextInt() & Psn.MASK;
        if (requested.privateData().length > mostPrivateBytes) {
            throw new IllegalArgumentException("there can be at most " + mostPrivateBytes
                    + " bytes of private data here, not " + requested.privateData().length);
        }
        if (timeoutNs() == 0) {
            throw new IllegalArgumentException("the timeout of a connection must be greater than zero");
        }
        checkRetries(requested.retryCount());
        checkRetries(requested.receiverNotReadyRetries());
    }

    private static void checkRetries(OptionalInt retries) {
        if (retries.orElse(0) < 0 || retries.orElse(0) > MOST_RETRIES) {
            throw new IllegalArgumentException("a number of retries must be 0 to 7, not " + retries.getAsInt());
        }
    }

    long timeoutNs() {
        return Times.nanos(requested.timeout());
    }

    int trafficClass() {
        return requested.trafficClass().orElse(limits.options().trafficClass());
    }

    byte[] privateData() {
        return requested.privateData();
    }

    /** The service of a REQ. */
    static TransportService service(int number) {
        return number == UNRELIABLE ? TransportService.UNRELIABLE_CONNECTION : TransportService.RELIABLE_CONNECTION;
    }

    private int retries() {
        return requested.retryCount().orElse(limits.options().retryCount());
    }

    private int receiverNotReadyRetries() {
        return requested.receiverNotReadyRetries().orElse(limits.options().receiverNotReadyRetries());
    }

    /** The extensions that this side offers to another Verbena. */
    int offers() {
        return limits.options().selectiveRepeat() ? PaddedData.SELECTIVE_REPEAT : PaddedData.NONE;
    }

    /** The extensions that both sides offer. */
    private int common(CmOffer peer) {
        return offers() & RequestData.offers(peer.privateData());
    }

    /** The REQ of this side. */
    CmOffer offer(long service, byte[] field) {
        return new CmOffer(
                service,
                queuePair.service() == TransportService.UNRELIABLE_CONNECTION ? UNRELIABLE : RELIABLE,
                number,
                firstReceivePsn,
                queuePair.inboundReads(),
                queuePair.outboundReads(),
                limits.mtuCode(),
                retries(),
                receiverNotReadyRetries(),
                limits.ackTimeoutCode(),
                false,
                queuePair.sharedReceiveQueue().isPresent(),
                field);
    }

    /** The REP of this side. */
    CmAnswer answer(CmOffer peer) {
        return new CmAnswer(
                number,
                firstReceivePsn,
                Math.min(queuePair.inboundReads(), peer.initiatorDepth()),
                Math.min(queuePair.outboundReads(), peer.responderResources()),
                receiverNotReadyRetries(),
                false,
                queuePair.sharedReceiveQueue().isPresent(),
                PaddedData.pad(requested.privateData(), MOST_REPLY_BYTES, common(peer)));
    }

    /** What the side that sent the REQ has agreed on with the REP of the peer. */
    RcSettings agreed(CmAnswer peer) {
        return agreed(limits.mtuBytes(), limits.ackTimeoutCode(), offers() & PaddedData.offers(peer.privateData()))
                .remote(peer.queuePair())
                .firstPsns(peer.startingPsn(), firstReceivePsn)
                .reads(
                        Math.min(queuePair.outboundReads(), peer.responderResources()),
                        Math.min(queuePair.inboundReads(), peer.initiatorDepth()))
                .retries(retries(), peer.receiverNotReadyRetries())
                .reliableConnection();
    }

    /** What the side that accepts has agreed on with the REQ of the peer. */
    RcSettings agreed(CmOffer peer) {
        return agreed(PortLimits.mtuBytes(peer.mtuCode()), peer.ackTimeoutCode(), common(peer))
                .remote(peer.queuePair())
                .firstPsns(peer.startingPsn(), firstReceivePsn)
                .reads(
                        Math.min(queuePair.outboundReads(), peer.responderResources()),
                        Math.min(queuePair.inboundReads(), peer.initiatorDepth()))
                .retries(peer.retries(), peer.receiverNotReadyRetries())
                .reliableConnection();
    }

    private SettingsBuilder agreed(int mtuBytes, int ackTimeoutCode, int extensions) {
        SettingsBuilder builder = new SettingsBuilder();
        if ((extensions & PaddedData.SELECTIVE_REPEAT) != 0) {
            builder.options(RcOption.SELECTIVE_REPEAT);
        }
        return builder.local(number)
                .mtuBytes(mtuBytes)
                .ackTimeoutNs(PortLimits.timeoutNs(ackTimeoutCode))
                .windowPackets(limits.windowPackets(mtuBytes));
    }
}
