package io.verbena.rnic.ib.terms;

import io.verbena.base.Times;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmEndpoint;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmRetries;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RdSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.objects.ConnectionRules;
import io.verbena.verbs.ConnectionOptions;

/** What one side contributes to an end-to-end context, and what the two sides agree on; as {@link ConnectionTerms}. */
public final class RdTerms {

    /** One Read or atomic at a time. */
    private static final int READS = 1;

    private final PortLimits limits;
    private final ConnectionOptions requested;
    private final int number;
    private final int firstReceivePsn;
    private int mtuCode;

    /**
     * The terms of one side.
     *
     * @throws IllegalArgumentException with a sentence, if an option is out of range
     */
    public RdTerms(
            int number, int firstReceivePsn, ConnectionOptions requested, PortLimits limits, int mostPrivateBytes) {
        this.number = number;
        this.firstReceivePsn = firstReceivePsn & Psn.MASK;
        this.requested = requested;
        this.limits = limits;
        mtuCode = limits.mtuCode();
        ConnectionRules.check(requested, mostPrivateBytes);
    }

    public long timeoutNs() {
        return Times.nanos(requested.timeout());
    }

    /**
     * Reduces the path MTU to what the peer accepts.
     *
     * @return false if that is not an MTU, or not a smaller one
     */
    public boolean reduceMtu(int code) {
        boolean smaller = code >= 1 && code < mtuCode;
        mtuCode = smaller ? code : mtuCode;
        return smaller;
    }

    public int trafficClass() {
        return requested.trafficClass().orElse(limits.options().trafficClass());
    }

    private int retries() {
        return requested.retryCount().orElse(limits.options().retryCount());
    }

    private int receiverNotReadyRetries() {
        return requested.receiverNotReadyRetries().orElse(limits.options().receiverNotReadyRetries());
    }

    public byte[] privateData() {
        return requested.privateData();
    }

    /** The size of the receive buffer. A context has no extensions. */
    public int offers() {
        return PaddedData.withExtensions(limits.offers(), PaddedData.NONE);
    }

    /** The REQ of this side. */
    public CmOffer offer(long service, byte[] field) {
        return new CmOffer(
                service,
                CmOffer.RELIABLE_DATAGRAM,
                endpoint(),
                mtuCode,
                new CmRetries(retries(), receiverNotReadyRetries(), limits.ackTimeoutCode()),
                field);
    }

    private CmEndpoint endpoint() {
        return new CmEndpoint(number, firstReceivePsn, READS, READS, false, false);
    }

    /** The REP of this side. */
    public CmAnswer answer() {
        byte[] field = PaddedData.pad(requested.privateData(), ConnectionTerms.MOST_REPLY_BYTES, offers());
        return new CmAnswer(endpoint(), receiverNotReadyRetries(), field);
    }

    /** What the side that sent the REQ has agreed on with the REP of the peer. */
    public RdSettings agreed(CmAnswer peer) {
        return agreed(PortLimits.mtuBytes(mtuCode), limits.ackTimeoutCode(), PaddedData.offers(peer.privateData()))
                .remote(peer.endpoint().queuePair())
                .firstPsns(peer.endpoint().startingPsn(), firstReceivePsn)
                .retries(retries(), peer.receiverNotReadyRetries())
                .context();
    }

    /** What the side that accepts has agreed on with the REQ of the peer. */
    public RdSettings agreed(CmOffer peer) {
        return agreed(
                        PortLimits.mtuBytes(peer.mtuCode()),
                        peer.retries().ackTimeoutCode(),
                        RequestData.offers(peer.privateData()))
                .remote(peer.endpoint().queuePair())
                .firstPsns(peer.endpoint().startingPsn(), firstReceivePsn)
                .retries(peer.retries().retries(), peer.retries().receiverNotReadyRetries())
                .context();
    }

    private SettingsBuilder agreed(int mtuBytes, int ackTimeoutCode, int peerOffers) {
        return new SettingsBuilder()
                .local(number)
                .mtuBytes(mtuBytes)
                .ackTimeoutNs(PortLimits.timeoutNs(ackTimeoutCode))
                .windowPackets(limits.windowPackets(mtuBytes, peerOffers));
    }
}
