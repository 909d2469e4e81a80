package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.iwarp.Ending;
import io.verbena.rnic.ManualEnvironment;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.QueuePairEndpoint.ReadLimits;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The digest of a queue pair covers everything that decides what happens next: the explorer takes two states with the same
 * digest for one. The test changes each field of the objects of a connection and demands another digest, in the state of the
 * scene or after another field of the same object was changed, which covers fields that matter only together.
 */
class DigestFieldsTest {

    /** Packages whose objects hold the state of a connection. */
    private static final List<String> OWNERS =
            List.of("io.verbena.iwarp", "io.verbena.iwarp.startup", "io.verbena.rnic.iwarp");

    /** How many other fields a field may need to matter. */
    private static final int MOST_OTHERS = 2;

    /** Fields that the digest does not cover, and the reason. */
    private static final Map<String, String> UNCOVERED = Map.ofEntries(
            // What is true only while a call runs.
            Map.entry("AnswerFrames.wireLength", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.payload", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.last", "describes the frame that was built last, until its unit ends"),
            Map.entry("AnswerFrames.verdict", "the reason of the last refusal, read at once"),
            Map.entry("RequestFrames.wireLength", "describes the frame that was built last, until its unit ends"),
            Map.entry("RequestFrames.payload", "describes the frame that was built last, until its unit ends"),
            Map.entry("RequestFrames.last", "describes the frame that was built last, until its unit ends"),
            Map.entry("SegmentSorter.takenFrom", "the result of the last segment, read at once"),
            Map.entry("SegmentSorter.takenTo", "the result of the last segment, read at once"),
            Map.entry("ConnectionStream.shortRead", "the result of the last read, asked before the next turn"),
            Map.entry("ShortFrames.slab", "holds a frame while a post builds it"),
            Map.entry("ShortFrames.shortMessage", "holds a message while a post builds it"),
            Map.entry("ShortChannel.message", "holds a message while it is taken"),
            Map.entry("Sender.trial", "copied from the committed state before each use"),
            Map.entry("DirectWork.cost", "what the last fill copied, taken before the turn ends"),
            // What follows from other state.
            Map.entry("ConnectionStream.tail", "its bytes follow from the position of the sender"),
            Map.entry("Reception.held", "its bytes follow from the position of the receiver"),
            Map.entry("FpduReceiver.carry", "its bytes follow from the position of the receiver"),
            Map.entry("FpduReceiver.openHeader", "its bytes follow from the position of the receiver"),
            Map.entry("FrameIntake.needed", "follows from the bytes of the frame"),
            Map.entry("FrameIntake.fault", "follows from the bytes of the frame"),
            Map.entry("ResponderStartUp.request", "follows from the bytes of the frame"),
            Map.entry("ResponderStartUp.afterReply", "follows from the bytes of the reply, which the output holds"),
            Map.entry("StartUp.outcome", "follows from the state; the fault of a failure is covered"),
            Map.entry("StartUp.news", "belongs to pollOutcome, which no stage calls"),
            Map.entry("IwarpQueuePair.left", "does nothing any more; whether there is one is covered"),
            Map.entry("IwarpQueuePair.bug", "a sentence for people"),
            Map.entry(
                    "IwarpQueuePair.survivor", "has its own digest; these connections do not survive their transport"),
            Map.entry(
                    "TransmitState.stated",
                    "the count of a connection that survives its transport, which has a digest"),
            Map.entry("IwarpQueuePair.executedPosts", "a hint, which follows from the stage"),
            // What is set once, when the object begins its work.
            Map.entry("ConnectionStream.stream", "chosen before RDMA mode"),
            Map.entry("Sender.frames", "set when RDMA mode begins"),
            Map.entry("ByteReception.messages", "set when RDMA mode begins"),
            Map.entry("RdmaStage.messages", "set when RDMA mode begins"),
            Map.entry("IwarpStream.directPath", "set when RDMA mode begins"),
            Map.entry("PrivateData.bytes", "set when it is made"),
            Map.entry("KeepAlive.quietNs", "set when RDMA mode begins"),
            Map.entry("KeepAlive.stepNs", "set when RDMA mode begins"),
            Map.entry("SegmentSorter.earlyReception", "made on the first hole, whose tables have a digest"));

    /** What fields refer to outside of {@link #OWNERS}, by the beginning of the class name, and where its state is covered. */
    private static final Map<String, String> OUTSIDE = Map.ofEntries(
            Map.entry("io.verbena.wire.", "views of bytes that are wrapped before each use"),
            Map.entry(
                    "io.verbena.iwarp.frame.",
                    "buffers of the frame in progress; the reason of a Terminate is covered"),
            Map.entry("io.verbena.iwarp.early.", "has its own digest, and is empty on a stream of bytes"),
            Map.entry("io.verbena.queue.", "changes by posts and completions, which the explorer covers"),
            Map.entry("io.verbena.work.", "works on queues and memory"),
            Map.entry("io.verbena.memory.", "memory and keys, which the explorer covers"),
            Map.entry("io.verbena.engine.", "the engine, which calls the digest"),
            Map.entry("io.verbena.base.", "slabs, and the state machine whose state is the phase"),
            Map.entry("io.verbena.notify.", "calls the application"),
            Map.entry("io.verbena.shm.", "the stream, which the explorer covers"),
            Map.entry("io.verbena.fixture.", "the stream, which the explorer covers"),
            Map.entry("io.verbena.rnic.", "the objects of the application, which the explorer covers"),
            Map.entry("java.lang.foreign.", "bytes"),
            Map.entry("jdk.internal.foreign.", "bytes"));

    private final Set<String> found = new TreeSet<>();
    private final Set<String> covered = new TreeSet<>();
    private final Set<String> outside = new TreeSet<>();

    @Test
    void everyField_changed_changesTheDigest() throws Exception {
        try (ManualWorld world = ManualWorld.direct()) {
            Pair pair = busy(world);
            check(IwarpQueuePair.of(pair.a.queuePair));
            check(IwarpQueuePair.of(pair.b.queuePair));
            world.settle();
            lingering(pair);
            check(IwarpQueuePair.of(pair.b.queuePair));
        }
        try (ManualWorld world = new ManualWorld()) {
            Pair pair = new Pair(world);
            convert(world, pair.a.queuePair, StreamConversion.asInitiator());
            convert(world, pair.b.queuePair, StreamConversion.asResponder());
        }
        assertEquals(Set.of(), outside, "fields that refer to objects without a digest");
        found.removeAll(covered);
        assertEquals(UNCOVERED.keySet(), found, "fields that are not in the digest");
        assertTrue(covered.size() > 100, "only " + covered.size() + " fields");
    }

    /** A connection with loans, grants, and requests that are not answered. */
    private static Pair busy(ManualWorld world) throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(0, pair.b.memory, 0, 100_000);
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 100_000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 100_000, WrFlags.SIGNALLED);
        for (int i = 0; i < 10; i++) {
            ManualEnvironment.of(pair.a.rnic).drive();
        }
        return pair;
    }

    /** Side B has ended the connection with a Terminate message, and side A does nothing. */
    private static void lingering(Pair pair) {
        pair.a.queuePair.postSend(3, pair.a.memory, 0, 8, WrFlags.SIGNALLED); // no receive is posted
        ManualEnvironment.of(pair.a.rnic).drive();
        pair.world.hang(pair.a.rnic, pair.fromA.localAddress());
        pair.world.settle();
        assertEquals(
                ConnectionPhase.TERMINATING, IwarpQueuePair.of(pair.b.queuePair).phase());
    }

    /** A stream whose peer does not answer. */
    private void convert(ManualWorld world, SoftQueuePair queuePair, StreamConversion conversion)
            throws IllegalAccessException {
        InetSocketAddress address = world.address();
        world.network.acceptAt(address);
        IwarpTransport.takeOver(
                queuePair, world.network.dial(address), conversion, (back, following) -> Optional.empty());
        world.settle();
        check(IwarpQueuePair.of(queuePair));
    }

    private void check(IwarpQueuePair root) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Object> left = new ArrayList<>(List.of(root));
        while (!left.isEmpty()) {
            Object object = left.removeLast();
            if (seen.add(object)) {
                List<Slot> slots = Slot.of(object);
                for (Slot slot : slots) {
                    if (!slot.constant()) {
                        tryAll(root, slot, slots);
                    }
                    slot.value().ifPresent(value -> follow(slot, value, left));
                }
            }
        }
    }

    private void follow(Slot slot, Object target, List<Object> left) {
        if (slot.constant() && UNCOVERED.containsKey(slot.name())) {
            found.add(slot.name());
            return;
        }
        Class<?> type = target.getClass();
        if (OWNERS.contains(type.getPackageName()) && !type.isEnum() && !type.isHidden()) {
            left.add(target);
        } else if (!Slot.isValue(type)
                && !UNCOVERED.containsKey(slot.name())
                && OUTSIDE.keySet().stream().noneMatch(type.getName()::startsWith)) {
            outside.add(slot.name() + " refers to " + type.getName());
        }
    }

    private void tryAll(IwarpQueuePair root, Slot slot, List<Slot> others) throws IllegalAccessException {
        found.add(slot.name());
        if (!covered.contains(slot.name()) && distinguishes(root, slot, others, MOST_OTHERS)) {
            covered.add(slot.name());
        }
    }

    /** Whether a change of a field changes the digest, perhaps after changes of some other fields. */
    private static boolean distinguishes(IwarpQueuePair root, Slot slot, List<Slot> others, int depth)
            throws IllegalAccessException {
        boolean differs = changesDigest(root, slot);
        for (Slot other : others) {
            if (!differs && depth > 0 && other != slot && !other.constant()) {
                @Nullable Object before = other.read();
                other.write(other.changed());
                differs = distinguishes(root, slot, others, depth - 1);
                other.write(before);
            }
        }
        return differs;
    }

    private static boolean changesDigest(IwarpQueuePair root, Slot slot) throws IllegalAccessException {
        @Nullable Object before = slot.read();
        @Nullable Object changed = slot.changed();
        try {
            long old = root.stateDigest();
            slot.write(changed);
            return old != root.stateDigest();
        } catch (IndexOutOfBoundsException e) {
            return false; // the other change made no state that exists
        } finally {
            slot.write(before);
        }
    }

    /** A field of an object. */
    private record Slot(Object owner, Field field) {

        private static final Map<String, Object> SAMPLES = Map.of(
                "StreamState.ending",
                        Optional.of(new Ending(
                                Ending.Kind.BROKEN,
                                Optional.empty(),
                                CompletionStatus.CONNECTION_LOST,
                                Optional.empty(),
                                "")),
                "IwarpQueuePair.remoteRights", Set.of(),
                "IwarpQueuePair.readLimits", new ReadLimits(3, 4));

        static List<Slot> of(Object object) {
            List<Slot> slots = new ArrayList<>();
            for (Class<?> type = object.getClass();
                    OWNERS.contains(type.getPackageName());
                    type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
                        field.setAccessible(true);
                        slots.add(new Slot(object, field));
                    }
                }
            }
            return slots;
        }

        String name() {
            return field.getDeclaringClass().getSimpleName() + "." + field.getName();
        }

        /** Whether it does not change: it is final, and no array of numbers. */
        boolean constant() {
            Class<?> element = field.getType().getComponentType();
            return Modifier.isFinal(field.getModifiers()) && (element == null || !element.isPrimitive());
        }

        static boolean isValue(Class<?> type) {
            return type.isPrimitive()
                    || type.isArray()
                    || type.isEnum()
                    || type.isRecord()
                    || type.isHidden()
                    || type.getPackageName().startsWith("java.lang")
                            && !type.getName().contains("foreign")
                    || type.getPackageName().startsWith("java.util");
        }

        Optional<Object> value() {
            @Nullable Object value = read();
            return value instanceof Optional<?> held ? held.map(it -> it) : Optional.ofNullable(value);
        }

        /** Another value; the same one if there is none. */
        @Nullable
        Object changed() {
            Object sample = SAMPLES.get(name());
            @Nullable Object value = read();
            return sample != null
                    ? sample
                    : switch (value) {
                        case null -> value;
                        case Boolean it -> !it;
                        case Integer it -> it + 1;
                        case Long it -> it + 1;
                        case String it -> it + "x";
                        case Enum<?> it -> other(it);
                        case Optional<?> _ -> Optional.empty();
                        case byte[] it -> changed(it);
                        case int[] it -> changed(it);
                        case long[] it -> changed(it);
                        case boolean[] it -> changed(it);
                        default -> OWNERS.contains(value.getClass().getPackageName()) ? null : value;
                    };
        }

        private static Object other(Enum<?> value) {
            Object[] all = value.getDeclaringClass().getEnumConstants();
            return all[(value.ordinal() + 1) % all.length];
        }

        /** An array with another value in each element. */
        private static Object changed(Object array) {
            for (int i = 0; i < Array.getLength(array); i++) {
                switch (array) {
                    case byte[] it -> it[i]++;
                    case int[] it -> it[i]++;
                    case long[] it -> it[i]++;
                    case boolean[] it -> it[i] = !it[i];
                    default -> throw new AssertionError("an array of " + array.getClass());
                }
            }
            return array;
        }

        /** The value; a copy of an array. */
        @Nullable
        Object read() {
            return copy(raw());
        }

        private @Nullable Object raw() {
            try {
                return field.get(owner);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        void write(@Nullable Object value) throws IllegalAccessException {
            if (value != null && value.getClass().isArray()) {
                System.arraycopy(value, 0, Objects.requireNonNull(raw()), 0, Array.getLength(value));
            } else {
                field.set(owner, value);
            }
        }

        private static @Nullable Object copy(@Nullable Object value) {
            return switch (value) {
                case byte[] it -> it.clone();
                case int[] it -> it.clone();
                case long[] it -> it.clone();
                case boolean[] it -> it.clone();
                case null, default -> value;
            };
        }
    }
}
