package io.verbena.storage.client;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A server with one subsystem, and RNICs for it and for its clients. */
final class DiskPair implements AutoCloseable {
    static final String NAME = "nqn.2026-01.io.verbena:disk";

    /** Addresses and a UDP port that no other test uses: RNICs of one address share a port. */
    static final String SERVER = "127.0.0.85";

    static final String CLIENT = "127.0.0.86";
    private static final int UDP_PORT = 14_795;

    private final String provider;
    final Rnic using;
    final Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
    final StorageTarget target;
    private final Rnic serving;
    private DiskServer server;

    DiskPair(String provider, List<? extends BlockDevice> devices) throws IOException {
        this.provider = provider;
        serving = Rnic.open(options(provider, SERVER));
        using = Rnic.open(options(provider, CLIENT));
        target = target(devices);
        server = DiskServer.start(serving, target, address(0));
    }

    private StorageTarget target(List<? extends BlockDevice> devices) {
        StorageTarget storageTarget = new StorageTarget(TargetLimits.defaults());
        storageTarget.add(subsystem);
        for (int i = 0; i < devices.size(); i++) {
            storageTarget.put(subsystem, new Namespace(i + 1, devices.get(i), new UUID(1, i)));
        }
        return storageTarget;
    }

    static RnicOptions options(String provider, String address) {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        return provider.equals("roce")
                ? options.withDevice(address).withInfiniband(it -> it.withUdpPort(UDP_PORT))
                : options;
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(SERVER), port);
    }

    InetSocketAddress address() {
        return address(((InetSocketAddress) server.localAddress()).getPort());
    }

    DiskServer server() {
        return server;
    }

    DiskClient connect(DiskOptions options) throws ConnectionException {
        return DiskClient.connect(using, address(), NAME, options);
    }

    /** Ends the server, and starts another one at the same place. */
    void restart() throws IOException {
        InetSocketAddress at = address();
        server.close();
        StorageTarget again = new StorageTarget(TargetLimits.defaults());
        again.add(subsystem);
        server = DiskServer.start(serving, again, at);
    }

    /** Executes an action in the thread of the target, and waits for its end. */
    void change(Runnable action) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        server.execute(() -> {
            action.run();
            done.complete(null);
        });
        done.join();
    }

    String provider() {
        return provider;
    }

    @Override
    public void close() {
        server.close();
        using.close();
        serving.close();
    }
}
