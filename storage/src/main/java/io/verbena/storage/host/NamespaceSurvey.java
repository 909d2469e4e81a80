package io.verbena.storage.host;

import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.IdentifyKind;
import io.verbena.storage.wire.IdentifyNamespace;
import io.verbena.storage.wire.LogPage;
import io.verbena.storage.wire.NamespaceDescriptor;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Reads all namespaces: the list of their numbers, then the data and the names of each. After an event it first reads the log page of changed
 * namespaces, which permits the next event.
 */
final class NamespaceSurvey {
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int PAGE_BYTES = 4096;
    private static final int NUMBERS_PER_PAGE = PAGE_BYTES / Integer.BYTES;

    /** A target that lists more would make the host hold too much. */
    private static final int MOST_NAMESPACES = 16_384;

    private static final int UUID_BYTES = 16;

    private enum Stage {
        CHANGES,
        LIST,
        NAMESPACE,
        NAMES,
        COMPLETE,
        FAILED
    }

    private final IdentifyNamespace data = new IdentifyNamespace();
    private final NamespaceDescriptor descriptor = new NamespaceDescriptor();
    private final ArrayDeque<Integer> numbers = new ArrayDeque<>();
    private TreeMap<Integer, RemoteNamespace> found = new TreeMap<>();
    private Stage stage = Stage.COMPLETE;
    private int listed;
    private long blocks;
    private int blockShift;
    private boolean readOnly;
    private UUID globalId = BlockRequest.NOWHERE.uuid();

    void begin(boolean afterEvent) {
        numbers.clear();
        found = new TreeMap<>();
        listed = 0;
        stage = afterEvent ? Stage.CHANGES : Stage.LIST;
    }

    boolean underWay() {
        return stage != Stage.COMPLETE && stage != Stage.FAILED;
    }

    boolean failed() {
        return stage == Stage.FAILED;
    }

    TreeMap<Integer, RemoteNamespace> found() {
        return found;
    }

    /** Writes the next command. */
    void fill(SubmissionEntry entry) {
        switch (stage) {
            case CHANGES -> fillLogPage(entry, LogPage.CHANGED_NAMESPACES, PAGE_BYTES, 0);
            case LIST -> identify(entry, IdentifyKind.ACTIVE_NAMESPACES, listed);
            case NAMESPACE -> identify(entry, IdentifyKind.NAMESPACE, numbers.element());
            case NAMES -> identify(entry, IdentifyKind.DESCRIPTORS, numbers.element());
            case COMPLETE, FAILED -> throw new IllegalStateException("The survey has ended.");
        }
    }

    private static void identify(SubmissionEntry entry, IdentifyKind kind, int namespaceId) {
        entry.opcode(AdminOpcode.IDENTIFY.code()).namespaceId(namespaceId).cdw10(kind.code());
    }

    /** Writes a command that reads a part of a log page and permits the next event. */
    static void fillLogPage(SubmissionEntry entry, LogPage page, int lengthBytes, long offset) {
        int doubleWordsMinusOne = lengthBytes / Integer.BYTES - 1;
        entry.opcode(AdminOpcode.GET_LOG_PAGE.code()).namespaceId(-1);
        entry.cdw10(page.code() | doubleWordsMinusOne << 16).cdw11(doubleWordsMinusOne >>> 16);
        entry.cdw12((int) offset).cdw13((int) (offset >>> 32));
    }

    /** The answer has arrived. */
    void onPage(MemorySegment page, boolean succeeded) {
        switch (stage) {
            case CHANGES -> stage = Stage.LIST;
            case LIST -> onList(page, succeeded);
            case NAMESPACE -> onNamespace(page, succeeded);
            case NAMES -> onNames(page, succeeded);
            case COMPLETE, FAILED -> throw new IllegalStateException("The survey has ended.");
        }
    }

    private void onList(MemorySegment page, boolean succeeded) {
        if (!succeeded) {
            stage = Stage.FAILED;
            return;
        }
        int count = 0;
        while (count < NUMBERS_PER_PAGE) {
            int number = page.get(U32, (long) count * Integer.BYTES);
            // Numbers ascend. A list that does not would have no end.
            if (number == 0 || Integer.compareUnsigned(number, listed) <= 0) {
                break;
            }
            numbers.add(number);
            listed = number;
            count++;
        }
        if (numbers.size() > MOST_NAMESPACES) {
            stage = Stage.FAILED;
        } else if (count < NUMBERS_PER_PAGE) {
            next();
        }
    }

    private void next() {
        stage = numbers.isEmpty() ? Stage.COMPLETE : Stage.NAMESPACE;
    }

    private void onNamespace(MemorySegment page, boolean succeeded) {
        data.wrap(page, 0);
        blockShift = data.currentBlockShift();
        blocks = data.sizeBlocks();
        readOnly = (data.attributes() & 1) != 0;
        // The namespace may have been removed since it was listed; it reads as zeros then.
        boolean usable = succeeded && blocks > 0 && blockShift >= 9 && blockShift <= 16;
        if (!usable || blocks > Long.MAX_VALUE >>> blockShift) {
            numbers.remove();
            next();
            return;
        }
        globalId = uuid(data.globalId());
        stage = Stage.NAMES;
    }

    private static UUID uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    private void onNames(MemorySegment page, boolean succeeded) {
        int number = numbers.remove();
        UUID name = succeeded ? name(page).orElse(globalId) : globalId;
        RemoteNamespace namespace = new RemoteNamespace(number, name, blockShift);
        namespace.size(blocks, readOnly);
        found.put(number, namespace);
        next();
    }

    private Optional<UUID> name(MemorySegment page) {
        long at = 0;
        while (NamespaceDescriptor.fits(PAGE_BYTES - at)) {
            descriptor.wrap(page, at);
            int length = descriptor.lengthBytes();
            at += NamespaceDescriptor.LENGTH;
            if (descriptor.kind() == 0 || length == 0 || length > PAGE_BYTES - at) {
                return Optional.empty();
            }
            if (descriptor.kind() == NamespaceDescriptor.UUID && length == UUID_BYTES) {
                return Optional.of(uuid(page.asSlice(at, UUID_BYTES).toArray(ValueLayout.JAVA_BYTE)));
            }
            at += length;
        }
        return Optional.empty();
    }
}
