package io.verbena.bench.disk;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** The JVM that serves: {@code DiskSide CONTESTANT FILE}. It prints its port. */
final class DiskSide {
    static final String NAME = "nqn.2026-01.io.verbena:bench";

    private DiskSide() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Contestant contestant = Contestant.valueOf(arguments[0]);
        Path file = Path.of(arguments[1]);
        if (contestant == Contestant.NIO) {
            NioBlockServer server = new NioBlockServer(file);
            System.out.println(server.port());
            server.serve();
            return;
        }
        Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider(contestant.provider()));
        BlockDevice device = MappedDevice.openReadOnly(file, 512);
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "bench", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        DiskServer server = DiskServer.start(rnic, target, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        System.out.println(((InetSocketAddress) server.localAddress()).getPort());
        Thread.sleep(Long.MAX_VALUE);
    }
}
