package io.verbena.storage.client;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** Another JVM that serves a file: {@code ServeFile PROVIDER PORT FILE BYTES}. It prints its port, and ends with its input. */
final class ServeFile {
    private ServeFile() {}

    public static void main(String[] arguments) throws IOException {
        Rnic rnic = Rnic.open(DiskPair.options(arguments[0], DiskPair.SERVER));
        BlockDevice device = MappedDevice.open(Path.of(arguments[2]), Long.parseLong(arguments[3]), 512);
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(DiskPair.NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        InetSocketAddress at =
                new InetSocketAddress(InetAddress.ofLiteral(DiskPair.SERVER), Integer.parseInt(arguments[1]));
        DiskServer server = DiskServer.start(rnic, target, at);
        System.out.println(((InetSocketAddress) server.localAddress()).getPort());
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        System.exit(0);
    }
}
