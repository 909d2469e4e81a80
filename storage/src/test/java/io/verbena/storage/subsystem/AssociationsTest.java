package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceFault;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.FaultyDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.device.PowerCutDevice;
import io.verbena.storage.device.SlowDevice;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private Association connect(HostPath path) {
        HostScript admin = new HostScript(target, 0, 32, path);
        int controller = (int) admin.connect(NAME, 0xffff, HOST).result();
        admin.enable();
        HostScript io = new HostScript(target, 1, 128, path);
        assertEquals(0, io.connect(NAME, controller, HOST).status());
        return new Association(admin, io);
    }

    private static HostPath path(String from, String to) {
        return new HostPath(from, new TargetAddress(to, 4420));
    }

    @Test
    void secondAssociation_onAnotherPath_leavesTheFirst_andIdentifyPermitsIt() {
        Association first = connect(path("192.0.2.9", "192.0.2.1"));
        Association second = connect(path("192.0.2.9", "192.0.2.2"));
        Association third = connect(path("192.0.2.10", "192.0.2.1"));
        for (Association each : List.of(first, second, third)) {
            assertFalse(each.admin.closed);
            write(each.io);
            assertEquals(0, each.io.responses.remove().status());
        }
        assertEquals(3, target.controllers().all().size());
        assertEquals(0, first.admin.status(e -> e.opcode(6).cdw10(1).keyed(8192, 4096, 5, true)));
        assertEquals(3, first.admin.memory[8192 + 76]); // CMIC
    }

    @Test
    void secondAssociation_onTheSamePath_endsTheFirst() {
        Association first = connect(path("192.0.2.9", "192.0.2.1"));
        HostScript again = new HostScript(target, 0, 32, path("192.0.2.9", "192.0.2.1"));
        sendConnect(again, HOST);
        first.settle();
        assertTrue(first.admin.closed);
        assertEquals(0, again.responses.remove().status());
    }

    @Test
    void secondAssociation_onAnotherPath_beginsWhenTheOlderWritesHaveEnded() {
        Association first = connect(path("192.0.2.9", "192.0.2.1"));
        first.io.holdDevice = true;
        write(first.io);
        HostScript again = new HostScript(target, 0, 32, path("192.0.2.10", "192.0.2.1"));
        again.nowNs = 1;
        sendConnect(again, HOST);
        assertTrue(again.responses.isEmpty());
        first.io.nowNs = 2;
        write(first.io); // a later one is on the first path only
        List<Command> later = List.of(first.io.held.removeLast());
        first.io.releaseDevice();
        assertEquals(0, again.responses.remove().status());
        first.io.held.addAll(later);
        first.io.releaseDevice();
        assertEquals(2, first.io.responses.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host1", "nqn.", "nqn.2026-01.", "nqn.host", "256", "224"})
    void hostWithoutAName_isRefused(String name) {
        String given = name.matches("\\d+") ? "nqn.2026-01.org:" + "h".repeat(Integer.parseInt(name) - 16) : name;
        HostScript admin = new HostScript(target, 0, 32);
        HostScript.Response response = admin.connect(NAME, 0xffff, given);
        assertEquals(Status.CONNECT_PARAMETER.field(), response.status());
        assertEquals(0x1_0200, response.result());
        assertEquals(0, admin.connect(NAME, 0xffff, HOST).status());
    }

    @Test
    void hostWithoutAnId_isRefused() {
        HostScript admin = new HostScript(target, 0, 32);
        sendConnect(admin, HOST);
        admin.responses.clear();
        HostScript other = new HostScript(target, 0, 32);
        new ConnectData()
                .wrap(MemorySegment.ofArray(other.memory), 0)
                .clear()
                .controllerId(0xffff)
                .subsystemName(NAME)
                .hostName(HOST);
        other.send(0, other::connectEntry);
        HostScript.Response response = other.responses.remove();
        assertEquals(Status.CONNECT_PARAMETER.field(), response.status());
        assertEquals(0x1_0000, response.result());
        assertFalse(admin.closed);
    }

    private static void write(HostScript io) {
        io.send(0, e -> e.opcode(1).namespaceId(1).keyed(HOST_MEMORY, 512, 9, true));
    }

    private static void sendConnect(HostScript queue, String host) {
        new ConnectData()
                .wrap(MemorySegment.ofArray(queue.memory), 0)
                .clear()
                .hostId(HostScript.HOST_ID)
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
    void writeCacheSwitchedOff_makesEveryWriteDurable_untilTheControllerIsReset() {
        PowerCutDevice cut = new PowerCutDevice(device, 100);
        target.put(subsystem, new Namespace(1, cut, new UUID(1, 2)));
        Association host = connect(HOST);
        assertEquals(1, host.admin.call(e -> e.opcode(10).cdw10(6)).result());
        assertEquals(0, host.admin.status(e -> e.opcode(9).cdw10(6).cdw11(0)));
        assertEquals(0, host.admin.call(e -> e.opcode(10).cdw10(6)).result());
        host.io.memory[HOST_MEMORY] = 77;
        write(host.io);
        assertEquals(77, firstByte());
        host.admin.status(
                e -> e.opcode(0x7f).fabricsType(0).propertyOffset(0x14).propertyValue(0x460000));
        host.admin.enable();
        assertEquals(1, host.admin.call(e -> e.opcode(10).cdw10(6)).result());
        host.io.memory[HOST_MEMORY] = 78;
        write(host.io);
        assertEquals(77, firstByte());
    }

    private byte firstByte() {
        byte[] block = new byte[512];
        device.read(0, 1, MemorySegment.ofArray(block), 0);
        return block[0];
    }

    @Test
    void readAndWrite_ofADeviceThatMayWait_areNotExecutedByTheThreadOfTheTarget() {
        target.put(subsystem, new Namespace(2, new SlowDevice(device, Duration.ZERO), new UUID(1, 3)));
        HostScript io = connect(HOST).io;
        io.holdDevice = true;
        for (int opcode = 1; opcode <= 2; opcode++) {
            for (int namespace = 1; namespace <= 2; namespace++) {
                int[] command = {opcode, namespace};
                io.send(0, e -> e.opcode(command[0]).namespaceId(command[1]).keyed(HOST_MEMORY, 512, 9, true));
                assertEquals(namespace == 2, io.held.removeLast().slow());
            }
        }
    }

    private static int shutdown(HostScript admin) {
        return admin.send(
                0, e -> e.opcode(0x7f).fabricsType(0).propertyOffset(0x14).propertyValue(0x464001));
    }

    private static long controllerStatus(HostScript admin) {
        return admin.call(e -> e.opcode(0x7f).fabricsType(4).propertyOffset(0x1c))
                .result();
    }

    @Test
    void shutdown_isCompleteWhenAllDevicesAreFlushed() {
        PowerCutDevice first = new PowerCutDevice(device, 100);
        try (MemoryDevice other = new MemoryDevice(8192, 512)) {
            target.put(subsystem, new Namespace(1, first, new UUID(1, 2)));
            target.put(subsystem, new Namespace(2, other, new UUID(1, 3)));
            Association host = connect(HOST);
            host.io.memory[HOST_MEMORY] = 79;
            write(host.io);
            host.admin.holdDevice = true;
            shutdown(host.admin);
            assertEquals(1 << 2 | 1, controllerStatus(host.admin));
            assertTrue(target.uses(first));
            host.admin.releaseDevice();
            assertEquals(79, firstByte());
            assertEquals(1 << 2 | 1, controllerStatus(host.admin));
            host.admin.releaseDevice();
            assertEquals(0, host.admin.responses.remove().status());
            assertEquals(2 << 2 | 1, controllerStatus(host.admin));
        }
    }

    @Test
    void shutdown_withoutNamespaces_isCompleteAtOnce() {
        target.remove(subsystem, 1);
        HostScript admin = connect(HOST).admin;
        shutdown(admin);
        assertEquals(0, admin.responses.remove().status());
        assertEquals(2 << 2 | 1, controllerStatus(admin));
    }

    @Test
    void shutdown_whoseFlushFails_isNotComplete() {
        FaultyDevice faulty = new FaultyDevice(device).with(new DeviceFault(DeviceFault.Kind.FLUSH_ERROR, 0, 1, 1));
        target.put(subsystem, new Namespace(1, faulty, new UUID(1, 2)));
        HostScript admin = connect(HOST).admin;
        shutdown(admin);
        assertEquals(Status.WRITE_FAULT.field(), admin.responses.remove().status());
        assertEquals(2, controllerStatus(admin) & 0xf);
    }

    @Test
    void reset_duringAShutdown_winsAndTheControllerCanBeEnabled() {
        Association host = connect(HOST);
        host.admin.holdDevice = true;
        shutdown(host.admin);
        host.admin.status(
                e -> e.opcode(0x7f).fabricsType(0).propertyOffset(0x14).propertyValue(0x460000));
        host.admin.releaseDevice();
        host.admin.holdDevice = false;
        host.admin.enable();
    }

    @Test
    void effectsPage_namesTheCommandsThatAreExecuted_andNoOthers() {
        Association host = connect(HOST);
        int doubleWords = 1023 << 16;
        assertEquals(
                0, host.admin.status(e -> e.opcode(2).cdw10(doubleWords | 5).keyed(8192, 4096, 5, true)));
        MemorySegment page = MemorySegment.ofArray(host.admin.memory).asSlice(8192, 4096);
        for (int opcode = 0; opcode < 256; opcode++) {
            int code = opcode;
            boolean admin = page.get(ValueLayout.JAVA_BYTE, 4L * opcode) != 0;
            boolean io = page.get(ValueLayout.JAVA_BYTE, 1024 + 4L * opcode) != 0;
            if (opcode != 0x7f && opcode != 0x0c) { // Fabrics is no part of the page; an event request stays
                int status = host.admin.status(e -> e.opcode(code));
                assertEquals(admin, status != Status.INVALID_OPCODE.field(), "admin " + opcode);
            }
            if (opcode != 0x7f) {
                int status = host.io.status(e -> e.opcode(code).namespaceId(1));
                assertEquals(io, status != Status.INVALID_OPCODE.field(), "I/O " + opcode);
            }
        }
        assertEquals(3, page.get(ValueLayout.JAVA_BYTE, 1024 + 4));
        assertEquals(1, page.get(ValueLayout.JAVA_BYTE, 1024 + 8));
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
        public boolean deallocates() {
            return true;
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
