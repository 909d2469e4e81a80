package io.verbena.storage.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field of every structure: it is read as written, stays within the structure, and any bytes can be printed. */
class StructuresTest {

    static Stream<Structure<?>> structures() {
        return Stream.of(
                new SubmissionEntry(),
                new CompletionEntry(),
                new ConnectData(),
                new CmRequest(),
                new CmReply(),
                new CmReject(),
                new IdentifyController(),
                new IdentifyNamespace(),
                new DiscoveryHeader(),
                new DiscoveryEntry(),
                new SmartLog(),
                new ErrorEntry(),
                new DeallocateRange(),
                new NamespaceDescriptor());
    }

    private static int length(Structure<?> structure) throws ReflectiveOperationException {
        return structure.getClass().getField("LENGTH").getInt(null);
    }

    private static List<Method> fields(Structure<?> structure) {
        List<Method> fields = new ArrayList<>();
        for (Method each : structure.getClass().getDeclaredMethods()) {
            boolean number = each.getReturnType() == int.class || each.getReturnType() == long.class;
            if (Modifier.isPublic(each.getModifiers()) && each.getParameterCount() == 0 && number) {
                fields.add(each);
            }
        }
        return fields;
    }

    @ParameterizedTest
    @MethodSource("structures")
    void field_written_isReadAndNothingOutsideChanges(Structure<?> structure) throws ReflectiveOperationException {
        int length = length(structure);
        Random random = new Random(1);
        for (Method field : fields(structure)) {
            Method setter;
            try {
                setter = structure.getClass().getMethod(field.getName(), field.getReturnType());
            } catch (NoSuchMethodException e) {
                continue; // computed from other fields
            }
            byte[] bytes = new byte[length + 16];
            structure.wrap(MemorySegment.ofArray(bytes), 8);
            long value = random.nextLong();
            setter.invoke(structure, field.getReturnType() == int.class ? (Object) (int) value : (Object) value);
            Object read = field.invoke(structure);
            setter.invoke(structure, read);
            assertEquals(read, field.invoke(structure), field.getName());
            for (int i = 0; i < 8; i++) {
                assertEquals(0, bytes[i] | bytes[length + 15 - i], field.getName());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("structures")
    void anyBytes_described_giveOneLine(Structure<?> structure) throws ReflectiveOperationException {
        Random random = new Random(2);
        Method describe = structure.getClass().getMethod("describe", StringBuilder.class);
        byte[] bytes = new byte[length(structure)];
        for (int i = 0; i < 300; i++) {
            random.nextBytes(bytes);
            structure.wrap(MemorySegment.ofArray(bytes), 0);
            StringBuilder out = new StringBuilder();
            describe.invoke(structure, out);
            assertTrue(!out.isEmpty());
        }
    }

    @Test
    void keyedPointer_ofLinux_isReadFieldByField() {
        byte[] bytes = new byte[64];
        SubmissionEntry entry = new SubmissionEntry().wrap(MemorySegment.ofArray(bytes), 0);
        entry.keyed(0x1122_3344_5566_7788L, 0xabcdef, 0x9988_7766, true);
        assertEquals(0xef, bytes[32] & 0xff);
        assertEquals(0xab, bytes[34] & 0xff);
        assertEquals(0x66, bytes[35] & 0xff);
        assertEquals(0x99, bytes[38] & 0xff);
        assertEquals(0x4f, bytes[39]);
        assertEquals(0xabcdef, entry.sglLength());
        assertEquals(DataPointer.KEYED_INVALIDATE, entry.dataPointer());
    }

    @Test
    void inCapsulePointer_has32BitsOfLength() {
        SubmissionEntry entry = new SubmissionEntry().wrap(MemorySegment.ofArray(new byte[64]), 0);
        entry.inCapsule(-1, -1);
        assertEquals(0xffff_ffffL, entry.sglLength());
        assertEquals(-1, entry.sglAddress());
        assertEquals(DataPointer.IN_CAPSULE, entry.dataPointer());
    }

    @Test
    void status_ofACommandThatIsWrong_saysDoNotRetry() {
        assertEquals(0x4002, Status.INVALID_FIELD.field());
        assertEquals(0x281, Status.READ_ERROR.field());
        assertEquals(0x81, Status.CAPACITY.field());
        assertEquals(0, Status.SUCCESS.field());
    }
}
