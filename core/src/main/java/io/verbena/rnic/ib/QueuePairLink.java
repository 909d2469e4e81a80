package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.AddressHandles;
import io.verbena.ib.QueuePairWork;
import io.verbena.ib.RcSettings;
import io.verbena.ib.SettingsBuilder;
import io.verbena.port.Addresses;
import io.verbena.rnic.QueuePairEndpoint.ReadLimits;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.TransportService;
import io.verbena.wire.ib.Syndrome;
import java.time.Duration;
import java.util.Optional;

/**
 * The peer of a queue pair and the parameters of the protocol. A datagram queue pair has a Q_Key instead of a peer.
 *
 * @param settings parameters of the protocol
 * @param path the way to the peer
 * @param qKey Q_Key of a datagram queue pair
 */
record QueuePairLink(RcSettings settings, PacketPath path, int qKey) {

    /** A connection. */
    QueuePairLink(RcSettings settings, PacketPath path) {
        this(settings, path, 0);
    }

    /** Starts the protocol of a service (RTR). */
    ServiceProtocol start(TransportService service, QueuePairWork work, AddressHandles handles) {
        return switch (service) {
            case UNRELIABLE_CONNECTION -> new UnreliableProtocol(settings, work, path);
            case UNRELIABLE_DATAGRAM ->
                new DatagramProtocol(
                        new SettingsBuilder()
                                .local(settings.localQp())
                                .mtuBytes(settings.mtuBytes())
                                .firstPsns(settings.firstSendPsn(), 0)
                                .qKey(qKey)
                                .datagram(),
                        work,
                        handles);
            default -> new ReliableProtocol(settings, work, path);
        };
    }

    ReadLimits readLimits() {
        return new ReadLimits(settings.inboundReads(), settings.outboundReads());
    }

    /** As shown by Query QP. */
    PathAttributes attributes() {
        return new PathAttributes(
                AddressHandleAttributes.to(Addresses.address(path.addressHigh(), path.addressLow())),
                Optional.empty(),
                PathMigration.MIGRATED,
                0,
                settings.mtuBytes(),
                qKey,
                settings.firstSendPsn(),
                settings.firstReceivePsn(),
                settings.retries(),
                settings.receiverNotReadyRetries(),
                Duration.ofNanos(settings.ackTimeoutNs()),
                Duration.ofNanos(Syndrome.rnrNs(Syndrome.rnrNak(settings.receiverNotReadyCode()))));
    }
}
