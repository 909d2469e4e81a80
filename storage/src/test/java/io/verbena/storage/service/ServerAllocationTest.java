package io.verbena.storage.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread of a server allocates nothing for Reads and Writes of a connected host, over real verbs. */
class ServerAllocationTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final InetAddress SERVER = InetAddress.ofLiteral("127.0.0.85");
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 60;
    private static final int COMMANDS = 200;

    @TempDir
    private Path folder;

    private static RnicOptions options(String provider, String device) {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        return provider.equals("roce")
                ? options.withDevice(device).withInfiniband(it -> it.withUdpPort(14_796))
                : options;
    }

    private static void commands(SmallHost io, byte[] data) {
        for (int i = 0; i < COMMANDS / 4; i++) {
            assertEquals(0, io.write(i, data));
            io.read(i, data.length);
            assertEquals(0, io.writeInCapsule(i, data));
            io.read(i + 1, data.length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce"})
    void warmedUp_readsAndWrites_allocateNothingInTheServer(String provider) throws Exception {
        BlockDevice device = provider.equals("roce")
                ? new MemoryDevice(1 << 20, 512)
                : MappedDevice.open(folder.resolve("disk.img"), 1 << 20, 512);
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        try (Rnic serving = Rnic.open(options(provider, SERVER.getHostAddress()));
                Rnic using = Rnic.open(options(provider, "127.0.0.86"));
                DiskServer server = DiskServer.start(serving, target, new InetSocketAddress(SERVER, 0))) {
            long thread = server.call(Thread::currentThread).threadId();
            InetSocketAddress address =
                    new InetSocketAddress(SERVER, ((InetSocketAddress) server.localAddress()).getPort());
            try (SmallHost admin = new SmallHost(using, address, 0, 32)) {
                assertEquals(0, admin.connect(NAME, 0xffff));
                int controller = (int) admin.result();
                admin.enable();
                try (SmallHost io = new SmallHost(using, address, 1, 64)) {
                    assertEquals(0, io.connect(NAME, controller));
                    byte[] data = new byte[4096];
                    long least = Long.MAX_VALUE;
                    // Accesses to memory through method handles allocate until they are compiled.
                    for (int round = 0; round < ROUNDS && least > 0; round++) {
                        long before = THREADS.getThreadAllocatedBytes(thread);
                        commands(io, data);
                        least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
                    }
                    assertEquals(0, least);
                }
            }
        } finally {
            device.close();
        }
    }
}
