package io.verbena.storage.host;

import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.FabricsType;
import io.verbena.storage.wire.Feature;
import io.verbena.storage.wire.IdentifyController;
import io.verbena.storage.wire.IdentifyKind;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.Registers;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Writes the commands of a host, and reads the data of the controller. */
final class HostCommands {
    /** Bytes of {@link HostMemory#page()} before the ranges of Dataset Management commands, one for each capsule. */
    static final int PAGE_BYTES = 4096;

    /** OAES and SetFeatures: events for namespaces that change. */
    static final int NAMESPACE_EVENTS = 0x100;

    /** More data than that in a capsule would cost the target more than a fetch. */
    private static final int MOST_IN_CAPSULE_BYTES = 16_384;

    /** A target without MDTS has no limit; this host has. */
    private static final int MOST_TRANSFER_SHIFT = 8;

    private static final int CONFIGURATION = 0x46_0000 | Registers.ENABLE;
    private static final int NORMAL_SHUTDOWN = 1 << 14;
    private static final int SGL_OFFSET_SUPPORTED = 1 << 20;

    private final HostSettings settings;
    private final ConnectData connectData = new ConnectData();
    private final IdentifyController identify = new IdentifyController();
    private final DeallocateRange range = new DeallocateRange();
    private final long[] retryDelaysNs = new long[4];

    HostCommands(HostSettings settings) {
        this.settings = settings;
    }

    // ---- Commands of the host itself

    void connect(SubmissionEntry entry, SubmissionQueue queue, int controllerId) {
        UUID id = settings.host().id();
        connectData
                .wrap(queue.memory().page(), 0)
                .clear()
                .hostId(ByteBuffer.allocate(16)
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array())
                .controllerId(controllerId)
                .subsystemName(settings.subsystem())
                .hostName(settings.host().name());
        fabrics(entry, FabricsType.CONNECT).queueId(queue.id()).queueSizeMinusOne(queue.entries() - 1);
        if (queue.id() == 0) {
            entry.keepAliveMs(settings.times().keepAliveMs());
        }
    }

    private static SubmissionEntry fabrics(SubmissionEntry entry, FabricsType type) {
        return entry.opcode(AdminOpcode.FABRICS.code()).fabricsType(type.code());
    }

    static void readCapabilities(SubmissionEntry entry) {
        fabrics(entry, FabricsType.PROPERTY_GET).propertyAttributes(1).propertyOffset(Registers.CAP);
    }

    static void readStatus(SubmissionEntry entry) {
        fabrics(entry, FabricsType.PROPERTY_GET).propertyOffset(Registers.CSTS);
    }

    static void enable(SubmissionEntry entry) {
        fabrics(entry, FabricsType.PROPERTY_SET).propertyOffset(Registers.CC).propertyValue(CONFIGURATION);
    }

    static void shutDown(SubmissionEntry entry) {
        fabrics(entry, FabricsType.PROPERTY_SET)
                .propertyOffset(Registers.CC)
                .propertyValue(CONFIGURATION | NORMAL_SHUTDOWN);
    }

    static void identifyController(SubmissionEntry entry) {
        entry.opcode(AdminOpcode.IDENTIFY.code()).cdw10(IdentifyKind.CONTROLLER.code());
    }

    static void setQueues(SubmissionEntry entry, int queues) {
        int minusOne = queues - 1;
        entry.opcode(AdminOpcode.SET_FEATURES.code())
                .cdw10(Feature.QUEUES.code())
                .cdw11(minusOne | minusOne << 16);
    }

    static void setEvents(SubmissionEntry entry) {
        entry.opcode(AdminOpcode.SET_FEATURES.code())
                .cdw10(Feature.EVENTS.code())
                .cdw11(NAMESPACE_EVENTS);
    }

    static void plain(SubmissionEntry entry, AdminOpcode opcode) {
        entry.opcode(opcode.code());
    }

    // ---- The controller

    /** Reads the data of Identify. */
    ControllerProfile profile(MemorySegment page, int controllerId) {
        identify.wrap(page, 0);
        for (int i = 1; i < retryDelaysNs.length; i++) {
            retryDelaysNs[i] = identify.retryDelay(i) * 100_000_000L;
        }
        int shift = identify.maxTransferShift() == 0
                ? MOST_TRANSFER_SHIFT
                : Math.min(identify.maxTransferShift(), MOST_TRANSFER_SHIFT);
        boolean inCapsule = (identify.sglSupport() & SGL_OFFSET_SUPPORTED) != 0 && identify.inCapsuleOffset() == 0;
        long capsule = Integer.toUnsignedLong(identify.commandCapsuleUnits()) * 16 - SubmissionEntry.LENGTH;
        ControllerLimits limits = new ControllerLimits(
                PAGE_BYTES << shift,
                inCapsule ? (int) Math.clamp(capsule, 0, MOST_IN_CAPSULE_BYTES) : 0,
                identify.maxCommands() == 0 ? Integer.MAX_VALUE : identify.maxCommands(),
                identify.optionalCommands(),
                (identify.writeCache() & 1) != 0,
                identify.events());
        return new ControllerProfile(
                controllerId, identify.serialNumber(), identify.modelNumber(), identify.firmwareRevision(), limits);
    }

    /** The delay that the bits for CRD of a status ask for. */
    long retryDelayNs(int status) {
        return retryDelaysNs[status >>> 11 & 3];
    }

    // ---- Commands on blocks

    void fill(SubmissionEntry entry, SubmissionQueue queue, int slot, BlockCommand command, ControllerLimits limits) {
        BlockRequest request = command.request();
        IoOpcode opcode = request.opcode();
        entry.opcode(opcode.code()).namespaceId(request.namespace().id());
        command.inCapsule(false);
        if (opcode == IoOpcode.DATASET_MANAGEMENT) {
            entry.cdw11(SubmissionEntry.DEALLOCATE);
            range.wrap(queue.memory().page(), rangeOffset(slot))
                    .clear()
                    .firstBlock(command.firstBlock())
                    .blocks((int) command.blocks());
        } else if (opcode != IoOpcode.FLUSH) {
            entry.firstBlock(command.firstBlock()).blocksMinusOne((int) command.blocks() - 1);
            if (request.durable() && limits.writeCache()) {
                entry.cdw12(entry.cdw12() | SubmissionEntry.FORCE_UNIT_ACCESS);
            }
            command.inCapsule(opcode != IoOpcode.READ
                    && command.lengthBytes() > 0
                    && command.lengthBytes() <= limits.inCapsuleBytes());
        }
    }

    static long rangeOffset(int slot) {
        return PAGE_BYTES + (long) slot * DeallocateRange.LENGTH;
    }
}
