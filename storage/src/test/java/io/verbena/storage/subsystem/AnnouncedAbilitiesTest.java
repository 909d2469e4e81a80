package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceFault;
import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.FaultyDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.ErrorEntry;
import io.verbena.storage.wire.SmartLog;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Identify announces, a host can use: every field that is not zero has a check, and a field without one is found. */
class AnnouncedAbilitiesTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";
    private static final int PAGE = 8192;
    private static final int DATA = 32_768;
    private static final int PAGE_BYTES = 4096;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A field of Identify and what is checked. */
    private record Field(int lengthBytes, Runnable check) {}

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final TargetLimits limits = TargetLimits.defaults();
    private final StorageTarget target = new StorageTarget(limits);
    private final Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
    private HostScript admin;
    private HostScript io;
    private int controller;

    @BeforeEach
    void connect() {
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        admin = new HostScript(target, 0, 32);
        controller = (int) admin.connect(NAME, 0xffff, HOST).result();
        admin.enable();
        io = new HostScript(target, 1, 128);
        assertEquals(0, io.connect(NAME, controller, HOST).status());
    }

    @AfterEach
    void close() {
        device.close();
    }

    private MemorySegment identify(int kind, int namespace) {
        assertEquals(
                0,
                admin.status(e -> e.opcode(6).cdw10(kind).namespaceId(namespace).keyed(PAGE, PAGE_BYTES, 5, true)));
        MemorySegment copy = MemorySegment.ofArray(new byte[PAGE_BYTES]);
        return copy.copyFrom(MemorySegment.ofArray(admin.memory).asSlice(PAGE, PAGE_BYTES));
    }

    private static void check(MemorySegment page, Map<Integer, Field> fields) {
        for (int at = 0; at < PAGE_BYTES; at++) {
            if (page.get(ValueLayout.JAVA_BYTE, at) != 0) {
                int offset = at;
                assertTrue(
                        fields.entrySet().stream()
                                .anyMatch(each -> offset >= each.getKey()
                                        && offset
                                                < each.getKey()
                                                        + each.getValue().lengthBytes()),
                        () -> "byte " + offset + " is announced, and no check has it");
            }
        }
        fields.values().forEach(each -> each.check().run());
    }

    private static void succeeds(HostScript queue, Consumer<SubmissionEntry> command) {
        assertEquals(0, queue.status(command));
    }

    @Test
    void everyFieldOfTheController_isTrue() {
        MemorySegment page = identify(1, 0);
        Map<Integer, Field> fields = new TreeMap<>();
        fields.put(
                4,
                new Field(
                        20,
                        () -> assertEquals("serial", page.getString(4).strip().substring(0, 6))));
        fields.put(24, new Field(40, () -> assertEquals('V', page.get(ValueLayout.JAVA_BYTE, 24))));
        fields.put(64, new Field(8, () -> assertEquals('0', page.get(ValueLayout.JAVA_BYTE, 64))));
        fields.put(76, new Field(1, this::severalControllers));
        fields.put(77, new Field(1, () -> longestTransfer(page.get(ValueLayout.JAVA_BYTE, 77))));
        fields.put(78, new Field(2, () -> assertEquals(controller, page.get(U16, 78))));
        fields.put(
                80,
                new Field(
                        4,
                        () -> assertEquals(
                                page.get(U32, 80),
                                admin.call(e -> e.opcode(0x7f).fabricsType(4).propertyOffset(8))
                                        .result())));
        fields.put(92, new Field(4, this::namespaceEvent));
        fields.put(111, new Field(1, () -> assertEquals(1, page.get(ValueLayout.JAVA_BYTE, 111))));
        fields.put(258, new Field(1, this::abort));
        fields.put(259, new Field(1, () -> eventRequests(page.get(ValueLayout.JAVA_BYTE, 259) + 1)));
        fields.put(261, new Field(1, () -> logAttributes(page.get(ValueLayout.JAVA_BYTE, 261))));
        fields.put(262, new Field(1, () -> errorEntries(page.get(ValueLayout.JAVA_BYTE, 262) + 1)));
        fields.put(
                320,
                new Field(2, () -> succeeds(admin, e -> e.opcode(9).cdw10(15).cdw11(5000))));
        fields.put(512, new Field(2, () -> assertEquals(0x4466, page.get(U16, 512))));
        fields.put(514, new Field(2, () -> assertEquals(128, io.queue.slots())));
        fields.put(516, new Field(4, this::mostNamespaces));
        fields.put(520, new Field(2, () -> optionalCommands(page.get(U16, 520))));
        fields.put(525, new Field(1, this::writeCache));
        fields.put(536, new Field(4, this::dataPointers));
        fields.put(768, new Field(256, () -> assertEquals(NAME, page.getString(768))));
        fields.put(1792, new Field(4, () -> inCapsule(page.get(U32, 1792))));
        fields.put(1796, new Field(4, () -> assertEquals(1, page.get(U32, 1796))));
        fields.put(1803, new Field(1, () -> assertEquals(1, page.get(ValueLayout.JAVA_BYTE, 1803))));
        check(page, fields);
    }

    private void severalControllers() {
        HostPath path = new HostPath("192.0.2.77", new TargetAddress("192.0.2.1", 4420));
        HostScript second = new HostScript(target, 0, 32, path);
        assertEquals(0, second.connect(NAME, 0xffff, HOST).status());
        assertTrue(!admin.closed);
        second.queue.onClosed();
    }

    private void longestTransfer(int shift) {
        int blocks = (PAGE_BYTES << shift) / 512;
        succeeds(io, e -> e.opcode(2).namespaceId(1).blocksMinusOne(blocks - 1).keyed(DATA, blocks * 512, 9, true));
        assertEquals(
                Status.INVALID_FIELD.field(),
                io.status(e ->
                        e.opcode(2).namespaceId(1).blocksMinusOne(blocks).keyed(DATA, (blocks + 1) * 512, 9, true)));
    }

    @Test
    void longestTransfer_isThatOfAdminCommandsToo() {
        for (int shift = 1; shift <= 8; shift++) {
            assertEquals(4096 << shift, limits.withTransferShift(shift).bufferBytes(0));
        }
        for (int i = 0; i < 20; i++) {
            target.add(new Subsystem(NAME + i, "serial", Set.of()));
        }
        HostScript discovery = new HostScript(target, 0, 32);
        assertEquals(0, discovery.connect(StorageTarget.DISCOVERY, 0xffff, HOST).status());
        discovery.enable();
        int bytes = 22 * 1024;
        succeeds(discovery, e -> e.opcode(2).cdw10((bytes / 4 - 1) << 16 | 0x70).keyed(PAGE, bytes, 5, true));
        assertEquals(21, discovery.memory[PAGE + 8]);
    }

    @Test
    void healthLog_countsWhatTheHostDid_andTheErrorLogNamesTheBlock() {
        for (int i = 0; i < 3; i++) {
            fill(i);
        }
        succeeds(io, e -> e.opcode(2).namespaceId(1).blocksMinusOne(255).keyed(DATA, 131_072, 9, true));
        target.put(
                subsystem,
                new Namespace(
                        1,
                        new FaultyDevice(device).with(new DeviceFault(DeviceFault.Kind.READ_ERROR, 7, 1, 1)),
                        new UUID(1, 2)));
        assertEquals(
                Status.READ_ERROR.field(),
                io.status(e -> e.opcode(2).namespaceId(1).firstBlock(7).keyed(DATA, 512, 9, true)));
        succeeds(admin, e -> e.opcode(2).cdw10(127 << 16 | 2).keyed(PAGE, 512, 5, true));
        SmartLog health = new SmartLog().wrap(MemorySegment.ofArray(admin.memory), PAGE);
        assertEquals(1, health.reads());
        assertEquals(3, health.writes());
        assertEquals(1, health.unitsRead());
        assertEquals(1, health.unitsWritten());
        assertEquals(1, health.mediaErrors());
        assertEquals(1, health.errorEntries());
        succeeds(admin, e -> e.opcode(2).cdw10(15 << 16 | 1).keyed(PAGE, 64, 5, true));
        ErrorEntry error = new ErrorEntry().wrap(MemorySegment.ofArray(admin.memory), PAGE);
        assertEquals(7, error.block());
        assertEquals(1, error.namespaceId());
    }

    private void namespaceEvent() {
        succeeds(admin, e -> e.opcode(9).cdw10(11).cdw11(0x100));
        admin.send(0, e -> e.opcode(12));
        try (MemoryDevice more = new MemoryDevice(8192, 512)) {
            target.put(subsystem, new Namespace(2, more, new UUID(1, 9)));
            assertEquals(0x04_0002, admin.responses.remove().result());
            target.remove(subsystem, 2);
        }
        succeeds(admin, e -> e.opcode(2).cdw10(1023 << 16 | 4).keyed(PAGE, PAGE_BYTES, 5, true));
        succeeds(admin, e -> e.opcode(9).cdw10(11).cdw11(0));
    }

    private void abort() {
        int id = admin.send(0, e -> e.opcode(12));
        admin.send(0, e -> e.opcode(8).cdw10(id << 16));
        assertEquals(Status.ABORTED.code(), admin.responses.remove().status() & 0x7ff);
        assertEquals(0, admin.responses.remove().result());
    }

    private void eventRequests(int most) {
        for (int i = 0; i < most; i++) {
            admin.send(0, e -> e.opcode(12));
        }
        assertTrue(admin.responses.isEmpty());
        assertEquals(Status.EVENT_LIMIT.field(), admin.status(e -> e.opcode(12)));
    }

    private void logAttributes(int attributes) {
        assertEquals(1 << 1 | 1 << 2, attributes);
        succeeds(admin, e -> e.opcode(2).cdw10(1023 << 16 | 5).keyed(PAGE, PAGE_BYTES, 5, true));
        int whole = admin.memory[PAGE + 1024 + 8];
        succeeds(admin, e -> e.opcode(2).cdw10(5).cdw12(1024 + 8).keyed(PAGE, 4, 5, true));
        assertEquals(whole, admin.memory[PAGE]);
    }

    private void errorEntries(int most) {
        for (int i = 0; i < most; i++) {
            io.status(e -> e.opcode(2).namespaceId(7));
        }
        int doubleWords = most * 64 / 4 - 1;
        succeeds(admin, e -> e.opcode(2).cdw10(doubleWords << 16 | 1).keyed(PAGE, most * 64, 5, true));
        for (int i = 0; i < most; i++) {
            assertTrue(admin.memory[PAGE + i * 64] != 0, "entry " + i);
        }
    }

    private void mostNamespaces() {
        try (MemoryDevice more = new MemoryDevice(8192, 512)) {
            target.put(subsystem, new Namespace(Subsystem.MAX_NAMESPACES, more, new UUID(1, 9)));
            succeeds(io, e -> e.opcode(2).namespaceId(256).keyed(DATA, 512, 9, true));
            target.remove(subsystem, Subsystem.MAX_NAMESPACES);
        }
    }

    private void optionalCommands(int announced) {
        assertEquals(1 | 1 << 2 | 1 << 3 | 1 << 7, announced);
        fill(1);
        succeeds(io, e -> e.opcode(5).namespaceId(1).keyed(DATA, 512, 9, true)); // Compare
        io.memory[DATA]++;
        assertEquals(
                Status.COMPARE_FAILURE.field(),
                io.status(e -> e.opcode(5).namespaceId(1).keyed(DATA, 512, 9, true)));
        succeeds(io, e -> e.opcode(12).namespaceId(1)); // Verify
        succeeds(io, e -> e.opcode(8).namespaceId(1)); // Write Zeroes
        assertEquals(0, firstByte());
        fill(3);
        io.memory[DATA] = 0;
        MemorySegment.ofArray(io.memory).asSlice(DATA, 16).fill((byte) 0);
        io.memory[DATA + 4] = 8;
        succeeds(io, e -> e.opcode(9).namespaceId(1).cdw11(4).keyed(DATA, 16, 9, true)); // Deallocate
        assertEquals(0, firstByte());
    }

    private void fill(int value) {
        MemorySegment.ofArray(io.memory).asSlice(DATA, 512).fill((byte) value);
        succeeds(io, e -> e.opcode(1).namespaceId(1).keyed(DATA, 512, 9, true));
    }

    private byte firstByte() {
        byte[] block = new byte[512];
        device.read(0, 1, MemorySegment.ofArray(block), 0);
        return block[0];
    }

    private void writeCache() {
        assertEquals(1, admin.call(e -> e.opcode(10).cdw10(6)).result());
        succeeds(io, e -> e.opcode(0).namespaceId(1)); // Flush
    }

    private void dataPointers() {
        fill(5); // keyed
        MemorySegment.ofArray(admin.memory).fill((byte) 0);
        io.capsules.fill((byte) 6);
        assertEquals(0, inCapsuleWrite(16, 512)); // bit 20: an offset
        assertEquals(6, firstByte());
    }

    private int inCapsuleWrite(int offset, int bytes) {
        int id = io.send(
                offset + bytes,
                e -> e.opcode(1).namespaceId(1).blocksMinusOne(bytes / 512 - 1).inCapsule(offset, bytes));
        HostScript.Response response = io.responses.removeLast();
        assertEquals(id, response.commandId());
        return response.status();
    }

    private void inCapsule(int units) {
        assertEquals(0, inCapsuleWrite(0, units * 16 - SubmissionEntry.LENGTH));
    }

    @Test
    void everyFieldOfTheNamespace_isTrue() {
        MemorySegment page = identify(0, 1);
        Map<Integer, Field> fields = new TreeMap<>();
        for (int size = 0; size <= 16; size += 8) {
            int at = size;
            fields.put(at, new Field(8, () -> assertEquals(2048, page.get(U32, at)))); // NSZE, NCAP, NUSE
        }
        fields.put(30, new Field(1, this::severalControllers)); // NMIC
        fields.put(
                33,
                new Field(
                        1,
                        () -> { // DLFEAT: zeros, also by Write Zeroes
                            assertEquals(9, page.get(ValueLayout.JAVA_BYTE, 33));
                            optionalCommands(1 | 1 << 2 | 1 << 3 | 1 << 7);
                        }));
        fields.put(104, new Field(16, () -> assertEquals(2, page.get(ValueLayout.JAVA_BYTE, 119))));
        fields.put(130, new Field(1, () -> assertEquals(9, page.get(ValueLayout.JAVA_BYTE, 130))));
        check(page, fields);
    }

    /** A device that frees nothing. */
    private record Keeping(BlockDevice device) implements BlockDevice {
        @Override
        public int blockBytes() {
            return device.blockBytes();
        }

        @Override
        public long blocks() {
            return device.blocks();
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
    }

    @Test
    void deviceThatFreesNothing_isNotOfferedDiscard_andRefusesIt() {
        target.put(subsystem, new Namespace(1, new Keeping(device), new UUID(1, 2)));
        assertEquals(1 | 1 << 3 | 1 << 7, identify(1, 0).get(U16, 520));
        assertEquals(0, identify(0, 1).get(ValueLayout.JAVA_BYTE, 33));
        succeeds(admin, e -> e.opcode(2).cdw10(1023 << 16 | 5).keyed(PAGE, PAGE_BYTES, 5, true));
        assertEquals(0, admin.memory[PAGE + 1024 + 4 * 9]);
        assertEquals(
                Status.INVALID_OPCODE.field(),
                io.status(e -> e.opcode(9).namespaceId(1).cdw11(4).keyed(DATA, 16, 9, true)));
    }
}
