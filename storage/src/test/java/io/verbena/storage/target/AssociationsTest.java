package io.verbena.storage.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Associations that begin, end and change while commands are under way. */
class AssociationsTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";
    private static final String OTHER_HOST = "nqn.2026-01.org.example:other";
    private static final int HOST_MEMORY = 4096;

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final StorageTarget target = new StorageTarget(TargetLimits.defaults());
    private final Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());

    /** An association with one I/O queue. */
    private record Association(HostScript admin, HostScript io) {
        void settle() {
            admin.settle();
            io.settle();
        }
    }

    @BeforeEach
    void add() {
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
    }

    @AfterEach
    void close() {
        device.close();
    }

    private Association connect(String host) {
        HostScript admin = new HostScript(target, 0, 32);
        int controller = (int) admin.connect(NAME, 0xffff, host).result();
        admin.enable();
        HostScript io = new HostScript(target, 1, 128);
        assertEquals(0, io.connect(NAME, controller, host).status());
        return new Association(admin, io);
    }

    private static void write(HostScript io) {
        io.send(0, e -> e.opcode(1).namespaceId(1).keyed(HOST_MEMORY, 512, 9, true));
    }

    private static void sendConnect(HostScript queue, String host) {
        new ConnectData()
                .wrap(MemorySegment.ofArray(queue.memory), 0)
                .clear()
                .controllerId(0xffff)
                .subsystemName(NAME)
                .hostName(host);
        queue.send(0, queue::connectEntry);
    }

    @Test
    void waitingConnect_sentAgainForAnotherHost_isASequenceErrorAndEndsNoAssociation() {
        Association first = connect(HOST);
        Association second = connect(OTHER_HOST);
        first.io.holdDevice = true;
        second.io.holdDevice = true;
        write(first.io);
        write(second.io);
        HostScript again = new HostScript(target, 0, 32);
        sendConnect(again, HOST);
        sendConnect(again, OTHER_HOST);
        first.settle();
        second.settle();
        assertEquals(Status.SEQUENCE.field(), again.responses.remove().status());
        first.io.releaseDevice();
        second.io.releaseDevice();
        assertEquals(0, again.responses.remove().status());
        assertTrue(again.responses.isEmpty());
        assertEquals(2, target.controllers().all().size());
        assertFalse(second.admin.closed);
    }

    @Test
    void waitingConnect_whoseSubsystemIsRemoved_isRefused() {
        Association old = connect(HOST);
        old.io.holdDevice = true;
        write(old.io);
        HostScript again = new HostScript(target, 0, 32);
        sendConnect(again, HOST);
        old.settle();
        target.remove(subsystem);
        old.io.releaseDevice();
        HostScript.Response response = again.responses.remove();
        assertEquals(Status.CONNECT_PARAMETER.field(), response.status());
        assertEquals(0x1_0100, response.result());
        assertTrue(target.controllers().all().isEmpty());
    }

    @Test
    void namespaceRemoved_whileItsDataAreFetched_isInUseUntilTheWriteEnds() {
        Association host = connect(HOST);
        host.io.holdFetch = true;
        write(host.io);
        target.remove(subsystem, 1);
        assertTrue(target.uses(device));
        host.io.releaseFetches();
        assertEquals(0, host.io.responses.remove().status());
        assertFalse(target.uses(device));
    }

    @Test
    void namespaceRemoved_whileALostQueueFetches_isNotInUse() {
        Association host = connect(HOST);
        host.io.holdFetch = true;
        write(host.io);
        target.remove(subsystem, 1);
        host.io.queue.onClosed();
        assertFalse(target.uses(device));
    }

    @Test
    void lostIoQueue_connectedAgain_joinsWhenItsWorkHasEnded() {
        Association host = connect(HOST);
        host.io.holdDevice = true;
        write(host.io);
        host.io.queue.onClosed();
        HostScript early = new HostScript(target, 1, 128);
        assertEquals(Status.SEQUENCE.field(), early.connect(NAME, 1, HOST).status());
        host.io.releaseDevice();
        HostScript again = new HostScript(target, 1, 128);
        assertEquals(0, again.connect(NAME, 1, HOST).status());
        assertFalse(host.admin.closed);
    }

    @Test
    void datasetManagement_withoutTheDeallocateBit_deallocatesNothing() {
        Discards discards = new Discards(device);
        target.put(subsystem, new Namespace(2, discards, new UUID(1, 3)));
        HostScript io = connect(HOST).io;
        io.memory[HOST_MEMORY + 4] = 8;
        for (int hint = 0; hint < 4; hint++) {
            int attributes = hint;
            assertEquals(
                    0,
                    io.status(e -> e.opcode(9).namespaceId(2).cdw11(attributes).keyed(HOST_MEMORY, 16, 9, true)));
        }
        assertEquals(0, discards.blocks);
        assertEquals(0, io.status(e -> e.opcode(9).namespaceId(2).cdw11(4).keyed(HOST_MEMORY, 16, 9, true)));
        assertEquals(8, discards.blocks);
    }

    @Test
    void limits_withoutATransferLimit_areRefused() {
        // MDTS 0 tells a host that there is no limit.
        assertThrows(IllegalArgumentException.class, () -> new TargetLimits(64, 8, 128, 8192, 0));
    }

    /** Counts the blocks that are deallocated. */
    private static final class Discards implements BlockDevice {
        private final BlockDevice device;
        private long blocks;

        Discards(BlockDevice device) {
            this.device = device;
        }

        @Override
        public int blockBytes() {
            return device.blockBytes();
        }

        @Override
        public long blocks() {
            return device.blocks();
        }

        @Override
        public boolean readOnly() {
            return false;
        }

        @Override
        public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
            return device.read(block, count, buffer, offset);
        }

        @Override
        public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
            return device.write(block, count, buffer, offset, durable);
        }

        @Override
        public DeviceStatus flush() {
            return device.flush();
        }

        @Override
        public DeviceStatus deallocate(long block, long count) {
            blocks += count;
            return DeviceStatus.DONE;
        }

        @Override
        public void close() {}
    }
}
