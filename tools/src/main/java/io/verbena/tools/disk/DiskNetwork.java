package io.verbena.tools.disk;

import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.SurviveArguments;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The RNICs through which disks are served. Without a choice of the provider they are iWARP and, where possible, RoCE at one port. */
final class DiskNetwork implements AutoCloseable {
    private static final String AUTO = "auto";
    private static final String ROCE = "roce";

    private final DiskServer server;
    private final Rnic rnic;
    private final Optional<Rnic> roce;
    private final boolean roceOnly;

    private DiskNetwork(DiskServer server, Rnic rnic, Optional<Rnic> roce, boolean roceOnly) {
        this.server = server;
        this.rnic = rnic;
        this.roce = roce;
        this.roceOnly = roceOnly;
    }

    /**
     * Begins to listen.
     *
     * @param note reports why there is no RoCE
     */
    static DiskNetwork listen(RnicOptions options, StorageTarget target, InetSocketAddress where, Consumer<String> note)
            throws Failure {
        Rnic rnic = Rnic.open(RnicArguments.at(options, where));
        try {
            DiskServer server = start(rnic, target, where, options);
            boolean both = options.provider().isEmpty() || options.provider().equals(AUTO);
            Optional<Rnic> roce = Optional.empty();
            if (both && !options.captureFile().isEmpty()) {
                note.accept("A capture has the packets of one provider: this one is without RoCE.");
            } else if (both) {
                roce = roce(server, options.settings(), note);
            }
            return new DiskNetwork(server, rnic, roce, options.provider().equals(ROCE));
        } catch (Failure | RuntimeException e) {
            rnic.close();
            throw e;
        }
    }

    private static DiskServer start(Rnic rnic, StorageTarget target, InetSocketAddress where, RnicOptions options)
            throws Failure {
        try {
            return DiskServer.start(
                    rnic,
                    target,
                    where,
                    SurviveArguments.accepting(ConnectionOptions.defaults(), options, SurvivalOptions.PATIENCE));
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another address with --address or --port.", e);
        }
    }

    private static Optional<Rnic> roce(DiskServer server, Map<String, String> settings, Consumer<String> note) {
        InetSocketAddress local = reachable((InetSocketAddress) server.localAddress());
        try {
            RnicProvider provider = RnicProvider.named(ROCE);
            Rnic opened = Rnic.open(RnicOptions.defaults()
                    .withProvider(ROCE)
                    .withDevice(provider.deviceAt(local.getAddress()))
                    .withSettings(settings));
            try {
                server.listen(opened, local);
                return Optional.of(opened);
            } catch (IOException | RuntimeException e) {
                opened.close();
                throw e;
            }
        } catch (IOException | VerbsException | UnsupportedOperationException | IllegalArgumentException e) {
            note.accept("Over iWARP only, without RoCE: " + Problems.sentence(e));
            return Optional.empty();
        }
    }

    /** The RNICs that listen. */
    List<Rnic> rnics() {
        return Stream.concat(Stream.of(rnic), roce.stream()).toList();
    }

    DiskServer server() {
        return server;
    }

    /** Where hosts connect. */
    InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** Whether hosts can connect by RoCE. */
    boolean hasRoce() {
        return roceOnly || roce.isPresent();
    }

    /** The drivers of Linux with which hosts connect. */
    String drivers() {
        if (roceOnly) {
            return "rxe";
        }
        return roce.isPresent() ? "siw or rxe" : "siw";
    }

    /** An address that other machines reach, if the server listens at every address. */
    static InetSocketAddress reachable(InetSocketAddress listening) {
        if (!listening.getAddress().isAnyLocalAddress()) {
            return listening;
        }
        try {
            InetAddress first = NetworkInterface.networkInterfaces()
                    .filter(DiskNetwork::leadsToOthers)
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(each -> !each.isLinkLocalAddress())
                    .min(Comparator.comparing((InetAddress each) -> each instanceof Inet6Address))
                    .orElse(InetAddress.getLoopbackAddress());
            return new InetSocketAddress(first, listening.getPort());
        } catch (SocketException e) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), listening.getPort());
        }
    }

    private static boolean leadsToOthers(NetworkInterface each) {
        try {
            return each.isUp() && !each.isLoopback();
        } catch (SocketException e) {
            return false; // it has just been removed
        }
    }

    @Override
    public void close() {
        server.close();
        roce.ifPresent(Rnic::close);
        rnic.close();
    }
}
