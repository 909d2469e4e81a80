package io.verbena.storage.subsystem;

import io.verbena.storage.wire.IdentifyController;
import io.verbena.storage.wire.IdentifyKind;
import io.verbena.storage.wire.IdentifyNamespace;
import io.verbena.storage.wire.NamespaceDescriptor;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/** Writes the data of Identify. The values are those that a Linux host accepts. */
final class IdentifyPages {
    static final int LENGTH = 4096;

    private static final int MOST_IN_LIST = LENGTH / Integer.BYTES;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final TargetLimits limits;
    private final int version;
    private final IdentifyController controllers = new IdentifyController();
    private final IdentifyNamespace namespaces = new IdentifyNamespace();
    private final NamespaceDescriptor descriptors = new NamespaceDescriptor();

    IdentifyPages(TargetLimits limits, int version) {
        this.limits = limits;
        this.version = version;
    }

    Status write(MemorySegment page, SubmissionEntry entry, Controller controller) {
        page.fill((byte) 0);
        IdentifyKind kind = IdentifyKind.of(entry.cdw10() & 0xff);
        if (controller.discovery() && kind != IdentifyKind.CONTROLLER) {
            return Status.INVALID_FIELD;
        }
        return switch (kind) {
            case CONTROLLER -> controller(page, controller);
            case NAMESPACE -> namespace(page, entry.namespaceId(), controller.view());
            case ACTIVE_NAMESPACES -> list(page, entry.namespaceId(), controller.view());
            case DESCRIPTORS -> names(page, entry.namespaceId(), controller.view());
            case UNKNOWN -> Status.INVALID_FIELD;
        };
    }

    private Status controller(MemorySegment page, Controller controller) {
        Subsystem subsystem = controller.subsystem();
        controllers.wrap(page, 0);
        controllers
                .serialNumber(subsystem.serialNumber())
                .modelNumber("Verbena")
                .firmwareRevision("0.1");
        controllers.controllerId(controller.id()).version(version).subsystemName(subsystem.name());
        controllers.abortLimit(3).eventRequestLimit(Controller.EVENT_REQUESTS - 1);
        controllers.errorLogEntries(ErrorLog.ENTRIES - 1).keepAliveGranularity(10);
        // Keyed SGLs are mandatory; bit 20: an offset in the capsule.
        controllers.sglSupport(1 << 2 | 1 << 20 | 1).maxDescriptors(1).responseCapsuleUnits(1);
        controllers.maxTransferShift(limits.transferShift());
        // Bit 2: the offset of a log page.
        controllers.logAttributes(1 << 2);
        if (controller.discovery()) {
            controllers.controllerType(2).events(Controller.DISCOVERY_EVENTS).commandCapsuleUnits(4);
            controllers.maxCommands(TargetLimits.ADMIN_ENTRIES);
            return Status.SUCCESS;
        }
        // Bits 0 and 1: several ports, several controllers. Without bit 3, ANA, a host takes all paths as equal, which
        // they are.
        controllers.sharing(3);
        controllers.controllerType(1).events(Controller.NAMESPACE_EVENTS).submissionEntrySizes(0x66);
        // Bit 1: the page of supported commands and their effects.
        controllers.logAttributes(1 << 2 | 1 << 1);
        controllers.completionEntrySizes(0x44).maxCommands(limits.queueEntries());
        controllers.namespaces(Subsystem.MAX_NAMESPACES).writeCache(subsystem.writeCache() ? 1 : 0);
        // Compare, Write Zeroes, Verify; bit 2: Dataset Management.
        controllers.optionalCommands(1 | 1 << 3 | 1 << 7 | (controller.view().deallocates() ? 1 << 2 : 0));
        controllers.commandCapsuleUnits((SubmissionEntry.LENGTH + limits.inCapsuleBytes()) / 16);
        return Status.SUCCESS;
    }

    private Status namespace(MemorySegment page, int id, NamespaceView view) {
        if (id == 0 || Integer.compareUnsigned(id, Subsystem.MAX_NAMESPACES) > 0) {
            return Status.INVALID_NAMESPACE;
        }
        Optional<Namespace> found = view.namespace(id);
        // An inactive namespace reads as zeros.
        if (found.isPresent()) {
            Namespace namespace = found.get();
            long blocks = namespace.device().blocks();
            namespaces.wrap(page, 0).sizeBlocks(blocks).capacityBlocks(blocks).usedBlocks(blocks);
            namespaces
                    .sharing(1)
                    .attributes(namespace.device().readOnly() ? 1 : 0)
                    .globalId(namespace.uuidBytes());
            // Deallocated blocks read as zeros; bit 3: Write Zeroes deallocates.
            namespaces.deallocation(namespace.device().deallocates() ? 1 | 1 << 3 : 0);
            namespaces.blockShift(
                    Integer.numberOfTrailingZeros(namespace.device().blockBytes()));
        }
        return Status.SUCCESS;
    }

    private static Status list(MemorySegment page, int after, NamespaceView view) {
        if (Integer.compareUnsigned(after, 0xffff_fffd) > 0) {
            return Status.INVALID_NAMESPACE;
        }
        int count = 0;
        for (Namespace namespace : view.all()) {
            if (Integer.compareUnsigned(namespace.id(), after) > 0 && count < MOST_IN_LIST) {
                page.set(U32, (long) count * Integer.BYTES, namespace.id());
                count++;
            }
        }
        return Status.SUCCESS;
    }

    private Status names(MemorySegment page, int id, NamespaceView view) {
        Optional<Namespace> found = view.namespace(id);
        if (found.isEmpty()) {
            return Status.INVALID_NAMESPACE;
        }
        byte[] uuid = found.get().uuidBytes();
        descriptors.wrap(page, 0).name(NamespaceDescriptor.UUID, uuid);
        descriptors.wrap(page, NamespaceDescriptor.LENGTH + (long) uuid.length).name(NamespaceDescriptor.NGUID, uuid);
        return Status.SUCCESS;
    }
}
