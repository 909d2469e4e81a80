package io.verbena.storage.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.Rnic;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A command that waits for the medium does not delay commands whose blocks are at hand. */
class ColdBlocksTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final InetAddress SERVER = InetAddress.ofLiteral("127.0.0.88");
    private static final int COLD = 7;

    /** A device of which one block is fetched when the test permits that. */
    private static final class OneColdBlock implements BlockDevice {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch fetched = new CountDownLatch(1);

        @Override
        public int blockBytes() {
            return 512;
        }

        @Override
        public long blocks() {
            return 64;
        }

        @Override
        public boolean mayWait(long block, int count) {
            return block <= COLD && block + count > COLD;
        }

        @Override
        public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
            return mayWait(block, count) ? fetch() : DeviceStatus.DONE;
        }

        private DeviceStatus fetch() {
            asked.countDown();
            try {
                fetched.await();
                return DeviceStatus.DONE;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return DeviceStatus.READ_ERROR;
            }
        }

        @Override
        public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
            return DeviceStatus.DONE;
        }

        @Override
        public DeviceStatus flush() {
            return DeviceStatus.DONE;
        }
    }

    @Test
    void readOfAColdBlock_doesNotDelayOtherQueues() throws Exception {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        OneColdBlock device = new OneColdBlock();
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        try (Rnic serving = Rnic.open();
                Rnic using = Rnic.open();
                DiskServer server = DiskServer.start(serving, target, new InetSocketAddress(SERVER, 0))) {
            InetSocketAddress address =
                    new InetSocketAddress(SERVER, ((InetSocketAddress) server.localAddress()).getPort());
            try (SmallHost admin = new SmallHost(using, address, 0, 32)) {
                assertEquals(0, admin.connect(NAME, 0xffff));
                int controller = (int) admin.result();
                admin.enable();
                try (SmallHost cold = new SmallHost(using, address, 1, 32);
                        SmallHost warm = new SmallHost(using, address, 2, 32)) {
                    assertEquals(0, cold.connect(NAME, controller));
                    assertEquals(0, warm.connect(NAME, controller));
                    CompletableFuture<Integer> waiting =
                            CompletableFuture.supplyAsync(() -> cold.readStatus(COLD, 512));
                    device.asked.await();
                    assertEquals(0, warm.readStatus(COLD + 1, 4096));
                    device.fetched.countDown();
                    assertEquals(0, waiting.join());
                } finally {
                    device.fetched.countDown();
                }
            }
        }
    }
}
