package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.RcEngine;
import io.verbena.ib.endpoint.QueuePairEngine;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.ib.settings.UcSettings;
import io.verbena.ib.settings.UdSettings;
import io.verbena.ib.unreliable.AddressHandles;
import io.verbena.ib.unreliable.RawEngine;
import io.verbena.ib.unreliable.UcEngine;
import io.verbena.ib.unreliable.UdEngine;
import io.verbena.port.Addresses;
import io.verbena.rnic.QueuePairEndpoint.ReadLimits;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.wire.ib.Bth;
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

    /**
     * The engine of the service that a queue pair has, which executes requests of the peer from now on (RTR).
     *
     * @param writes whether unreliable datagrams may be RDMA Writes
     * @param onChange has the queue pair served, when a context has changed it
     */
    QueuePairEngine start(
            QueuePairOptions options, QueuePairWork work, AddressHandles handles, boolean writes, Runnable onChange) {
        return switch (options.service()) {
            case UNRELIABLE_CONNECTION -> new UcEngine(unreliableConnection(), work, path);
            case RELIABLE_DATAGRAM ->
                ((ReliableDatagrams) options.datagramDomain().orElseThrow())
                        .start(settings.localQp(), qKey, work, onChange);
            case UNRELIABLE_DATAGRAM -> new UdEngine(datagram(writes), work, handles);
            case RAW_DATAGRAM -> new RawEngine(settings.mtuBytes(), work, handles);
            default -> new RcEngine(settings, work, path, Bth.DEFAULT_P_KEY);
        };
    }

    private UcSettings unreliableConnection() {
        return new SettingsBuilder()
                .local(settings.localQp())
                .remote(settings.remoteQp())
                .mtuBytes(settings.mtuBytes())
                .firstPsns(settings.firstSendPsn(), settings.firstReceivePsn())
                .unreliableConnection();
    }

    private UdSettings datagram(boolean writes) {
        return new SettingsBuilder()
                .local(settings.localQp())
                .mtuBytes(settings.mtuBytes())
                .firstPsns(settings.firstSendPsn(), 0)
                .qKey(qKey)
                .writes(writes)
                .datagram();
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
