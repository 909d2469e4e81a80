package io.verbena.storage.subsystem;

import io.verbena.storage.subsystem.CommandCounts.Transfers;
import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.DiscoveryEntry;
import io.verbena.storage.wire.DiscoveryHeader;
import io.verbena.storage.wire.ErrorEntry;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.LogPage;
import io.verbena.storage.wire.SmartLog;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;

/** Reads log pages. A page is built whole, and the part that the host asks for is sent. */
final class LogPages {
    private static final int RETAIN_EVENT = 1 << 15;
    private static final int NAMESPACES_LENGTH = 4096;
    private static final int FIRMWARE_LENGTH = 512;
    private static final int EFFECTS_LENGTH = 4096;
    private static final int EFFECTS_IO = 1024;

    /** CSUPP. */
    private static final int EFFECT_SUPPORTED = 1;

    /** LBCC. */
    private static final int EFFECT_CHANGES_BLOCKS = 2;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final StorageTarget target;
    private final TargetQueue queue;

    LogPages(StorageTarget target, TargetQueue queue) {
        this.target = target;
        this.queue = queue;
    }

    Status read(Command command, SubmissionEntry entry, Controller controller) {
        Status pointer = TargetQueue.pointerStatus(command.pointer());
        if (pointer != Status.SUCCESS) {
            return pointer;
        }
        long doubleWords = (entry.cdw11() & 0xffffL) << 16 | entry.cdw10() >>> 16;
        long length = (doubleWords + 1) * Integer.BYTES;
        if (entry.sglLength() != length) {
            return Status.SGL_LENGTH;
        }
        if (!command.pointer().keyed() || length > queue.bufferBytes()) {
            return Status.INVALID_FIELD;
        }
        LogPage kind = LogPage.of(entry.cdw10() & 0xff);
        if (kind == LogPage.UNKNOWN || (kind == LogPage.DISCOVERY) != controller.discovery()) {
            return Status.INVALID_LOG_PAGE;
        }
        long offset = Integer.toUnsignedLong(entry.cdw12()) | (long) entry.cdw13() << 32;
        boolean retain = (entry.cdw10() & RETAIN_EVENT) != 0;
        MemorySegment page;
        try {
            page = page(kind, controller, retain);
        } catch (RuntimeException | Error e) {
            return queue.failed(e); // a device did not describe itself
        }
        if ((offset & 3) != 0 || Long.compareUnsigned(offset, page.byteSize()) > 0) {
            return Status.INVALID_FIELD;
        }
        MemorySegment out = command.buffer().asSlice(0, length);
        out.fill((byte) 0);
        MemorySegment.copy(page, offset, out, 0, Math.min(length, page.byteSize() - offset));
        queue.respondWithData(command, (int) length);
        return Status.SUCCESS;
    }

    private MemorySegment page(LogPage kind, Controller controller, boolean retain) {
        return switch (kind) {
            case ERRORS -> errors(controller);
            case SMART -> health(controller);
            case CHANGED_NAMESPACES -> changed(controller, retain);
            case DISCOVERY -> discovery(controller, retain);
            case COMMAND_EFFECTS -> effects(controller.view().deallocates());
            case FIRMWARE, UNKNOWN -> MemorySegment.ofArray(new byte[FIRMWARE_LENGTH]);
        };
    }

    private static MemorySegment errors(Controller controller) {
        MemorySegment page = MemorySegment.ofArray(new byte[ErrorLog.ENTRIES * ErrorEntry.LENGTH]);
        controller.errors().copyTo(page);
        return page;
    }

    /** Admin opcodes, then I/O opcodes from byte 1024, four bytes each. */
    private static MemorySegment effects(boolean deallocates) {
        MemorySegment page = MemorySegment.ofArray(new byte[EFFECTS_LENGTH]);
        for (AdminOpcode opcode : AdminOpcode.values()) {
            if (opcode != AdminOpcode.UNKNOWN && opcode != AdminOpcode.FABRICS) {
                page.set(U32, 4L * opcode.code(), EFFECT_SUPPORTED);
            }
        }
        for (IoOpcode opcode : IoOpcode.values()) {
            boolean offered = opcode != IoOpcode.DATASET_MANAGEMENT || deallocates;
            if (opcode != IoOpcode.UNKNOWN && opcode != IoOpcode.FABRICS && offered) {
                int changes = opcode.changesBlocks() ? EFFECT_CHANGES_BLOCKS : 0;
                page.set(U32, EFFECTS_IO + 4L * opcode.code(), EFFECT_SUPPORTED | changes);
            }
        }
        return page;
    }

    private static MemorySegment health(Controller controller) {
        MemorySegment page = MemorySegment.ofArray(new byte[SmartLog.LENGTH]);
        Transfers reads = new Transfers(0, 0);
        Transfers writes = new Transfers(0, 0);
        for (Namespace namespace : controller.view().all()) {
            CommandCounts counts = controller.view().figures(namespace.id()).counts();
            reads = reads.plus(counts.reads());
            writes = writes.plus(counts.writes());
        }
        new SmartLog()
                .wrap(page, 0)
                .temperatureKelvin(300)
                .sparePercent(100)
                .unitsRead(units(reads))
                .unitsWritten(units(writes))
                .reads(reads.commands())
                .writes(writes.commands())
                .mediaErrors(controller.errors().mediaErrors())
                .errorEntries(controller.errors().count());
        return page;
    }

    /** Units of 512,000 bytes, rounded up. */
    private static long units(Transfers transfers) {
        return Math.ceilDiv(transfers.bytes(), 512_000L);
    }

    private static MemorySegment changed(Controller controller, boolean retain) {
        MemorySegment page = MemorySegment.ofArray(new byte[NAMESPACES_LENGTH]);
        BitSet changed = retain ? controller.changedNamespaces() : controller.takeChangedNamespaces();
        int count = 0;
        for (int id = changed.nextSetBit(0); id >= 0; id = changed.nextSetBit(id + 1)) {
            page.set(U32, (long) count * Integer.BYTES, id);
            count++;
        }
        return page;
    }

    private MemorySegment discovery(Controller controller, boolean retain) {
        if (!retain) {
            controller.noticeRead();
        }
        long entries = target.subsystems().stream()
                .filter(each -> each.allows(controller.host().name()))
                .count();
        MemorySegment page =
                MemorySegment.ofArray(new byte[DiscoveryHeader.LENGTH + (int) entries * DiscoveryEntry.LENGTH]);
        new DiscoveryHeader().wrap(page, 0).generation(target.generation()).records(entries);
        DiscoveryEntry out = new DiscoveryEntry();
        long at = DiscoveryHeader.LENGTH;
        for (Subsystem subsystem : target.subsystems()) {
            if (subsystem.allows(controller.host().name())) {
                write(out.wrap(page, at), subsystem);
                at += DiscoveryEntry.LENGTH;
            }
        }
        return page;
    }

    private void write(DiscoveryEntry out, Subsystem subsystem) {
        TargetAddress address = queue.address();
        out.transport(1)
                .addressFamily(address.isIpv6() ? 2 : 1)
                .kind(2)
                .requirements(4)
                .port(1);
        out.controllerId(0xffff).adminQueueSize(TargetLimits.ADMIN_ENTRIES);
        out.service(Integer.toString(address.port()))
                .subsystemName(subsystem.name())
                .address(address.host());
        out.queuePairType(1).providerType(1).connectionService(1);
    }
}
