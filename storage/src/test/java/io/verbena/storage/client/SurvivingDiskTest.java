package io.verbena.storage.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.host.HostState;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk whose connections are reset while commands are under way: the host never connects again. */
class SurvivingDiskTest {

    private static final int BLOCK_BYTES = 512;
    private static final int BYTES = 64 << 10;
    private static final int ROUNDS = 12;
    private static final int COMMANDS = 16;
    private static final long LONGEST_S = 60;
    private static final String NAME = "nqn.2026-01.io.verbena:disk";

    @ParameterizedTest
    @EnumSource
    void cutInTheMiddle_everyCommandIsExecuted_withoutAnotherConnection(KeyUse keys) throws Exception {
        MemoryDevice device = new MemoryDevice((long) COMMANDS * BYTES, BLOCK_BYTES);
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        RnicOptions options = RnicOptions.defaults().withProvider("iwarp");
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Queue<HostState> states = new ConcurrentLinkedQueue<>();
        try (Rnic serving = Rnic.open(options);
                Rnic using = Rnic.open(options);
                DiskServer server = DiskServer.start(
                        serving, target, any, ConnectionOptions.defaults().surviving());
                CuttingForwarder forwarder =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) server.localAddress());
                DiskClient client = DiskClient.connect(
                        using,
                        forwarder.address(),
                        NAME,
                        DiskOptions.defaults().withKeys(keys).surviving())) {
            int connections = forwarder.accepted();
            client.onChange(() -> states.add(client.state()));
            writeAndRead(client.disks().getFirst(), forwarder);
            assertEquals(HostState.LIVE, client.state());
            assertTrue(states.stream().allMatch(each -> each == HostState.LIVE), states::toString);
            assertTrue(forwarder.accepted() > connections, "another transport was used");
        } finally {
            device.close();
        }
    }

    private static void writeAndRead(Disk disk, CuttingForwarder forwarder) throws Exception {
        Random random = new Random(5);
        int blocks = BYTES / BLOCK_BYTES;
        for (int round = 0; round < ROUNDS; round++) {
            List<ByteBuffer> written = new ArrayList<>();
            List<CompletableFuture<Void>> commands = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                byte[] bytes = new byte[BYTES];
                random.nextBytes(bytes);
                written.add(ByteBuffer.wrap(bytes));
                commands.add(disk.write((long) i * blocks, written.getLast()));
            }
            forwarder.cut();
            await(commands);
            List<ByteBuffer> read = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                read.add(ByteBuffer.allocate(BYTES));
                commands.add(disk.read((long) i * blocks, read.getLast()));
            }
            forwarder.cut();
            await(commands);
            for (int i = 0; i < COMMANDS; i++) {
                assertEquals(-1, written.get(i).mismatch(read.get(i)));
            }
        }
    }

    private static void await(List<CompletableFuture<Void>> commands) throws Exception {
        CompletableFuture.allOf(commands.toArray(CompletableFuture[]::new)).get(LONGEST_S, TimeUnit.SECONDS);
    }
}
