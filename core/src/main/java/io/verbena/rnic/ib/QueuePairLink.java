package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.RcSettings;
import io.verbena.port.Addresses;
import io.verbena.rnic.QueuePairEndpoint.ReadLimits;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.wire.ib.Syndrome;
import java.time.Duration;
import java.util.Optional;

/**
 * The peer of a queue pair and the parameters of the protocol.
 *
 * @param settings parameters of the protocol
 * @param path the way to the peer
 */
record QueuePairLink(RcSettings settings, PacketPath path) {

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
                0,
                settings.firstSendPsn(),
                settings.firstReceivePsn(),
                settings.retries(),
                settings.receiverNotReadyRetries(),
                Duration.ofNanos(settings.ackTimeoutNs()),
                Duration.ofNanos(Syndrome.rnrNs(Syndrome.rnrNak(settings.receiverNotReadyCode()))));
    }
}
