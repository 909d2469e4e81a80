package io.verbena.storage.service;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.target.Namespace;
import io.verbena.storage.target.StorageTarget;
import io.verbena.storage.target.Subsystem;
import io.verbena.storage.target.TargetLimits;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;

/** Serves a file as a disk, for the cases with a Linux kernel: {@code ServeDisk PROVIDER ADDRESS FILE MIB}. */
final class ServeDisk {
    private ServeDisk() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        RnicOptions options =
                RnicOptions.defaults().withProvider(arguments[0]).withConnectionRecord(arguments[2] + ".connections");
        // A packet port has one address; streams have all.
        Rnic rnic = Rnic.open(arguments[0].equals("roce") ? options.withDevice(arguments[1]) : options);
        BlockDevice device = MappedDevice.open(Path.of(arguments[2]), Long.parseLong(arguments[3]) << 20, 512);
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem("nqn.2026-01.io.verbena:disk", "verbena-1", Set.of());
        target.add(subsystem);
        byte[] name = arguments[2].getBytes(StandardCharsets.UTF_8);
        target.put(subsystem, new Namespace(1, device, UUID.nameUUIDFromBytes(name)));
        DiskServer server = DiskServer.start(rnic, target, new InetSocketAddress(arguments[1], 4420));
        System.out.println("serving at " + server.localAddress());
        Thread.sleep(Long.MAX_VALUE);
    }
}
