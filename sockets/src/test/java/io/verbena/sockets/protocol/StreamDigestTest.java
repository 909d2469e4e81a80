package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The digest of a stream covers each number and each flag that decides what happens next: a changed one gives another
 * digest.
 */
class StreamDigestTest {

    /** Fields that the digest does not cover, and the reason. */
    private static final Map<String, String> UNCOVERED = Map.of(
            "StreamEngine.peerTable", "stated by the peer when the connection is established",
            "StreamEngine.peerTableKey", "stated by the peer when the connection is established",
            "Inbound.available", "the sum of what the extents hold, which are covered",
            "Outbound.base", "where the ring lies in the stream: what waits in it is covered");

    @Test
    void everyField_changed_changesTheDigest() throws Exception {
        EnginePair pair = EnginePair.connected();
        pair.client.engine.write(ByteBuffer.allocate(300));
        pair.client.post();
        StreamEngine engine = pair.client.engine;
        Set<String> found = new TreeSet<>();
        for (Object owner : owners(engine)) {
            for (Field field : owner.getClass().getDeclaredFields()) {
                if (mutable(field) && !changesDigest(engine, owner, field)) {
                    found.add(owner.getClass().getSimpleName() + "." + field.getName());
                }
            }
        }
        assertEquals(new TreeSet<>(UNCOVERED.keySet()), found);
    }

    private static List<Object> owners(StreamEngine engine) throws ReflectiveOperationException {
        List<Object> owners = new ArrayList<>(List.of(engine));
        for (String name : List.of("inbound", "outbound")) {
            Field field = StreamEngine.class.getDeclaredField(name);
            field.setAccessible(true);
            owners.add(field.get(engine));
        }
        return owners;
    }

    private static boolean mutable(Field field) {
        return (field.getType().isPrimitive() || field.getType().isEnum())
                && (field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) == 0;
    }

    private static Object other(Enum<?> constant) {
        Object[] all = constant.getDeclaringClass().getEnumConstants();
        return all[(constant.ordinal() + 1) % all.length];
    }

    private static boolean changesDigest(StreamEngine engine, Object owner, Field field) throws IllegalAccessException {
        field.setAccessible(true);
        long before = engine.stateDigest();
        Object value = field.get(owner);
        field.set(
                owner,
                switch (value) {
                    case Boolean flag -> !flag;
                    case Integer number -> number + 1;
                    case Long number -> number + 1;
                    case Enum<?> constant -> other(constant);
                    default -> throw new AssertionError(field.toString());
                });
        boolean changes = engine.stateDigest() != before;
        field.set(owner, value);
        return changes;
    }
}
